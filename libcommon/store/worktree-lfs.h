/*
 * worktree-lfs: for worktree.c only. Files of git-lfs in the operator's work
 * tree differ from what is stored of them, and no filter is run that would say
 * that they are the same.
 */
#ifndef STORE_WORKTREE_LFS_H
#define STORE_WORKTREE_LFS_H

#include "store/changes.h"

/*
 * True where the file of the change's path, beneath top_fd, is the very object that the pointer
 * c->old_oid names: then nothing of it is the operator's own. Reads the whole file. What cannot be
 * read gives false.
 */
bool worktree_lfs_clean(const struct git_cmd *git, int top_fd, const struct change *c);

#endif
