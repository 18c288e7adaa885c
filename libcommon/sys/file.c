#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sys/fd.h"
#include "sys/file.h"
#include "sys/rand.h"

/* openat2() gives EAGAIN when a rename elsewhere races with "..": give up some time. */
#define BENEATH_TRIES 32
#define READ_CHUNK ((size_t)65536)

static int path_error(struct error *err, int saved, const char *what, const char *path)
{
	error_sys(err, saved, "cannot %s '%s'", what, path);
	if (saved == ENOENT || saved == ENOTDIR)
		err->kind = ERR_NOTFOUND;
	return -1;
}

int file_open_beneath(int dirfd, const char *path, int flags, mode_t mode, struct error *err)
{
	bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
	struct open_how how = {
		.flags = (uint64_t)(unsigned int)flags | O_CLOEXEC,
		.mode = creates ? mode : 0, /* the kernel refuses a mode without a use */
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	errno = EAGAIN;
	for (int i = 0; i < BENEATH_TRIES && fd < 0 && errno == EAGAIN; i++)
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
	if (fd < 0)
		return path_error(err, errno, "open", path);
	return (int)fd;
}

int file_open_dir(int dirfd, const char *path, struct error *err)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return path_error(err, errno, "open directory", path);
	return fd;
}

static int not_regular(struct error *err, const char *path)
{
	return error_set(err, ERR_CORRUPT, "'%s' is not a regular file", path);
}

/* The byte beyond max tells a file that is too long from one that fits exactly. */
static int read_to_end(int fd, const char *path, size_t max, struct buf *out, struct error *err)
{
	size_t start = out->len;

	for (;;) {
		size_t left = max - (out->len - start);
		size_t chunk = left < READ_CHUNK ? left + 1 : READ_CHUNK;
		ssize_t n;

		buf_grow(out, chunk);
		n = read(fd, out->data + out->len, chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return path_error(err, errno, "read", path);
		if (n == 0)
			return 0;
		if ((size_t)n > left)
			return error_set(err, ERR_LIMIT, "'%s' is longer than %zu bytes", path,
					 max);
		out->len += (size_t)n;
		out->data[out->len] = '\0';
	}
}

int file_read(int dirfd, const char *path, size_t max, struct buf *out, struct error *err)
{
	/* O_NONBLOCK: opening a FIFO that somebody put there must not wait for a writer. */
	FD_AUTO fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t start = out->len;
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENXIO))
		return not_regular(err, path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return path_error(err, errno, "open", path);
	if (!S_ISREG(st.st_mode))
		return not_regular(err, path);
	if (read_to_end(fd, path, max, out, err) < 0) {
		buf_truncate(out, start);
		return -1;
	}
	return 0;
}

/* The file behind fd, created as path, gets exactly the mode: a umask of 077 hides nothing. */
static int fill(int fd, const char *path, const struct file_content *content, struct error *err)
{
	if ((content->mode & 077) && fchmod(fd, content->mode) < 0)
		return path_error(err, errno, "set the mode of", path);
	if (fd_write_full(fd, content->data, content->len, err) < 0)
		return error_wrap(err, "'%s'", path);
	return 0;
}

static int create_new(int dirfd, const char *path, mode_t mode, struct error *err)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd < 0 && errno == EEXIST)
		return error_set(err, ERR_EXISTS, "'%s' already exists", path);
	if (fd < 0)
		return path_error(err, errno, "create", path);
	return fd;
}

int file_create(int dirfd, const char *path, struct file_content content, struct error *err)
{
	FD_AUTO fd = create_new(dirfd, path, content.mode, err);

	if (fd < 0)
		return -1;
	if (fill(fd, path, &content, err) < 0) {
		unlinkat(dirfd, path, 0);
		return -1;
	}
	return 0;
}

int file_write_atomic(int dirfd, const char *path, struct file_content content, struct error *err)
{
	char tag[17];
	BUF_AUTO temp = BUF_INIT;
	FD_AUTO fd = -1;
	int rc = 0;

	rand_hex(tag, sizeof(tag) - 1);
	buf_fmt(&temp, "%s.%s.tmp", path, tag);
	fd = create_new(dirfd, temp.data, content.mode, err);
	if (fd < 0)
		return -1;
	if (fill(fd, path, &content, err) < 0)
		rc = -1;
	else if (fsync(fd) < 0)
		rc = path_error(err, errno, "write", path);
	else if (renameat(dirfd, temp.data, dirfd, path) < 0)
		rc = path_error(err, errno, "replace", path);
	if (rc < 0)
		unlinkat(dirfd, temp.data, 0);
	return rc;
}

/* As for files: the umask must not decide, and the name may have changed hands since. */
static int exact_dir_mode(int dirfd, const char *path, mode_t mode, struct error *err)
{
	FD_AUTO fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fchmod(fd, mode) < 0)
		return path_error(err, errno, "set the mode of", path);
	return 0;
}

int file_mkdir(int dirfd, const char *path, mode_t mode, struct error *err)
{
	if (mkdirat(dirfd, path, mode) < 0) {
		if (errno == EEXIST)
			return error_set(err, ERR_EXISTS, "'%s' already exists", path);
		return path_error(err, errno, "create directory", path);
	}
	if ((mode & 077) && exact_dir_mode(dirfd, path, mode, err) < 0) {
		unlinkat(dirfd, path, AT_REMOVEDIR);
		return -1;
	}
	return 0;
}

/* Creates one component; one that is there already is fine where it leads to a directory. */
static int mkdir_component(int dirfd, const char *path, mode_t mode, struct error *err)
{
	struct error why = ERROR_INIT;
	struct stat st;

	if (file_mkdir(dirfd, path, mode, &why) == 0)
		return 0;
	if (fstatat(dirfd, path, &st, 0) == 0 && S_ISDIR(st.st_mode))
		return 0;
	*err = why;
	return -1;
}

int file_mkdir_p(int dirfd, const char *path, mode_t mode, struct error *err)
{
	BUF_AUTO part = BUF_INIT;

	for (const char *p = path; *p;) {
		const char *end = p + strspn(p, "/");

		end += strcspn(end, "/");
		buf_add(&part, p, (size_t)(end - p));
		p = end;
		if (part.data[part.len - 1] != '/' &&
		    mkdir_component(dirfd, part.data, mode, err) < 0)
			return -1;
	}
	return 0;
}

bool file_exists(int dirfd, const char *path)
{
	struct stat st;

	return fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int file_canonical(const char *path, struct buf *out, struct error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		return path_error(err, errno, "resolve", path);
	buf_reset(out);
	buf_str(out, real);
	free(real);
	return 0;
}
