/*
 * create-work: the part of create that differs by the kind of workspace.
 */
#ifndef BOX_CREATE_WORK_H
#define BOX_CREATE_WORK_H

#include "box/create.h"
#include "box/ids.h"
#include "box/mason.h"
#include "store/facts.h"

/* State of one create, passed from step to step. */
struct create {
	const struct create_request *req;
	struct manifest *m; /* being filled; id, ids, home and tier are known early */
	struct strv *notes;
	struct mason_job mason; /* started early, for the ids and the tier that are most likely */
	struct ids early_ids;
	struct repo_questions questions;
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
 * What nothing urgent waits for, to be done by the workspace while its files are written. Start:
 * git is asked for the refs and for the base's pin (c->pin, waited for at the very end). Finish:
 * the refs are in c->facts, the box's records on the disk, the manifest under a name that does not
 * count yet. Errors: sys, notfound (no git), peer.
 */
int create_start_late(struct create *c, struct error *err);
int create_finish_late(struct create *c, struct error *err);

/*
 * The box's directories, and the mason on its way into its confinement while git still answers. A
 * mason that cannot be started is no failure yet: whoever needs it tries again. Errors: sys.
 */
int create_private_start(struct create *c, struct error *err);
/* What needs no answer of git. Errors: sys. */
int create_private_meanwhile(struct create *c, struct error *err);
/* Takes that back, for a box that turned out to have a workspace of another kind. */
void create_private_stop(struct create *c);

const struct create_work *create_work_for(enum tier tier);

extern const struct create_work create_private;	 /* create-private.c: confined tiers */
extern const struct create_work create_worktree; /* create-worktree.c: workspace tier */

#endif
