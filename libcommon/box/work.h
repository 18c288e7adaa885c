/*
 * work: what a box holds beyond its base, how that is kept and how it is
 * removed, by the kind of workspace: a private one that only the mason
 * touches, or the plain git worktree of the `workspace` tier.
 */
#ifndef BOX_WORK_H
#define BOX_WORK_H

#include "box/scribe.h"

struct work_found {
	bool differs; /* files are neither those of the base nor those of a proposal that some ref
			 of the repository still holds */
	bool commits_known; /* false: the box could not be asked */
	uint64_t commits;   /* beyond the base; claimed by the box */
	/* with work in them, as the box says; all where it could not be asked */
	uint64_t submodules;
};

struct work_ops {
	int (*look)(const struct repo *repo, const struct box *b, struct work_found *out,
		    struct error *err);
	/* The files as a tree: of a confined box by the scribe, with its pack. Locks as for
	 * scribe_take(). */
	int (*take)(const struct repo *repo, const struct box *b, enum scribe_how how,
		    struct scribe_report *out, struct error *err);
	/* After a look() that found a difference: writes a git bundle of the files to fd. */
	int (*bundle)(const struct repo *repo, const struct box *b, int fd, struct error *err);
	/* Removes all content that the box could write; the emptied directories may stay. */
	int (*empty)(const struct repo *repo, const struct box *b, struct error *err);
};

const struct work_ops *work_ops_for(enum tier tier);

/*
 * True where tree is the one of the box's proposal and a ref of the repository holds that commit:
 * to remove the files then loses nothing.
 */
bool work_is_proposed(const struct repo *repo, const struct box *b, const char *tree);

extern const struct work_ops work_private;  /* work-private.c */
extern const struct work_ops work_worktree; /* work-worktree.c */

/* Directories of a box that something untrusted may have written, NULL-terminated. */
extern const char *const work_dirs[];

#endif
