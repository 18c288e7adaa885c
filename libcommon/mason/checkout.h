/*
 * checkout: the files of one commit into one work tree, with an index that
 * keeps git out of its gitlinks' directories.
 */
#ifndef MASON_CHECKOUT_H
#define MASON_CHECKOUT_H

#include "store/git.h"

struct checkout_seen {
	const char *prefix; /* in: of paths in lines */
	struct buf *out;    /* "submodule <path>" is appended for each gitlink */
	bool attributes;    /* there is a .gitattributes */
};

/* where: a call with git_dir, work_tree, cwd and index_file. Errors: peer, corrupt, limit, sys. */
int checkout_commit(const struct git_cmd *where, const char *commit, struct checkout_seen *seen,
		    struct error *err);

/* Whether git looks at these entries of the index: paths are NUL-terminated, back to back. Errors:
 * peer. */
int checkout_look_at(const struct git_cmd *where, bool look, const struct buf *paths,
		     struct error *err);

#endif
