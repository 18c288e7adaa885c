/*
 * Claims on names (declared in box/layout.h). A claim is an flock on the name's
 * file, so it cannot outlive its maker. Whoever gets the lock looks whether the
 * file is still the one in the directory: its previous holder may have unlinked it.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "box/layout.h"
#include "sys/fd.h"
#include "sys/file.h"

#define CLAIM_TRIES 16
#define NAME_DIR "name/"

/* 1: fd is what path names now; 0: it is not; -1: nobody knows. */
static int still_linked(int dirfd, const char *path, int fd, struct error *err)
{
	struct stat ours, there;

	if (fstat(fd, &ours) < 0)
		return error_sys(err, errno, "cannot look at %s", path);
	if (fstatat(dirfd, path, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : error_sys(err, errno, "cannot look at %s", path);
	return ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* The id that a name's file holds; "" where it holds none. What cannot be read fails. */
static int read_id(const struct box_root *root, const char *name, char id_out[BOX_ID_LEN + 1],
		   struct error *err)
{
	struct error why = ERROR_INIT;

	id_out[0] = '\0';
	if (box_name_id(root, name, id_out, &why) == 0 || why.kind != ERR_SYS)
		return 0;
	*err = why;
	return -1;
}

/* 1: a box with a manifest stands behind the name; 0: none does; -1: nobody knows. */
static int is_taken(const struct box_root *root, const char *name, struct error *err)
{
	char id[BOX_ID_LEN + 1];
	BUF_AUTO manifest = BUF_INIT;

	if (read_id(root, name, id, err) < 0)
		return -1;
	if (!id[0])
		return 0;
	buf_fmt(&manifest, "b/%s/manifest.json", id);
	return file_exists(root->fd, manifest.data);
}

static int write_id(int fd, const char *id, struct error *err)
{
	BUF_AUTO line = BUF_INIT;

	buf_fmt(&line, "%s\n", id);
	if (ftruncate(fd, 0) < 0)
		return error_sys(err, errno, "cannot write the box's name");
	return fd_write_full(fd, line.data, line.len, err);
}

/* What a failed claim leaves: an empty file claims nothing, so whoever sees it may remove it. */
static void drop_empty(const struct box_root *root, const char *path, int fd)
{
	struct error ignored = ERROR_INIT;
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size == 0 &&
	    still_linked(root->fd, path, fd, &ignored) == 1)
		unlinkat(root->fd, path, 0);
}

/* 1: locked; 0: the file was unlinked meanwhile, again; -1: error. */
static int lock_name(const struct box_root *root, const char *path, int fd, struct error *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return error_set(err, ERR_BUSY,
					 "a box of that name is being made right now");
		return error_sys(err, errno, "cannot lock %s", path);
	}
	return still_linked(root->fd, path, fd, err);
}

/* With the lock. 1: the name is ours; 0: somebody without a lock dropped it, again; -1: error. */
static int take_name(const struct box_root *root, const char *path, int fd, const char *id,
		     struct error *err)
{
	const char *name = path + strlen(NAME_DIR);
	int taken = is_taken(root, name, err);
	int linked = -1;

	if (taken < 0)
		return -1;
	if (taken) {
		error_set(err, ERR_EXISTS, "there is a box '%s' already", name);
		return error_hint(err, "git box rm %s, or take another name", name);
	}
	if (write_id(fd, id, err) == 0)
		linked = still_linked(root->fd, path, fd, err);
	if (linked < 0 && ftruncate(fd, 0) < 0)
		error_wrap(err, "the name '%s' stays taken until git box gc", name);
	return linked;
}

int box_name_claim(const struct box_root *root, const char *name, const char *id, struct error *err)
{
	BUF_AUTO path = BUF_INIT;

	if (box_name_check(name, err) < 0)
		return -1;
	buf_fmt(&path, NAME_DIR "%s", name);
	for (int i = 0; i < CLAIM_TRIES; i++) {
		FD_AUTO fd = openat(root->fd, path.data,
				    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		int rc;

		if (fd < 0)
			return error_sys(err, errno, "cannot make %s", path.data);
		rc = lock_name(root, path.data, fd, err);
		if (rc > 0)
			rc = take_name(root, path.data, fd, id, err);
		if (rc > 0)
			return fd_take(&fd);
		if (rc < 0 && err->kind != ERR_BUSY)
			drop_empty(root, path.data, fd);
		if (rc < 0)
			return -1;
	}
	return error_set(err, ERR_BUSY, "the name '%s' is taken and freed by others all the time",
			 name);
}

bool box_name_claimed(const struct box_root *root, const char *name)
{
	BUF_AUTO path = BUF_INIT;
	FD_AUTO fd = -1;

	buf_fmt(&path, NAME_DIR "%s", name);
	fd = openat(root->fd, path.data, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	/* Shared: two lookers do not see each other as makers. */
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

int box_id_claimed(const struct box_root *root, const char *id, bool *out, struct error *err)
{
	STRV_AUTO names = STRV_INIT;

	if (box_names(root, &names, err) < 0)
		return -1;
	*out = false;
	for (size_t i = 0; i < names.len && !*out; i++) {
		struct error ignored = ERROR_INIT;
		char holds[BOX_ID_LEN + 1];

		*out = box_name_id(root, names.v[i], holds, &ignored) == 0 &&
		       strcmp(holds, id) == 0 && box_name_claimed(root, names.v[i]);
	}
	return 0;
}

int box_name_free(const struct box_root *root, const char *name, const char *id, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	char now[BOX_ID_LEN + 1];
	FD_AUTO fd = -1;
	int linked;

	buf_fmt(&path, NAME_DIR "%s", name);
	fd = openat(root->fd, path.data, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : error_sys(err, errno, "cannot open %s", path.data);
	/* Whoever holds the lock is about to take the name. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0
					    : error_sys(err, errno, "cannot lock %s", path.data);
	linked = still_linked(root->fd, path.data, fd, err);
	if (linked <= 0)
		return linked;
	if (read_id(root, name, now, err) < 0)
		return -1;
	if (strcmp(now, id) != 0)
		return 0;
	if (unlinkat(root->fd, path.data, 0) < 0 && errno != ENOENT)
		return error_sys(err, errno, "cannot remove %s", path.data);
	return 0;
}
