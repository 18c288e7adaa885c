/*
 * git: git's plumbing, run safely. The only place that starts git.
 *
 * Scrubbed environment (PATH, HOME, LANG=C; of GIT_* only what names the
 * operator's own configuration and traces), no hooks, no fsmonitor, no pager,
 * no textconv, no external diff, no replace refs, no lazy fetch
 * (GIT_NO_LAZY_FETCH=1, GIT_ALLOW_PROTOCOL=none), no prompts, no optional
 * locks, literal pathspecs, a deadline.
 */
#ifndef STORE_GIT_H
#define STORE_GIT_H

#include "base/buf.h"
#include "base/error.h"
#include "store/repo.h"
#include "sys/proc.h"

#define GIT_TIMEOUT_MS 600000
#define GIT_OUTPUT_MAX (256u << 20)

/* One call. Everything is borrowed; what is NULL is not given to git. */
struct git_cmd {
	const char *const *args; /* NULL-terminated, without "git" */
	const char *git_dir;
	const char *work_tree;
	const char *index_file;
	const char *cwd;
	const char *const *env; /* further NAME=VALUE, NULL-terminated; before all others */
	const char *const *config; /* further settings, "key=value", NULL-terminated */
	const void *in;		   /* in_len bytes on stdin */
	size_t in_len;
	const int *in_fd;   /* a descriptor that is its stdin instead; NULL: none */
	const int *out_fd;  /* a descriptor that is its stdout instead of out; NULL: none */
	struct buf *out;    /* stdout is appended here; NULL: not kept */
	struct buf *errout; /* likewise stderr */
	uint64_t timeout_ms; /* 0: GIT_TIMEOUT_MS */
};

/* *code_out: git's exit code, 128 + n where a signal ended it. Errors: git could not be run, or a
 * limit was reached. */
int git_run(const struct git_cmd *cmd, int *code_out, struct error *err);

/* As git_run(), but a non-zero exit is an error (peer) with git's own words; sys where the disk is
 * full. */
int git_must(const struct git_cmd *cmd, struct error *err);

/* git_must() in a repository; in is a string or NULL, out may be NULL. */
int git_want(const struct repo *r, const char *const *args, const char *in, struct buf *out,
	     struct error *err);

/* Started now, collected later, so that independent calls overlap. */
struct git_job {
	struct proc proc;
	int out_fd;
	int err_fd;
	const char *what;  /* borrowed: args[0] */
	struct buf errout; /* after git_finish(): stderr */
};
#define GIT_JOB_INIT                                                                               \
	{                                                                                          \
		.proc = PROC_INIT, .out_fd = -1, .err_fd = -1, .errout = BUF_INIT                  \
	}
#define GIT_JOB_AUTO __attribute__((cleanup(git_job_release))) struct git_job
int git_start(const struct repo *r, const char *const *args, struct git_job *job,
	      struct error *err);
/* As git_start(), for any call; of its stdio only in_fd is looked at. */
int git_start_cmd(const struct git_cmd *cmd, struct git_job *job, struct error *err);
/* stdout is appended to out. Errors: peer (did not run to an end), limit. A non-zero exit is none.
 */
int git_finish(struct git_job *job, struct buf *out, int *code_out, struct error *err);
/* Ends it where it still runs. */
void git_job_release(struct git_job *job);

/* The error (peer, or sys for a full disk) for a git that ended with code != 0. Always -1. */
int git_failed(const char *what, int code, const struct buf *errout, struct error *err);

/* Success where git itself, with the operator's safe.directory, agrees to work in that directory.
 */
int git_trusts(const char *dir, struct error *err);

/* git of this host is >= major.minor. Errors: unsupported (too old, says which is needed), notfound
 * (no git). */
int git_require(unsigned major, unsigned minor, struct error *err);

/* "2.39.5" of this host's git. Appended. Errors: notfound (no git), corrupt. */
int git_version(struct buf *out, struct error *err);

/* The six octal digits of a mode, as git's listings have them; what follows is the caller's. */
bool git_mode_parse(const char *s, uint32_t *out);

/* A path as git's C-style quoted string, for --stdin-paths and the like. Appended. */
void git_quote(const char *path, struct buf *out);

#endif
