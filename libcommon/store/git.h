/*
 * git: git's plumbing on the user's repository, run safely. The only place
 * that starts git on the host.
 *
 * Scrubbed environment (PATH, HOME, LANG=C, no GIT_* but ours), no hooks, no
 * fsmonitor, no pager, no textconv, no external diff, no replace refs, no lazy
 * fetch (GIT_NO_LAZY_FETCH=1, GIT_ALLOW_PROTOCOL=none), no prompts, no optional
 * locks, a deadline.
 */
#ifndef STORE_GIT_H
#define STORE_GIT_H

#include "base/buf.h"
#include "base/error.h"
#include "store/repo.h"
#include "sys/proc.h"

#define GIT_TIMEOUT_MS 120000
#define GIT_OUTPUT_MAX (256u << 20)

/*
 * Runs `git ARGS...` in the repository (--git-dir=git_dir), input may be NULL.
 * args: NULL-terminated, without "git". *code_out: git's exit code. Errors: only
 * where git could not be run or its output was over the limit.
 */
int git_call(const struct repo *r, const char *const *args, const char *in, struct buf *out, int *code_out,
	     struct error *err);

/* As git_call(), but a non-zero exit is an error (peer) with git's first line of stderr. */
int git_want(const struct repo *r, const char *const *args, const char *in, struct buf *out, struct error *err);

/* Started now, collected later, so that independent calls overlap. */
struct git_job {
	struct proc proc;
	int out_fd;
	int err_fd;
	const char *what; /* borrowed: args[0] */
};
#define GIT_JOB_INIT { .proc = PROC_INIT, .out_fd = -1, .err_fd = -1 }
int git_start(const struct repo *r, const char *const *args, struct git_job *job, struct error *err);
int git_finish(struct git_job *job, struct buf *out, int *code_out, struct error *err);
void git_job_kill(struct git_job *job);

/* git of this host is >= major.minor. Errors: unsupported (too old, says which is needed), notfound (no git). */
int git_require(unsigned major, unsigned minor, struct error *err);

/* Environment and leading "-c" options for a git that runs elsewhere (in the mason), NULL-terminated, static. */
extern const char *const git_safe_env[];
extern const char *const git_safe_args[];

#endif
