/*
 * session: running a command in a box (or in the mason's confinement): the
 * front's side. Starts the monitor, hands over plan and payload, pumps the
 * operator's descriptors, forwards signals, returns how it ended.
 */
#ifndef BOX_SESSION_H
#define BOX_SESSION_H

#include <sys/resource.h>

#include "base/buf.h"
#include "base/error.h"
#include "sandbox/limits.h"
#include "sandbox/protocol.h"
#include "sys/proc.h"

/*
 * A session that is begun before its plan is made: its monitor loads, its
 * cgroup and namespaces are made meanwhile.
 */
struct session_early {
	int control;
	struct proc monitor;
	struct limits_cgroup cgroup;
	char name[17]; /* of the registration and the cgroup */
};
#define SESSION_EARLY_INIT                                                                    \
	{                                                                                     \
		.control = -1, .monitor = PROC_INIT, .cgroup = LIMITS_CGROUP_INIT, .name = "" \
	}

/*
 * want->monitor is ours to fill in; want NULL: no cgroup. start: as the plan will say. Errors:
 * notfound (installation incomplete), sys, peer.
 */
int session_begin(const struct limits_want *want, const struct frame_start *start,
		  struct session_early *out, struct error *err);
/* Ends one that was not used. Safe on SESSION_EARLY_INIT. */
void session_drop(struct session_early *e);

/*
 * Whether a session with these limits (want->monitor is ours to fill in) would get a cgroup that
 * holds them: makes one as a session does and drops it. Where not, *why says the reason.
 */
bool session_limits_try(const struct limits_want *want, char why[256]);

struct session_request {
	struct session_early
		*early; /* taken over by session_run(); NULL: it begins one, without cgroup */
	const struct buf *plan;	 /* bytes of plan_finish() */
	const char *const *argv; /* command, NULL-terminated */
	const char *const *envp;
	const char *cwd;     /* inside; NULL: the plan's */
	uint64_t timeout_ms; /* 0: none */
	int box_fd;	     /* box/b/<id>, for session/; -1: not registered */
	int lock_fd; /* the box's lock, held by the monitor too, so that it outlives us; -1: none */
	const char *label; /* for `ls` and traces: the command, already sanitised */
	/* The operator's descriptors; -1: nothing (reads end at once, writes are discarded). */
	int in, out, err;
	bool fed; /* stdin is what session_feed() gives, not `in` */
	/*
	 * Where set, stdout (stderr) is collected here instead: the first capture_max bytes; the
	 * rest is read, thrown away and said in the result.
	 */
	struct buf *capture, *capture_err;
	size_t capture_max;
	bool forward_signals; /* INT TERM HUP QUIT USR1 USR2 go to the command */
};

enum session_end {
	SESSION_EXITED = COMMAND_EXITED,     /* code is the command's */
	SESSION_SIGNALED = COMMAND_SIGNALED, /* signal is set */
	SESSION_TIMED_OUT = COMMAND_TIMED_OUT,
	SESSION_MEMORY = COMMAND_MEMORY, /* killed at the memory limit (cgroup or watchdog) */
	SESSION_CANNOT_EXEC = COMMAND_CANNOT_EXEC,   /* sys is the errno: ENOENT -> 127, else 126 */
	SESSION_CANNOT_ENTER = COMMAND_CANNOT_ENTER, /* cwd cannot be entered: sys */
	SESSION_ENDED =
		COMMAND_ENDED /* told to end from outside (git box abort), or killed from inside */
};

struct session;

struct session_result {
	enum session_end end;
	int code;
	int signal;
	int sys;
	uint64_t wall_us;
	struct rusage usage;  /* of the command and the children it waited for */
	uint64_t peak_memory; /* bytes, 0: unknown */
	bool truncated;	      /* a capture was longer than capture_max */
	bool err_truncated;
};

/* Errors: anything that kept the command from starting, with the failed step in words. */
int session_run(const struct session_request *req, struct session_result *out, struct error *err);

/*
 * The same in parts, for a caller that has something to do meanwhile. What the request points to
 * stays valid until the end. NULL: error as of session_run().
 */
struct session *session_start(const struct session_request *req, struct error *err);
/* Where the request said `fed`, once: the whole stdin, at most SESSION_FEED_MAX bytes. */
#define SESSION_FEED_MAX 4096
int session_feed(struct session *s, const void *data, size_t len, struct error *err);
/* Waits for the command and frees s. */
int session_finish(struct session *s, struct session_result *out, struct error *err);
/* Ends the command, if it was started at all, and frees s. NULL is nothing. */
void session_cancel(struct session *s);

/* Exit code of `run` for a result (DESIGN section 6). */
int session_exit_code(const struct session_result *r);

/*
 * One live command of a box, from session/<id>: one JSON line {id, monitor, monitor_start,
 * started_us, label} in a file that its monitor holds an exclusive flock on while it lives.
 */
struct session_info {
	char id[17];
	pid_t monitor;		/* 0: just starting, the line is not written yet */
	uint64_t monitor_start; /* /proc start time */
	int64_t started_us;
	struct buf label;
};
struct session_list {
	struct session_info *v;
	size_t len;
};
#define SESSION_LIST_INIT           \
	{                           \
		.v = NULL, .len = 0 \
	}
/* Live ones only (their lock is held); stale files are removed. Errors: sys. */
int session_list(int box_fd, struct session_list *out, struct error *err);
void session_list_release(struct session_list *l);
/*
 * Asks every live monitor of the box to end (SIGTERM by pidfd), also those that start meanwhile,
 * and waits. *stopped_out (may be NULL): how many were asked. Errors: busy (still alive after
 * wait_ms), sys.
 */
int session_stop_all(int box_fd, uint64_t wait_ms, size_t *stopped_out, struct error *err);

/* The line of a session file, without newline. Pure; parsing is strict and fuzzed. Errors: corrupt.
 */
void session_info_text(const struct session_info *s, struct buf *out);
int session_info_parse(const char *text, size_t len, struct session_info *out, struct error *err);

#endif
