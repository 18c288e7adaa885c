/*
 * keep: what rm keeps below removed/: <id>.bundle, and <id>.json that says what it is.
 */
#ifndef BOX_KEEP_H
#define BOX_KEEP_H

#include "box/work.h"

struct kept {
	struct buf path;   /* of the bundle, absolute */
	struct buf ref;    /* tip in it */
	struct buf commit; /* its hex id */
};
void kept_release(struct kept *k);

/* Bundles the box's files, durably. Errors: corrupt (not a bundle), sys and those of ops->bundle.
 */
int keep_store(const struct repo *repo, const struct box_root *root, const struct box *b,
	       struct kept *out, struct error *err);

/* First ref of a bundle's head, strictly read. Pure. Errors: corrupt. */
int keep_parse_head(const char *text, size_t len, struct buf *ref, struct buf *commit,
		    struct error *err);

/* Ids of which anything is kept, sorted. Errors: sys. */
int keep_ids(const struct box_root *root, struct strv *out, struct error *err);

/* True where a bundle of that id is there. */
bool keep_exists(const struct box_root *root, const char *id);

/* When it was kept, microseconds since the epoch; INT64_MAX: nothing is kept. */
int64_t keep_time(const struct box_root *root, const char *id);

/* Removes bundle and record. Errors: sys. */
int keep_drop(const struct box_root *root, const char *id, struct error *err);

#endif
