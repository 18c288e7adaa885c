/*
 * trial: one command in a plan's confinement, started here without a monitor,
 * with an empty stdin and a kept stdout. For probing only.
 */
#ifndef SANDBOX_TRIAL_H
#define SANDBOX_TRIAL_H

#include "base/buf.h"
#include "base/error.h"
#include "sandbox/protocol.h"

struct trial {
	bool built;		  /* everything was in force and the command was started */
	struct fault fault;	  /* where not: which step */
	struct frame_ended ended; /* where built */
	struct buf out;		  /* what the command wrote to its standard output; release it */
};

/*
 * plan: bytes of plan_finish(). argv: NULL-terminated, argv[0] absolute inside. Ends everything
 * after 10 seconds. 0 also where the confinement could not be built (that is an answer); -1: the
 * trial itself failed. Errors: sys, corrupt (plan), limit (time).
 */
int trial_run(const struct buf *plan, const char *const *argv, struct trial *out,
	      struct error *err);

#endif
