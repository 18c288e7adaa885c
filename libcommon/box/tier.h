/*
 * tier: the back-ends of boxes, a small table of functions each. Nothing else
 * in the tree asks which tier a box has.
 */
#ifndef BOX_TIER_H
#define BOX_TIER_H

#include "box/box.h"
#include "box/session.h"

struct tier_backend {
	enum tier tier;
	bool confines;	     /* false: says at every use that it does not */
	const char *warning; /* what to say then; NULL where it confines */
	/* Runs req->argv with req->envp in the box; req's plan is the back-end's own. Errors: as
	 * session_run(). */
	int (*run)(const struct box *box, struct session_request *req, struct session_result *out,
		   struct error *err);
};

/* Errors: unsupported (no back-end on this build: names those that exist). */
int tier_backend(enum tier tier, const struct tier_backend **out, struct error *err);

extern const struct tier_backend tier_process;
extern const struct tier_backend tier_workspace;

#endif
