#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

int chan_send(int fd, uint16_t type, const void *data, uint32_t len)
{
	struct {
		uint32_t len;
		uint16_t type;
		uint16_t zero;
		unsigned char data[64];
	} frame = { .len = len, .type = type };

	if (len > sizeof(frame.data)) {
		errno = EMSGSIZE;
		return -1;
	}
	memcpy(frame.data, data, len);
	/* Frames are far below the socket's buffer, so a short write means a dead peer. */
	ssize_t want = 8 + (ssize_t)len;
	ssize_t n;
	do {
		n = send(fd, &frame, (size_t)want, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == want ? 0 : -1;
}

static int recv_full(int fd, void *dst, size_t len)
{
	unsigned char *p = dst;

	while (len) {
		ssize_t n = recv(fd, p, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static void take_fds(struct msghdr *msg, struct chan_frame *out)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (out->fds_len < ARRAY_SIZE(out->fds))
				out->fds[out->fds_len++] = fd;
			else
				close(fd);
		}
	}
}

int chan_recv(int fd, struct chan_frame *out)
{
	struct {
		uint32_t len;
		uint16_t type;
		uint16_t zero;
	} head;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * 4)];
	} control;
	struct iovec iov = { .iov_base = &head, .iov_len = sizeof(head) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	memset(out, 0, sizeof(*out));
	do {
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	if (n < 0)
		return -1;
	take_fds(&msg, out);
	if ((size_t)n < sizeof(head) && recv_full(fd, (char *)&head + n, sizeof(head) - (size_t)n))
		return -1;
	if (head.zero || head.len > sizeof(out->data))
		return -1;
	out->type = head.type;
	out->len = head.len;
	return recv_full(fd, out->data, head.len) ? -1 : 1;
}

const struct plan *chan_take_plan(int chan)
{
	struct chan_frame f;
	struct stat st;

	if (chan_recv(chan, &f) != 1 || f.type != FRAME_PLAN || f.fds_len != 1)
		return NULL;
	/* Sealed, and checked by the monitor: it cannot have changed since. */
	if (fstat(f.fds[0], &st))
		return NULL;
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, f.fds[0], 0);
	close(f.fds[0]);
	return p == MAP_FAILED ? NULL : p;
}
