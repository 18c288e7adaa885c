/*
 * worktree: the operator's own files and index brought from one commit to
 * another as `git merge` does it: what differs between the two is written, and
 * whatever else is changed, staged, untracked or ignored stays as it is. Nothing
 * is touched where a path of the difference holds something of the operator's.
 *
 * git writes, with the operator's sparse patterns and end-of-line settings, but
 * without hooks and filter programs (they are switched off in the call): a file
 * with a filter attribute is written as it is stored, an LFS file as its pointer,
 * which git's own tools take up from there.
 */
#ifndef STORE_WORKTREE_H
#define STORE_WORKTREE_H

#include "base/strv.h"
#include "store/changes.h"

struct worktree_move {
	const struct git_cmd *git; /* git_dir, work_tree and cwd (both the top), filters off */
	const char *from;	   /* commit of HEAD, hex */
	const char *to;
	const struct change_list *changes; /* from -> to */
	bool resumed; /* a call with the same trees was cut short: what it wrote in part is ours */
};

/*
 * Either all of it is done or nothing, but for a git that dies while it writes; then the same call
 * finishes the work: a file that already has the wanted content is in nobody's way, and `resumed`
 * lets it complete one that holds only the beginning. in_the_way: the paths because of which it was
 * refused, sorted. Errors: refused, busy (another git holds the index), peer, sys.
 */
int worktree_move(const struct worktree_move *m, struct strv *in_the_way, struct error *err);

/* Back to `from`, also where the move never took place. Errors: peer. */
int worktree_move_back(const struct worktree_move *m, struct error *err);

#endif
