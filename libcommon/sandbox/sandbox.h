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
 * Clones init, which builds everything by itself (failures arrive on the
 * channels as FRAME_FAULT). plan is checked (plan_check) and stays mapped.
 * cgroup_fd: where init is born, or -1. Signals must be blocked: init inherits
 * the mask. 0, or -1 with *f.
 */
int sandbox_start(const struct plan *plan, int cgroup_fd, struct sandbox *out, struct fault *f);

/* SIGKILLs init and so everything inside, reaps it, closes the descriptors. Safe on SANDBOX_INIT.
 */
void sandbox_kill(struct sandbox *s);

/*
 * Words for a fault: which step, on what (from the plan), why, and the usual
 * cause and fix where the errno speaks. plan may be NULL. Always returns -1.
 */
int sandbox_fault_error(const struct fault *f, const struct plan *plan, struct error *err);

#endif
