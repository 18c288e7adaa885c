/*
 * work: what a box holds beyond its base, how that is kept and how it is
 * removed, by the kind of workspace: a private one that only the mason
 * touches, or the plain git worktree of the `workspace` tier.
 */
#ifndef BOX_WORK_H
#define BOX_WORK_H

#include "box/box.h"

struct work_found {
	bool differs;       /* files are not those of the base */
	bool commits_known; /* false: the box could not be asked */
	uint64_t commits;   /* beyond the base; claimed by the box */
};

struct work_ops {
	int (*look)(const struct repo *repo, const struct box *b, struct work_found *out,
		    struct error *err);
	/* After a look() that found a difference: writes a git bundle of the files to fd. */
	int (*bundle)(const struct repo *repo, const struct box *b, int fd, struct error *err);
	/* Removes all content that the box could write; the emptied directories may stay. */
	int (*empty)(const struct repo *repo, const struct box *b, struct error *err);
};

const struct work_ops *work_ops_for(enum tier tier);

extern const struct work_ops work_private;  /* work-private.c */
extern const struct work_ops work_worktree; /* work-worktree.c */

/* Directories of a box that something untrusted may have written, NULL-terminated. */
extern const char *const work_dirs[];

#endif
