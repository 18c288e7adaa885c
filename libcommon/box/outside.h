/*
 * outside: files of the operator that a verb writes or reads on the host. What
 * a box proposed may have been applied here, so no symlink is followed inside of
 * the repository, and nothing that is there is written into.
 */
#ifndef BOX_OUTSIDE_H
#define BOX_OUTSIDE_H

#include <sys/types.h>

#include "base/error.h"
#include "store/repo.h"

/*
 * Opens a directory that the operator typed. A relative path, and one in the work tree, may not
 * lead through a symlink. The fd, or -1. Errors: notfound (also: is no directory; sys is ENOTDIR),
 * refused (a symlink; inside of the repository's git directory), sys.
 */
int outside_dir(const struct repo *repo, const char *typed, struct error *err);

/*
 * Splits a path into directory (opened as above) and last component (borrowed from typed). Errors:
 * as above, and usage (no name in it).
 */
int outside_parent(const struct repo *repo, const char *typed, const char **name_out,
		   struct error *err);

/* Opens a regular file for reading, by the same rules. The fd, or -1. Errors: notfound, refused
 * (symlink, not regular), sys. */
int outside_open(const struct repo *repo, const char *typed, struct error *err);

/* A file to be made. */
struct outside_new {
	int dir;
	const char *name;
	mode_t mode;  /* subject to the umask */
	bool replace; /* take the name from what has it, unless that is a directory */
};

/*
 * len bytes from `from` as a new file, which is there as a whole or not at all. Errors: exists,
 * peer (the bytes end early), sys.
 */
int outside_write(const struct outside_new *n, int from, uint64_t len, struct error *err);

#endif
