/*
 * repo: which repository we are in, found without starting git and without
 * reading any configuration (that costs 2 ms and parses more than we need).
 *
 * Follows gitrepository-layout(5): a .git directory, or a .git file "gitdir:
 * PATH", then `commondir`. A linked worktree gives its own top and the shared
 * common directory. Inherited GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR are accepted
 * only where they name the repository found from the current directory.
 * GIT_CEILING_DIRECTORIES and file system borders end the search as in git.
 */
#ifndef STORE_REPO_H
#define STORE_REPO_H

#include "base/buf.h"
#include "base/error.h"

struct repo {
	struct buf top;	       /* work tree's top, absolute, canonical */
	struct buf git_dir;    /* absolute, canonical */
	struct buf common_dir; /* absolute, canonical */
	struct buf prefix;     /* cwd relative to top, "" at the top, no trailing slash */
	int common_fd;	       /* directory descriptor of common_dir */
};
#define REPO_INIT                                                                                  \
	{                                                                                          \
		.top = BUF_INIT, .git_dir = BUF_INIT, .common_dir = BUF_INIT, .prefix = BUF_INIT,  \
		.common_fd = -1                                                                    \
	}
#define REPO_AUTO __attribute__((cleanup(repo_release))) struct repo

void repo_release(struct repo *r);

/*
 * From the current directory upwards. Paths are bytes, never assumed to be UTF-8.
 * Errors: notfound (not a repository; says so, and names repositories below cwd where there
 * are some), refused (bare; inside .git; owned by somebody else and not in safe.directory;
 * GIT_DIR names another one), unsupported (cwd inside a box's own directory below .git/box/:
 * says to use the box's name from the repository), corrupt (a .git file that leads nowhere).
 */
int repo_discover(struct repo *out, struct error *err);

/*
 * True where path lies below the directory of a box (".../box/b/<id>/..." in a git directory);
 * *git_dir_len is then the length of that git directory's path. Looks at the file system.
 */
bool repo_path_in_box(const char *path, size_t *git_dir_len);

#endif
