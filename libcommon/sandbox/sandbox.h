/*
 * sandbox: starting the confinement that a plan describes; the parent's side.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <sys/types.h>

#include "base/error.h"
#include "sandbox/plan.h"
#include "sandbox/protocol.h"

struct sandbox {
	pid_t pid; /* init, as we see it */
	int pidfd;
	int init_chan;	  /* FRAME_FAULT, or end of file: every process of the session is dead */
	int spawner_chan; /* FRAME_EXEC, FRAME_SIGNAL out; FRAME_ENDED, FRAME_FAULT in */
};
#define SANDBOX_INIT                                                        \
	{                                                                   \
		.pid = -1, .pidfd = -1, .init_chan = -1, .spawner_chan = -1 \
	}

/*
 * Clones init, which begins with what needs no plan: namespaces, an empty
 * root, the network. cgroup_fd: where init is born, or -1. Signals must be
 * blocked: init inherits the mask. 0, or -1 with *f.
 */
int sandbox_start(const struct frame_start *start, int cgroup_fd, struct sandbox *out,
		  struct fault *f);

/*
 * Hands the plan over (sealed memfd, checked by plan_check(), uid, gid and network as
 * said at the start); the rest is built by itself, failures arrive on the channels
 * as FRAME_FAULT. Errors: peer, sys.
 */
int sandbox_build(const struct sandbox *s, int plan_fd, struct error *err);

/* SIGKILLs init and so everything inside, reaps it, closes the descriptors. Safe on SANDBOX_INIT.
 */
void sandbox_kill(struct sandbox *s);

/*
 * Words for a fault: which step, on what (from the plan), why, and the usual
 * cause and fix where the errno speaks. plan may be NULL. Always returns -1.
 */
int sandbox_fault_error(const struct fault *f, const struct plan *plan, struct error *err);

#endif
