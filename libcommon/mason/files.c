/*
 * Single files out of and into a work tree. What the box planted decides what
 * is found: nothing is followed, nothing but a regular file is read, and what is
 * written appears whole or not at all.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/num.h"
#include "mason/mason.h"
#include "store/dotgit.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/rand.h"

#define HEAD_MAX 64

static int check_path(const char *path, struct error *err)
{
	for (const char *p = path; *p;) {
		size_t len = strcspn(p, "/");
		BUF_AUTO name = BUF_INIT;

		buf_add(&name, p, len);
		if (name_is_dotgit(name.data))
			return error_set(err, ERR_REFUSED, "'%s': git takes '%s' for its own", path,
					 name.data);
		p += len + (p[len] == '/');
	}
	return 0;
}

static int open_work(const char *work, struct error *err)
{
	int fd = open(work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? error_sys(err, errno, "cannot open '%s'", work) : fd;
}

/* What a failed look at path means: a symlink and a FIFO without writer are no surprise here. */
static int cannot_open(const char *path, struct error *err)
{
	if (err->sys == ELOOP || err->sys == EXDEV)
		return error_set(err, ERR_REFUSED,
				 "'%s' is a symlink, or below one; they are not followed", path);
	if (err->sys == ENXIO || err->sys == ENODEV)
		return error_set(err, ERR_REFUSED, "'%s' is not a regular file", path);
	if (err->kind == ERR_NOTFOUND)
		return error_set(err, ERR_NOTFOUND, "there is no '%s' in the box", path);
	return -1;
}

static int read_one(int work_fd, const char *path, uint64_t max, struct error *err)
{
	FD_AUTO fd = -1;
	BUF_AUTO head = BUF_INIT;
	struct stat st;

	if (check_path(path, err))
		return -1;
	fd = file_open_beneath(work_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, err);
	if (fd < 0)
		return cannot_open(path, err);
	if (fstat(fd, &st))
		return error_sys(err, errno, "'%s'", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERR_REFUSED, "'%s' is not a regular file", path);
	if ((uint64_t)st.st_size > max)
		return error_set(err, ERR_REFUSED,
				 "'%s' has %lld bytes, more than the limit of %llu", path,
				 (long long)st.st_size, (unsigned long long)max);
	buf_fmt(&head, "file %s %lld\n", st.st_mode & 0111 ? "755" : "644", (long long)st.st_size);
	/* The size counts, however much a command writes meanwhile; one that shrinks is an error.
	 */
	if (fd_write_full(STDOUT_FILENO, head.data, head.len, err) ||
	    fd_copy(fd, STDOUT_FILENO, (uint64_t)st.st_size, err))
		return error_wrap(err, "'%s'", path);
	return 0;
}

int mason_read(const char *work, uint64_t max, const char *const *paths, struct error *err)
{
	FD_AUTO work_fd = open_work(work, err);

	if (work_fd < 0)
		return -1;
	for (; *paths; paths++) {
		if (read_one(work_fd, *paths, max, err))
			return -1;
	}
	return 0;
}

/* One file to be written. */
struct target {
	int dir;
	const char *path; /* borrowed */
	const char *name; /* its last component */
};

static int check_target(const struct target *t, bool replace, struct error *err)
{
	struct stat st;

	if (fstatat(t->dir, t->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : error_sys(err, errno, "'%s'", t->path);
	if (S_ISDIR(st.st_mode))
		return error_set(err, ERR_EXISTS, "'%s' is a directory in the box", t->path);
	if (!replace)
		return error_set(err, ERR_EXISTS, "'%s' is in the box already", t->path);
	return 0;
}

static int open_target(int work_fd, struct target *t, struct error *err)
{
	const char *slash = strrchr(t->path, '/');
	BUF_AUTO dir = BUF_INIT;

	t->name = slash ? slash + 1 : t->path;
	buf_add(&dir, slash ? t->path : ".", slash ? (size_t)(slash - t->path) : 1);
	if (check_path(t->path, err))
		return -1;
	t->dir = file_open_beneath(work_fd, dir.data, O_RDONLY | O_DIRECTORY, 0, err);
	if (t->dir >= 0)
		return 0;
	if (err->sys == ENOTDIR || err->sys == ENOENT)
		return error_set(err, ERR_NOTFOUND, "there is no directory '%s' in the box",
				 dir.data);
	return cannot_open(dir.data, err);
}

/* "file 755 1234\n" */
static int read_head(mode_t *mode, uint64_t *size, struct error *err)
{
	static const char label[] = "file 755 ";
	char line[HEAD_MAX];
	size_t len = 0;

	do {
		if (len == sizeof(line))
			return error_set(err, ERR_PEER, "a head line is too long");
		if (fd_read_full(STDIN_FILENO, line + len, 1, err))
			return -1;
	} while (line[len++] != '\n');
	line[len - 1] = '\0';
	*mode = 0755;
	if (strncmp(line, label, strlen(label)) != 0) {
		*mode = 0644;
		if (strncmp(line, "file 644 ", strlen(label)) != 0)
			return error_set(err, ERR_PEER, "a head line is wrong");
	}
	return num_u64(line + strlen(label), 0, INT64_MAX, size, err);
}

/* Under a name of its own first, so that nobody ever sees a part. */
static int write_one(const struct target *t, bool replace, struct error *err)
{
	BUF_AUTO temp = BUF_INIT;
	FD_AUTO fd = -1;
	uint64_t size = 0;
	char tag[17];
	mode_t mode = 0;
	int rc;

	rand_hex(tag, sizeof(tag) - 1);
	buf_fmt(&temp, ".git-box-%s.tmp", tag);
	if (read_head(&mode, &size, err))
		return -1;
	fd = openat(t->dir, temp.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, errno, "cannot write beside '%s'", t->path);
	rc = fd_copy(STDIN_FILENO, fd, size, err);
	if (!rc && fchmod(fd, mode))
		rc = error_sys(err, errno, "cannot set the mode of '%s'", t->path);
	if (!rc && renameat2(t->dir, temp.data, t->dir, t->name, replace ? 0 : RENAME_NOREPLACE))
		rc = error_sys(err, errno, "cannot give '%s' its name", t->path);
	if (rc)
		unlinkat(t->dir, temp.data, 0);
	return rc;
}

static int write_all(int work_fd, struct target *v, size_t len, bool replace, struct error *err)
{
	for (size_t i = 0; i < len; i++) {
		if (open_target(work_fd, &v[i], err) || check_target(&v[i], replace, err))
			return -1;
	}
	for (size_t i = 0; i < len; i++) {
		if (write_one(&v[i], replace, err))
			return error_wrap(err, "'%s'", v[i].path);
	}
	return 0;
}

int mason_write(const char *work, bool replace, const char *const *paths, struct error *err)
{
	FD_AUTO work_fd = open_work(work, err);
	struct target *v;
	size_t len = 0;
	int rc;

	if (work_fd < 0)
		return -1;
	while (paths[len])
		len++;
	v = xcalloc(len + 1, sizeof(*v));
	for (size_t i = 0; i < len; i++)
		v[i] = (struct target){ .dir = -1, .path = paths[i] };
	rc = write_all(work_fd, v, len, replace, err);
	for (size_t i = 0; i < len; i++)
		fd_close(&v[i].dir);
	free(v);
	return rc;
}
