#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "box/outside.h"
#include "sys/fd.h"
#include "sys/rand.h"

/* True where path is dir or below it. */
static bool is_within(const char *path, const struct buf *dir)
{
	return strncmp(path, dir->data, dir->len) == 0 &&
	       (path[dir->len] == '/' || path[dir->len] == '\0');
}

static int cannot_open(const char *typed, int saved, struct error *err)
{
	if (saved == ELOOP) {
		error_set(err, ERR_REFUSED, "'%s' is a symlink, or leads through one", typed);
		return error_hint(err, "name the place that it leads to");
	}
	if (saved == ENOTDIR)
		error_set(err, ERR_NOTFOUND, "'%s' is no directory", typed);
	else if (saved == ENOENT)
		error_set(err, ERR_NOTFOUND, "there is no '%s'", typed);
	else
		return error_sys(err, saved, "cannot open '%s'", typed);
	err->sys = saved;
	return -1;
}

static int open_typed(const struct repo *repo, const char *typed, int flags, struct error *err)
{
	bool ours = typed[0] != '/' || is_within(typed, &repo->top);
	struct open_how how = {
		.flags = (uint64_t)(unsigned int)flags | O_CLOEXEC,
		.resolve = ours ? RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS : 0,
	};
	FD_AUTO top = -1;
	long fd;

	if (typed[0] != '/') {
		fd = syscall(SYS_openat2, AT_FDCWD, typed, &how, sizeof(how));
		return fd < 0 ? cannot_open(typed, errno, err) : (int)fd;
	}
	/* The operator's way to the repository may well lead through links. */
	if (!ours) {
		fd = openat(AT_FDCWD, typed, flags | O_CLOEXEC);
		return fd < 0 ? cannot_open(typed, errno, err) : (int)fd;
	}
	top = open(repo->top.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
	typed += repo->top.len;
	typed += strspn(typed, "/");
	fd = top < 0 ? -1 : syscall(SYS_openat2, top, *typed ? typed : ".", &how, sizeof(how));
	return fd < 0 ? cannot_open(typed, errno, err) : (int)fd;
}

/* Hooks, configuration and boxes are nobody's destination. */
static int check_not_git(const struct repo *repo, int dir, const char *typed, struct error *err)
{
	char link[32], path[PATH_MAX];
	ssize_t len;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return error_sys(err, errno, "cannot tell where '%s' is", typed);
	path[len] = '\0';
	if (is_within(path, &repo->common_dir) || is_within(path, &repo->git_dir))
		return error_set(err, ERR_REFUSED, "'%s' is inside of the repository's own %s",
				 typed, repo->common_dir.data);
	return 0;
}

int outside_dir(const struct repo *repo, const char *typed, struct error *err)
{
	FD_AUTO fd = open_typed(repo, *typed ? typed : ".", O_RDONLY | O_DIRECTORY, err);

	if (fd < 0 || check_not_git(repo, fd, typed, err) < 0)
		return -1;
	return fd_take(&fd);
}

int outside_parent(const struct repo *repo, const char *typed, const char **name_out,
		   struct error *err)
{
	const char *slash = strrchr(typed, '/');
	const char *name = slash ? slash + 1 : typed;
	BUF_AUTO parent = BUF_INIT;
	int fd;

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return error_set(err, ERR_USAGE, "'%s' names no file", typed);
	buf_add(&parent, typed, slash == typed ? 1 : slash ? (size_t)(slash - typed) : 0);
	fd = outside_dir(repo, parent.data, err);
	if (fd >= 0)
		*name_out = name;
	return fd;
}

int outside_open(const struct repo *repo, const char *typed, struct error *err)
{
	/* O_NONBLOCK: a FIFO must not wait for a writer. */
	FD_AUTO fd = open_typed(repo, typed, O_RDONLY | O_NONBLOCK | O_NOCTTY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return error_sys(err, errno, "cannot look at '%s'", typed);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERR_REFUSED, "'%s' is not a regular file", typed);
	return fd_take(&fd);
}

static int place(const struct outside_new *n, const char *temp, struct error *err)
{
	struct stat st;

	if (renameat2(n->dir, temp, n->dir, n->name, n->replace ? 0 : RENAME_NOREPLACE) == 0)
		return 0;
	/* A file system without RENAME_NOREPLACE. */
	if (errno == EINVAL && linkat(n->dir, temp, n->dir, n->name, 0) == 0) {
		unlinkat(n->dir, temp, 0);
		return 0;
	}
	if (errno == EEXIST) {
		error_set(err, ERR_EXISTS, "'%s' is there already", n->name);
		return error_hint(err, "--force replaces it");
	}
	if (fstatat(n->dir, n->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		return error_set(err, ERR_EXISTS, "'%s' is a directory", n->name);
	return error_sys(err, errno, "cannot write '%s'", n->name);
}

int outside_write(const struct outside_new *n, int from, uint64_t len, struct error *err)
{
	BUF_AUTO temp = BUF_INIT;
	FD_AUTO fd = -1;
	char tag[17];
	int rc;

	rand_hex(tag, sizeof(tag) - 1);
	buf_fmt(&temp, ".git-box-%s.tmp", tag);
	fd = openat(n->dir, temp.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    n->mode);
	if (fd < 0)
		return error_sys(err, errno, "cannot write '%s'", n->name);
	rc = fd_copy(from, fd, len, err);
	if (rc == 0)
		rc = place(n, temp.data, err);
	if (rc < 0)
		unlinkat(n->dir, temp.data, 0);
	return rc;
}
