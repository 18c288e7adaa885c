/*
 * worktree-spots: what lies where files are to be added. git would overwrite
 * ignored files without a word; here they are the operator's like any other.
 */
#ifndef STORE_WORKTREE_SPOTS_H
#define STORE_WORKTREE_SPOTS_H

#include "base/strv.h"
#include "store/changes.h"

struct spots {
	struct strv blocked; /* files of the operator's that lie in the place of a directory, or in
				a directory in the place of a file; some perhaps repeatedly */
	size_t present;	     /* paths at which there is a file already, perhaps the wanted one */
};

/*
 * For every added path. top_fd: the work tree. What changes itself removes is not in the way.
 * out: zeroed but for STRV_INIT. Errors: sys.
 */
int spots_find(int top_fd, const struct change_list *changes, struct spots *out, struct error *err);

/* True where the path, followed through no symlink, is there and no directory. */
bool spots_has_file(int top_fd, const char *path);

#endif
