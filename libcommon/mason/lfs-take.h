/*
 * lfs-take: what git-lfs's filter would make of changed files: pointers in the
 * tree, and objects beside it.
 */
#ifndef MASON_LFS_TAKE_H
#define MASON_LFS_TAKE_H

#include "mason/contents.h"
#include "store/lfs.h"

struct lfs_file {
	uint32_t found; /* which of the walk's files */
	struct lfs_pointer pointer;
	unsigned char blob[ROSTER_OID_MAX]; /* of the pointer, which is stored */
};

struct lfs_files {
	struct lfs_file *v; /* in the order of the walk's files */
	size_t len;
	size_t cap;
};
#define LFS_FILES_INIT                        \
	{                                     \
		.v = NULL, .len = 0, .cap = 0 \
	}
#define LFS_FILES_AUTO __attribute__((cleanup(lfs_files_release))) struct lfs_files
void lfs_files_release(struct lfs_files *l);

/*
 * Those of `left` (indices into found->v) that git-lfs would put a pointer in the place of. Neither
 * empty files nor pointers are. Asks git nothing where no attributes speak of lfs. Errors: peer
 * (also: a file changes meanwhile), sys.
 */
int lfs_find(const struct contents *c, const struct walk_result *found, const struct picks *left,
	     struct lfs_files *out, struct error *err);

/* Copies the object of a file to SNAPDIR/lfs. Errors: peer (the file is another by now), sys. */
int lfs_keep(const struct contents *c, const struct walk_result *found, const struct lfs_file *f,
	     struct error *err);

#endif
