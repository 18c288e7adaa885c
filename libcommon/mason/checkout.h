/*
 * checkout: the files of one commit into one work tree, with an index that
 * keeps git out of its gitlinks' directories.
 */
#ifndef MASON_CHECKOUT_H
#define MASON_CHECKOUT_H

#include "store/git.h"

/*
 * where: a call with git_dir, work_tree, cwd and index_file. For each gitlink a line "submodule
 * <path>" is appended to out, with prefix before the path. Errors: peer, corrupt, limit, sys.
 */
int checkout_commit(const struct git_cmd *where, const char *commit, const char *prefix,
		    struct buf *out, struct error *err);

/* Whether git looks at these entries of the index: paths are NUL-terminated, back to back. Errors:
 * peer. */
int checkout_look_at(const struct git_cmd *where, bool look, const struct buf *paths,
		     struct error *err);

#endif
