/*
 * private: the box's own git directory, in which anything may lie. Files are
 * read and written singly, through no symlink; no git ever sees it here.
 */
#ifndef MASON_PRIVATE_H
#define MASON_PRIVATE_H

#include "mason/mason.h"

/*
 * The branch starts at the base and HEAD points to it; refs of the host are as in `refs` (packed),
 * those that only the box packed are kept. What git keeps of a merge, rebase or the like that was
 * in progress is removed. Errors: sys.
 */
int private_set_base(int git_fd, const struct mason_rebase *base, const struct buf *refs,
		     struct error *err);

/* Two lists as in a packed-refs file, each sorted; where both have a ref, ours counts. Pure.
 * Appended. */
void private_merge_refs(const struct buf *ours, const struct buf *theirs, struct buf *out);

#endif
