/*
 * proposed: what a box proposed, as those need it who show it: the recorded
 * commit, its changes against the base and what the gate flags in it. All of it
 * is of that one object, whatever the box does meanwhile.
 */
#ifndef BOX_PROPOSED_H
#define BOX_PROPOSED_H

#include "box/box.h"
#include "store/gate.h"
#include "store/patch.h"

struct proposed {
	struct buf commit; /* hex */
	struct buf tree;
	struct patch_list files;
	bool *flagged; /* by file: the gate says something of it */
	struct gate_report report;
};
#define PROPOSED_INIT                                                                            \
	{                                                                                        \
		.commit = BUF_INIT, .tree = BUF_INIT, .files = PATCH_LIST_INIT, .flagged = NULL, \
		.report = GATE_REPORT_INIT                                                       \
	}
#define PROPOSED_AUTO __attribute__((cleanup(proposed_release))) struct proposed
void proposed_release(struct proposed *p);

/*
 * Takes the box's lock, shared, and reads b->m again: from here on nobody removes the box or
 * proposes anew. The fd, or -1. Errors: as box_lock(), corrupt.
 */
int proposed_hold(struct box *b, struct error *err);

/*
 * b->m names the proposal. *out (PROPOSED_INIT) is filled. Errors: notfound (there is none: says
 * how to make one; or its commit is gone), refused (the gate does not let it through any more),
 * peer.
 */
int proposed_read(const struct repo *repo, const struct box *b, struct proposed *out,
		  struct error *err);

/* How git reaches the operator's repository. Borrows from repo. */
struct git_cmd proposed_git(const struct repo *repo);

#endif
