/*
 * apply: the proposal of a box into the operator's current branch, by its
 * object id. What happens is what `git merge` of that commit would do, except
 * that nothing of the operator's is ever overwritten (not even ignored files),
 * that conflicts leave everything as it was, and that no hook, filter or merge
 * driver runs. The order is: objects, work tree and index, branch, manifest;
 * where it ends in between, the same call again finishes it.
 */
#ifndef BOX_APPLY_H
#define BOX_APPLY_H

#include "box/box.h"
#include "cli/trace.h"
#include "store/changes.h"
#include "store/gate.h"
#include "store/merge.h"

struct apply_request {
	const struct repo *repo;
	const char *name;
	const char *commit;  /* what the operator saw: must be the recorded proposal; NULL: that */
	const char *message; /* of a merge or squash commit; NULL: a default */
	bool squash;	     /* one commit on top of the branch, of the proposal's author */
	struct trace *trace;
};

enum apply_outcome {
	APPLY_ALREADY,	    /* the branch has it; nothing was done */
	APPLY_FAST_FORWARD, /* the branch is the proposal now */
	APPLY_MERGED,	    /* a commit with two parents was made */
	APPLY_SQUASHED,
	APPLY_CONFLICTS /* nothing was done; merge says where */
};

struct apply_result {
	enum apply_outcome outcome;
	char id[BOX_ID_LEN + 1];
	struct buf name;
	struct buf proposal;	    /* commit */
	struct buf branch;	    /* the operator's; "" where HEAD is detached */
	struct buf before, after;   /* commit of that branch; after: "" where it did not move */
	struct gate_report report;  /* of the proposal against the box's base */
	struct change_list changes; /* before -> after */
	struct merge_result merge;  /* conflicts */
	struct strv in_the_way;	    /* also after a failure: the operator's files that kept it */
	struct strv unfiltered;	    /* written files that have a filter, which did not run */
};

void apply_result_init(struct apply_result *r);
void apply_result_release(struct apply_result *r);

/*
 * out: initialised. Errors: notfound (no such box; its proposal is gone), refused (nothing
 * proposed, another commit than that, the gate says no, a merge or the like is in progress, the
 * operator's changes are in the way), busy (commands run in the box, another git holds the branch
 * or the index), unsupported (git too old), peer, sys.
 */
int box_apply(const struct apply_request *req, struct apply_result *out, struct error *err);

#endif
