/*
 * trees: the tree objects of a roster, made for those directories alone in
 * which something changed, by one git.
 */
#ifndef MASON_TREES_H
#define MASON_TREES_H

#include "mason/roster.h"
#include "store/git.h"

/*
 * After this every directory that holds anything has MODE_DIR and its tree's id; the root always
 * has. *made_out: how many objects were written. Errors: peer, sys.
 */
int trees_make(struct roster *t, const struct git_cmd *git, uint64_t *made_out, struct error *err);

#endif
