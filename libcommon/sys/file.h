/*
 * file: files and directories, always relative to a directory descriptor
 * (AT_FDCWD allowed), never following a symlink in the last component. What is
 * created has exactly the mode asked for, whatever the umask.
 */
#ifndef SYS_FILE_H
#define SYS_FILE_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Opens path below dirfd by openat2(RESOLVE_BENEATH|NO_SYMLINKS|NO_MAGICLINKS),
 * O_CLOEXEC added; mode is subject to the umask. The fd, or -1. Errors: notfound,
 * sys (a symlink: ELOOP; a way out: EXDEV). For paths below directories that
 * something untrusted may have written.
 */
int file_open_beneath(int dirfd, const char *path, int flags, mode_t mode, struct error *err);

/* Opens a directory (O_DIRECTORY|O_CLOEXEC), symlinks in the path allowed: operator's paths. */
int file_open_dir(int dirfd, const char *path, struct error *err);

/*
 * Whole regular file of at most max bytes into out (appended). O_NOFOLLOW and
 * O_NONBLOCK, then fstat regular. Errors: notfound, limit, corrupt (not a
 * regular file), sys.
 */
int file_read(int dirfd, const char *path, size_t max, struct buf *out, struct error *err);

/* A whole file to be written. */
struct file_content {
	const void *data;
	size_t len;
	mode_t mode;
};

/*
 * Atomic: temporary name beside it (O_EXCL), write, fsync, rename. After a crash
 * the old or the new content is there. Errors: notfound, sys.
 */
int file_write_atomic(int dirfd, const char *path, struct file_content content, struct error *err);

/*
 * Plain create (O_EXCL|O_NOFOLLOW): for files in a directory nobody reads yet; no
 * fsync. What could not be filled is removed. Errors: exists, notfound, sys.
 */
int file_create(int dirfd, const char *path, struct file_content content, struct error *err);

/* One directory. Errors: exists, notfound, sys. */
int file_mkdir(int dirfd, const char *path, mode_t mode, struct error *err);

/* Every missing component; existing ones may be symlinks to directories. Errors: exists, sys. */
int file_mkdir_p(int dirfd, const char *path, mode_t mode, struct error *err);

bool file_exists(int dirfd, const char *path); /* lstat */

/*
 * Removes path and everything below it; a missing path is success. Walks by
 * descriptor (a constant number, however deep the tree), never follows a symlink,
 * never enters a mount point, makes directories u+rwx where needed. Stops at the
 * first failure. Errors: sys, busy (somebody moves directories meanwhile).
 */
int file_remove_tree(int dirfd, const char *path, struct error *err);

/* Absolute canonical path (realpath) into out (reset first). Errors: notfound, sys. */
int file_canonical(const char *path, struct buf *out, struct error *err);

#endif
