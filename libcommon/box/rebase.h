/*
 * rebase: a box on another base. Its files become a three-way merge of the old
 * base, the new one and what the box made of them; they are merged in
 * quarantine and written by the mason. HEAD inside starts anew at the new base,
 * with the box's work as changes of the work tree; the old commits stay
 * reachable inside as ORIG_HEAD.
 *
 * From the moment on at which the box's files are written, everything that is
 * needed to finish lies in the box's directory: where it is cut short, nothing
 * runs in the box until the next rebase has finished it.
 */
#ifndef BOX_REBASE_H
#define BOX_REBASE_H

#include "box/box.h"
#include "cli/trace.h"
#include "store/merge.h"

struct rebase_request {
	const struct repo *repo;
	const char *name;
	const char *onto;    /* revision; NULL: the branch that the box was made from */
	bool with_conflicts; /* write them into the box's files, with markers, and go on */
	struct trace *trace;
};

enum rebase_outcome {
	REBASE_UP_TO_DATE,
	REBASE_DONE,
	REBASE_FINISHED, /* one that had been cut short; the request had no say */
	REBASE_CONFLICTS /* nothing was done; merge says where */
};

struct rebase_result {
	enum rebase_outcome outcome;
	char id[BOX_ID_LEN + 1];
	struct buf name;
	struct buf branch;	   /* that the base belongs to; "" for none */
	struct buf before, after;  /* base commits */
	struct merge_result merge; /* conflicts, also those that were written into the box */
};

void rebase_result_init(struct rebase_result *r);
void rebase_result_release(struct rebase_result *r);

/*
 * out: initialised. On failure and on interruption everything is as it was. Errors: notfound (no
 * such box, revision or branch), refused (given up; detached without a revision), unsupported (a
 * tier that is a worktree of git's, where git itself does it), busy, and those of intake_take().
 */
int box_rebase(const struct rebase_request *req, struct rebase_result *out, struct error *err);

/* Success unless a rebase of the box was cut short. Costs one system call. Errors: busy. */
int rebase_check(const struct box *b, struct error *err);

#endif
