/*
 * lfs: the files of git-lfs as far as they are data: pointers (its
 * specification, version 1) and the directory of objects. No program of it is
 * run here.
 */
#ifndef STORE_LFS_H
#define STORE_LFS_H

#include "base/buf.h"
#include "crypto/digest.h"

#define LFS_POINTER_MIN 100 /* bytes */
#define LFS_POINTER_MAX 1024

struct lfs_pointer {
	char oid[DIGEST_HEX + 1];
	uint64_t size;
	bool extended; /* further programs would have to make the file from the object */
};

/* False where these bytes, a whole file, are no pointer. Pure. */
bool lfs_pointer_parse(const char *text, size_t len, struct lfs_pointer *out);
/* As git-lfs writes it. Appended. */
void lfs_pointer_text(const struct lfs_pointer *p, struct buf *out);

/* "aa/bb/aabb...": where a directory of objects has it. Appended. */
void lfs_object_path(const char *oid, struct buf *out);

struct lfs_copy {
	const struct lfs_pointer *what;
	mode_t mode;
	bool durable; /* on the disk before it has its name */
};

/*
 * Puts what is read from `from` into the directory of objects dirfd, unless it is there: under its
 * name only with the right digest and size. Errors: corrupt (it is something else), sys.
 */
int lfs_object_add(int dirfd, int from, const struct lfs_copy *how, struct error *err);

#endif
