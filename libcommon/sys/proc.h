/*
 * proc: starting programs and knowing processes. A process is pid + start
 * time, never pid alone; children are waited for by pidfd.
 */
#ifndef SYS_PROC_H
#define SYS_PROC_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/* One descriptor that the child gets: ours at `from` becomes its `to`. */
struct proc_fd {
	int from;
	int to;
};

struct proc_spec {
	const char *path;		/* executable; searched in PATH where it has no slash */
	const char *const *argv;	/* NULL-terminated */
	const char *const *envp;	/* NULL-terminated, whole environment of the child */
	const char *cwd;		/* NULL: ours */
	const struct proc_fd *fds;	/* all that reaches it; 0 to 2 are /dev/null where absent */
	size_t fds_len;			/* each `to` at most once, below 64 */
};

struct proc {
	pid_t pid;
	int pidfd;
};
#define PROC_INIT { .pid = -1, .pidfd = -1 }

/*
 * Starts a program (posix_spawn: vfork semantics; signal mask emptied, default
 * handlers). Exec failure is reported here. Errors: notfound, sys.
 */
int proc_spawn(const struct proc_spec *spec, struct proc *out, struct error *err);

/*
 * Waits at most timeout_ms (UINT64_MAX: for ever); *status_out as of waitpid. At
 * the deadline the process lives on and p stays valid. Errors: limit (deadline), sys.
 */
int proc_wait(struct proc *p, uint64_t timeout_ms, int *status_out, struct error *err);

/* SIGKILLs and reaps; safe on PROC_INIT. */
void proc_kill(struct proc *p);
/* SIGTERM first: who cleans up after itself, as git does with its locks, gets the time for it. */
#define PROC_END_MS 1000
void proc_end(struct proc *p);

/* What proc_run() feeds and collects. NULL leaves 0, 1 or 2 as spec.fds says. */
struct proc_capture {
	const void *in;
	size_t in_len;
	size_t max;	     /* bytes of stdout, and of stderr */
	uint64_t timeout_ms; /* UINT64_MAX: none */
	struct buf *out;     /* appended */
	struct buf *errout;  /* appended */
};

/*
 * Runs to the end: feeds, collects (more than max bytes is an error), kills at the
 * deadline. On failure what came so far stays in the buffers, for the message.
 * Errors: limit, notfound, sys.
 */
int proc_run(const struct proc_spec *spec, struct proc_capture *cap, int *status_out,
	     struct error *err);

/* Field 22 of /proc/<pid>/stat, parsed from the last ')'. Errors: notfound, corrupt. */
int proc_start_time(pid_t pid, uint64_t *out, struct error *err);

/* pidfd of the process with that pid and start time. The fd, or -1. Errors: notfound. */
int proc_open(pid_t pid, uint64_t start_time, struct error *err);

#endif
