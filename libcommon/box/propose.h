/*
 * propose: a box's work as commits that the host writes in the user's
 * repository. Author is the box, committer the operator, the first parent is
 * the pinned base, and every tree has passed quarantine and gate.
 */
#ifndef BOX_PROPOSE_H
#define BOX_PROPOSE_H

#include "base/strv.h"
#include "box/intake.h"

/*
 * Where the tree comes from, if not from the box's files as they are: fills out (INTAKE_INIT, as
 * intake_take() would). Called under the box's lock, with b->m as it is now.
 */
struct propose_source {
	int (*take)(void *arg, const struct repo *repo, const struct box *b, struct intake *out,
		    struct error *err);
	void *arg;
};

struct propose_request {
	const struct repo *repo;
	const char *name;    /* of the box */
	const char *message; /* NULL: the box's last one, quoted */
	bool series;	     /* one commit for each of the box's */
	const struct propose_source *source; /* NULL: the box's files; else no series */
};

enum propose_outcome {
	PROPOSE_MADE,	   /* a new commit, and the branch points to it */
	PROPOSE_UNCHANGED, /* this very tree is proposed already */
	PROPOSE_NOTHING,   /* the tree is the base's */
	PROPOSE_REFUSED,   /* by the gate: intake.gate says why; nothing was written */
	PROPOSE_OUTCOME_MAX
};

struct propose_result {
	enum propose_outcome outcome;
	struct box box;	      /* as it is now */
	struct buf branch;    /* full name of the ref */
	size_t commits;	      /* that were made */
	struct intake intake; /* tree, what was left out, and how to reach the objects */
	struct strv left;     /* submodules with work that stays in the box, as the box says */
};
void propose_result_init(struct propose_result *r);
void propose_result_release(struct propose_result *r);

/*
 * *out is initialised and released by the caller and must not move. The order is objects, branch,
 * manifest, so a crash leaves the old state or a branch that the next propose recognises as its
 * own. Errors: refused (state of the box), busy (commands run), exists (the branch is not ours, or
 * is checked out), corrupt (the objects are not what was announced), and those of intake_take().
 */
int box_propose(const struct propose_request *req, struct propose_result *out, struct error *err);

/* Full name of the branch for a box's proposals: refs/heads/ + box.branchPrefix ("box/") + name.
 * Appended. Errors: peer. */
int propose_branch(const struct repo *repo, const char *name, struct buf *out, struct error *err);

#endif
