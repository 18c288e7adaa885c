/*
 * file: files and directories, always relative to a directory descriptor
 * (AT_FDCWD allowed), never following a symlink in the last component.
 */
#ifndef SYS_FILE_H
#define SYS_FILE_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Opens path below dirfd by openat2(RESOLVE_BENEATH|NO_SYMLINKS|NO_MAGICLINKS),
 * O_CLOEXEC added. The fd, or -1. Errors: notfound, sys. For paths below
 * directories that something untrusted may have written.
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

/* Atomic: temporary name beside it (O_EXCL), write, fsync where sync, rename. */
int file_write_atomic(int dirfd, const char *path, const void *data, size_t len, mode_t mode, struct error *err);

/* Plain create (O_EXCL|O_NOFOLLOW): for files in a directory nobody reads yet; no fsync. */
int file_create(int dirfd, const char *path, const void *data, size_t len, mode_t mode, struct error *err);

int file_mkdir(int dirfd, const char *path, mode_t mode, struct error *err);   /* fails: exists */
int file_mkdir_p(int dirfd, const char *path, mode_t mode, struct error *err); /* every missing component */
bool file_exists(int dirfd, const char *path); /* lstat */

/*
 * Removes path and everything below it; a missing path is success. Walks by
 * descriptor, never follows a symlink, never leaves the file system, makes
 * directories u+rwx where needed. Errors: sys.
 */
int file_remove_tree(int dirfd, const char *path, struct error *err);

/* Absolute canonical path (realpath) into out (reset first). Errors: notfound, sys. */
int file_canonical(const char *path, struct buf *out, struct error *err);

#endif
