/*
 * layout: where the things of boxes lie (DESIGN section 4). Everything is below
 * $GIT_COMMON_DIR/box (0700), reached by descriptors.
 *
 *	box/b/<id>/work git home tmp         the box's own, writable inside
 *	box/b/<id>/manifest policy lock session/   host only
 *	box/removed/<id>.bundle <id>.json    what rm kept
 *	box/name/<name>                      lock and symlink-free index: file holding the id
 */
#ifndef BOX_LAYOUT_H
#define BOX_LAYOUT_H

#include "base/error.h"
#include "store/repo.h"

#define BOX_ID_LEN 16 /* hex digits */
#define BOX_NAME_MAX 64

/*
 * A name: 1-64 of [a-z0-9._-] (upper case too), first alphanumeric, no "..", not ending in ".lock", ".git" or ".",
 * no "/", usable as the last part of refs/heads/box/<name>. Errors: usage (says the rule and a corrected name).
 */
int box_name_check(const char *name, struct error *err);

struct box_root {
	int fd;		 /* $GIT_COMMON_DIR/box */
	struct buf path; /* absolute */
};
#define BOX_ROOT_INIT { .fd = -1, .path = BUF_INIT }
void box_root_release(struct box_root *r);

/* Opens; makes it (0700, with b/, name/, removed/) where `create`. Checks owner and mode. Errors: notfound (no box was ever made), refused, sys. */
int box_root_open(const struct repo *repo, bool create, struct box_root *out, struct error *err);

/* The id for a name or a unique id prefix (>= 4 digits). Errors: notfound with the nearest name as hint. */
int box_find(const struct box_root *root, const char *name, char id_out[BOX_ID_LEN + 1], struct error *err);

#endif
