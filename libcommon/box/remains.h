/*
 * remains: a box directory in whatever condition, and clearing it away.
 */
#ifndef BOX_REMAINS_H
#define BOX_REMAINS_H

#include "box/box.h"

enum remains_kind {
	REMAINS_BOX,	 /* whole */
	REMAINS_DAMAGED, /* manifest or policy cannot be believed, or was lost after commands ran */
	REMAINS_MARKED,	 /* a removal began */
	REMAINS_UNFINISHED /* a create never got to its manifest, or a removal to the last rmdir */
};

struct remains {
	enum remains_kind kind;
	/*
	 * Only a whole box has all of it: else the manifest is the stored one as far as it can be
	 * read, or one made of what the directory shows (id, uid and gid), without a base.
	 */
	struct box box;
	struct error why; /* what is damaged */
};

/* Opens directory b/<id>; release out->box. Errors: notfound, refused, sys. */
int remains_open(const struct box_root *root, const char *id, struct remains *out,
		 struct error *err);

/*
 * The lock of a directory that is no box (any more); of a box: box_lock(). The fd, or -1. Errors:
 * busy, notfound (cleared meanwhile), sys.
 */
int remains_lock(const struct box *b, struct error *err);

/* From here on there is no such box. Durable. */
int remains_mark(const struct box *b, struct error *err);

/*
 * Clears a marked or unfinished directory, its names, and its base pin unless a bundle needs that.
 * The caller holds the box's lock. Errors: the first thing that could not be removed; the rest
 * waits for gc.
 */
int remains_clear(const struct repo *repo, const struct box_root *root, const struct remains *r,
		  struct error *err);

/* Removes a base pin; a missing one is fine. */
int remains_unpin(const struct repo *repo, const char *id, struct error *err);

#endif
