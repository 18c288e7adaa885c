#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "base/strv.h"
#include "sys/fd.h"
#include "sys/file.h"

/*
 * One directory on the way down. Only the deepest one is open: a tree may be
 * deeper than the limit on descriptors. The way back is "..", believed only
 * where it leads to the very directory that we came from.
 */
struct level {
	char *name;
	dev_t dev;
	ino_t ino;
	struct strv dirs; /* subdirectories still to remove */
	unsigned int tries;
};

struct walk {
	int fd; /* the deepest level */
	struct level *levels;
	size_t len;
	size_t cap;
};
#define WALK_AUTO __attribute__((cleanup(walk_release))) struct walk

/* A file system may hide entries from a listing during which others are removed. */
#define RESCANS_MAX 8

static void level_release(struct level *l)
{
	free(l->name);
	strv_release(&l->dirs);
}

static void walk_release(struct walk *w)
{
	fd_close(&w->fd);
	while (w->len)
		level_release(&w->levels[--w->len]);
	free(w->levels);
}

static int remove_error(struct error *err, int saved, const char *name)
{
	return error_sys(err, saved, "cannot remove '%s'", name);
}

/* The directory behind an O_PATH handle, readable: its owner's permissions are added if need be. */
static int open_handle(int handle)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
	fd = open(self, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES && chmod(self, 0700) == 0)
		fd = open(self, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

/* Opens a subdirectory; neither a symlink nor a mount point. */
static int open_subdir(int dirfd, const char *name, struct error *err)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	FD_AUTO handle = -1;
	int fd;

	fd = (int)syscall(SYS_openat2, dirfd, name, &how, sizeof(how));
	if (fd < 0 && errno == EACCES) {
		how.flags |= O_PATH;
		handle = (int)syscall(SYS_openat2, dirfd, name, &how, sizeof(how));
		fd = handle < 0 ? -1 : open_handle(handle);
	}
	return fd < 0 ? remove_error(err, errno, name) : fd;
}

static int open_top(int dirfd, const char *path, struct error *err)
{
	FD_AUTO handle = openat(dirfd, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct statx stx;
	int fd;

	if (handle < 0 || statx(handle, "", AT_EMPTY_PATH, STATX_INO, &stx) < 0)
		return remove_error(err, errno, path);
	if (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return remove_error(err, EBUSY, path);
	fd = open_handle(handle);
	return fd < 0 ? remove_error(err, errno, path) : fd;
}

/* Makes fd (consumed) the deepest level. */
static int push(struct walk *w, int fd, const char *name, struct error *err)
{
	struct stat st;

	fd_close(&w->fd);
	w->fd = fd;
	if (fstat(fd, &st) < 0)
		return remove_error(err, errno, name);
	if ((st.st_mode & 0700) != 0700 && fchmod(fd, st.st_mode | 0700) < 0)
		return remove_error(err, errno, name);
	if (w->len == w->cap) {
		w->cap = size_add(size_mul(w->cap, 2), 16);
		w->levels = xrealloc(w->levels, size_mul(w->cap, sizeof(*w->levels)));
	}
	w->levels[w->len++] = (struct level){
		.name = xstrdup(name), .dev = st.st_dev, .ino = st.st_ino, .dirs = STRV_INIT
	};
	return 0;
}

static int remove_entry(int fd, const struct dirent *e, struct level *l, struct error *err)
{
	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
		return 0;
	if (e->d_type != DT_DIR) {
		if (unlinkat(fd, e->d_name, 0) == 0 || errno == ENOENT)
			return 0;
		if (errno != EISDIR)
			return remove_error(err, errno, e->d_name);
	}
	strv_add(&l->dirs, e->d_name);
	return 0;
}

/* Removes all but the subdirectories of the deepest level and notes those. */
static int scan(struct walk *w, struct error *err)
{
	struct level *l = &w->levels[w->len - 1];
	FD_AUTO copy = openat(w->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	int rc = 0;

	if (!dir)
		return remove_error(err, errno, l->name);
	fd_take(&copy); /* belongs to dir now */
	for (errno = 0; rc == 0 && (e = readdir(dir)); errno = 0)
		rc = remove_entry(w->fd, e, l, err);
	if (rc == 0 && errno)
		rc = remove_error(err, errno, l->name);
	closedir(dir);
	return rc;
}

/* Leaves the deepest level, which has been emptied, for the one above it and removes it there. */
static int pop(struct walk *w, struct error *err)
{
	struct level *l = &w->levels[w->len - 1];
	struct level *above = &w->levels[w->len - 2];
	FD_AUTO up = openat(w->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (up < 0 || fstat(up, &st) < 0)
		return remove_error(err, errno, l->name);
	if (st.st_dev != above->dev || st.st_ino != above->ino)
		return error_set(err, ERR_BUSY, "cannot remove '%s': it was moved meanwhile",
				 l->name);
	if (unlinkat(up, l->name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
		if (errno != ENOTEMPTY || l->tries++ == RESCANS_MAX)
			return remove_error(err, errno, l->name);
		return scan(w, err);
	}
	fd_close(&w->fd);
	w->fd = fd_take(&up);
	level_release(l);
	w->len--;
	return 0;
}

/* One step: down into the next subdirectory, or up where there is none. */
static int step(struct walk *w, struct error *err)
{
	struct level *l = &w->levels[w->len - 1];
	char *name;
	int fd, rc;

	if (l->dirs.len == 0)
		return pop(w, err);
	name = l->dirs.v[--l->dirs.len];
	l->dirs.v[l->dirs.len] = NULL;
	fd = open_subdir(w->fd, name, err);
	rc = fd < 0 ? -1 : push(w, fd, name, err);
	free(name);
	return rc < 0 ? -1 : scan(w, err);
}

static int empty_directory(int dirfd, const char *path, struct error *err)
{
	WALK_AUTO w = { .fd = -1 };
	int fd = open_top(dirfd, path, err);

	if (fd < 0 || push(&w, fd, path, err) < 0 || scan(&w, err) < 0)
		return -1;
	while (w.len > 1 || w.levels[0].dirs.len)
		if (step(&w, err) < 0)
			return -1;
	return 0;
}

int file_remove_tree(int dirfd, const char *path, struct error *err)
{
	if (unlinkat(dirfd, path, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return remove_error(err, errno, path);
	for (unsigned int tries = 0; tries <= RESCANS_MAX; tries++) {
		if (empty_directory(dirfd, path, err) < 0)
			return -1;
		if (unlinkat(dirfd, path, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != ENOTEMPTY)
			break;
	}
	return remove_error(err, errno, path);
}
