/*
 * refhold: HEAD moved in two halves, so that files can be brought along in
 * between. The first checks the old value and locks HEAD and its branch, the
 * second moves them. If we die in between, git sees its input end and lets
 * them go as they were.
 */
#ifndef STORE_REFHOLD_H
#define STORE_REFHOLD_H

#include "store/git.h"

struct ref_hold {
	struct git_job job;
	int to_fd; /* git's stdin */
};
#define REF_HOLD_INIT                            \
	{                                        \
		.job = GIT_JOB_INIT, .to_fd = -1 \
	}
#define REF_HOLD_AUTO __attribute__((cleanup(ref_hold_release))) struct ref_hold

struct ref_move {
	const char *from; /* hex */
	const char *to;	  /* hex */
	const char *why;  /* for the reflogs; one line */
};

/* First half, for HEAD; ORIG_HEAD will be `from`. Errors: busy (HEAD is not at `from` any more, or
 * somebody else is moving it), peer. */
int ref_hold_head(const struct repo *r, const struct ref_move *move, struct ref_hold *out,
		  struct error *err);

/* Second half. Errors: peer, limit; HEAD has not moved then. */
int ref_hold_commit(struct ref_hold *h, struct error *err);

/* Lets go of what was not committed. Safe on REF_HOLD_INIT. */
void ref_hold_release(struct ref_hold *h);

#endif
