/*
 * lfs: files of git-lfs in a box: what create says of them, what git inside
 * needs, and how their objects come back to the operator.
 */
#ifndef BOX_LFS_H
#define BOX_LFS_H

#include "base/strv.h"
#include "box/box.h"
#include "store/lfs.h"

/* The operator's directory of objects, canonical; "" where there is none. Appended. */
void lfs_objects(const struct repo *r, struct buf *out);

/*
 * Reads the mason's lines after a checkout. A sentence for files that stayed pointers is appended
 * to notes. True where files were filled.
 */
bool lfs_filled(const struct buf *lines, struct strv *notes);

/* Settings with which git inside uses git-lfs, but never asks a server. Appended. */
void lfs_settings(struct buf *out);

/* "<id> <bytes>" of the scribe. Pure. */
bool lfs_take_parse(const char *text, struct lfs_pointer *out);

#define LFS_TAKE_MAX (16ull << 30) /* bytes of all objects */

/*
 * Copies objects that the scribe left in the box's snap/lfs into the operator's directory, each
 * only where it is what its name says. list: "<id> <bytes>". Those that are there stay. Errors:
 * corrupt, limit (too many bytes), notfound, sys.
 */
int lfs_take(const struct repo *repo, const struct box *b, const struct strv *list,
	     struct error *err);

#endif
