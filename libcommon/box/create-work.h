/*
 * create-work: the part of create that differs by the kind of workspace.
 */
#ifndef BOX_CREATE_WORK_H
#define BOX_CREATE_WORK_H

#include "box/create.h"
#include "store/facts.h"

/* State of one create, passed from step to step. */
struct create {
	const struct create_request *req;
	struct manifest *m; /* being filled; id, ids, home and tier are known early */
	struct strv *notes;
	struct repo_facts facts;
	struct git_job refs; /* the part of the facts that is waited for late */
	struct git_job pin;
	struct policy policy;
	struct box_root root;
	int claim;  /* on the name */
	int box_fd; /* box/b/<id> */
	int lock;
	struct buf path; /* absolute path of box_fd */
};

struct create_work {
	bool own_ids; /* as root, commands get ids of their own */
	/* Fills the box's directory. Errors: peer, sys, unsupported. */
	int (*make)(struct create *c, struct error *err);
	/* What removing the directory alone would leave. */
	void (*undo)(struct create *c);
};

/*
 * Starts what nothing urgent waits for: the refs (c->refs, to be finished by the workspace) and the
 * base's pin (c->pin, finished before the manifest is written). Errors: sys, notfound (no git).
 */
int create_start_late(struct create *c, struct error *err);

const struct create_work *create_work_for(enum tier tier);

extern const struct create_work create_private;	 /* create-private.c: confined tiers */
extern const struct create_work create_worktree; /* create-worktree.c: workspace tier */

#endif
