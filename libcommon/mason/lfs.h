/*
 * lfs: files that git-lfs keeps out of a repository (store/lfs.h). What its
 * filter would do is done here: no program of it runs outside of a box.
 */
#ifndef MASON_LFS_H
#define MASON_LFS_H

#include "store/git.h"
#include "store/lfs.h"

/*
 * Which paths (NUL-terminated, back to back) have filter=lfs: a byte each is appended to out, 'y'
 * or 'n'. git: a call in the work tree; args and stdio are filled in here. Errors: peer.
 */
int lfs_attributes(const struct git_cmd *git, const struct buf *paths, struct buf *out,
		   struct error *err);

struct lfs_fill {
	const char *work;
	const struct git_cmd *git; /* as checkout_commit() had it */
	const char *objects;	   /* the operator's lfs/objects; "": none */
	size_t hash_len;	   /* of the index */
};

/*
 * After a checkout: gives files that are pointers the content of their objects, where git-lfs is
 * there to take them back; the objects are copied to WORK/../git/lfs/objects. The index knows the
 * files as they are then, so that git finds no change. Lines: "lfs <count> filled", "lfs <count>
 * absent", "lfs <count> program"(needed, but not there), and "lfs-absent <path>" for the first few.
 * Nothing where there are no such files. Errors: peer, corrupt, sys.
 */
int lfs_fill(const struct lfs_fill *f, struct buf *out, struct error *err);

#endif
