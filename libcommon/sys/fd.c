#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "sys/fd.h"

#define COPY_CHUNK 65536

void fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int fd_dup(int fd, struct error *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (copy < 0)
		return error_sys(err, errno, "cannot copy descriptor %d", fd);
	return copy;
}

int fd_pipe(int out[2], struct error *err)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return error_sys(err, errno, "cannot make a pipe");
	out[0] = pair[0];
	out[1] = pair[1];
	return 0;
}

int fd_socketpair(int type, int out[2], struct error *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
		return error_sys(err, errno, "cannot make a socket pair");
	out[0] = pair[0];
	out[1] = pair[1];
	return 0;
}

int fd_write_full(int fd, const void *data, size_t len, struct error *err)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot write");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int fd_read_full(int fd, void *dst, size_t len, struct error *err)
{
	char *p = dst;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot read");
		if (n == 0)
			return error_set(err, ERR_PEER, "the other side ended %zu bytes early",
					 len);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int fd_copy(int from, int to, uint64_t len, struct error *err)
{
	char bytes[COPY_CHUNK];

	while (len) {
		size_t n = len < sizeof(bytes) ? (size_t)len : sizeof(bytes);

		if (fd_read_full(from, bytes, n, err) < 0 || fd_write_full(to, bytes, n, err) < 0)
			return -1;
		len -= n;
	}
	return 0;
}

int fd_nonblock(int fd, bool on, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		flags = fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
	if (flags < 0)
		return error_sys(err, errno, "cannot set flags of descriptor %d", fd);
	return 0;
}

int fd_sealed(const char *name, const void *data, size_t len, struct error *err)
{
	FD_AUTO fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_sys(err, errno, "cannot make memory file '%s'", name);
	if (fd_write_full(fd, data, len, err) < 0)
		return error_wrap(err, "memory file '%s'", name);
	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return error_sys(err, errno, "cannot seal memory file '%s'", name);
	return fd_take(&fd);
}
