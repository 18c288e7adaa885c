#include "base/base.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/rd.h"
#include "sys/fd.h"
#include "wire/frame.h"

const struct frame_op *frame_check(const unsigned char head[FRAME_HEAD],
				   const struct frame_rules *rules)
{
	struct rd r = rd_init(head, FRAME_HEAD);
	uint32_t len = rd_u32(&r);
	uint16_t type = rd_u16(&r);
	uint16_t zero = rd_u16(&r);

	for (size_t i = 0; i < rules->ops_len; i++) {
		const struct frame_op *op = &rules->ops[i];

		if (op->type != type)
			continue;
		if (zero || len < op->len_min || len > op->len_max || len > FRAME_MAX)
			return NULL;
		return op->phases & rules->phase ? op : NULL;
	}
	return NULL;
}

static int peer_error(struct error *err, int saved, const char *what)
{
	error_sys(err, saved, "cannot %s a frame", what);
	if (saved == EPIPE || saved == ECONNRESET)
		err->kind = ERR_PEER;
	return -1;
}

/* Room for the descriptors of one frame, aligned as the kernel wants it. */
union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(FRAME_FDS_MAX * sizeof(int))];
};

static void attach(struct msghdr *msg, union control *control, const struct frame_out *frame)
{
	size_t size = frame->fds_len * sizeof(int);
	struct cmsghdr *c;

	memset(control, 0, sizeof(*control));
	msg->msg_control = control->room;
	msg->msg_controllen = CMSG_SPACE(size);
	c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), frame->fds, size);
}

int frame_send(int sock, const struct frame_out *frame, struct error *err)
{
	unsigned char bytes[FRAME_HEAD + FRAME_MAX] = { 0 };
	struct iovec iov = { .iov_base = bytes, .iov_len = FRAME_HEAD + (size_t)frame->len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control;

	if (frame->len > FRAME_MAX || frame->fds_len > FRAME_FDS_MAX)
		BUG("frame %u of %u bytes, %u descriptors", frame->type, frame->len,
		    frame->fds_len);
	for (size_t i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(frame->len >> (8 * i));
	bytes[4] = (unsigned char)frame->type;
	bytes[5] = (unsigned char)(frame->type >> 8);
	if (frame->len)
		memcpy(bytes + FRAME_HEAD, frame->data, frame->len);
	if (frame->fds_len)
		attach(&msg, &control, frame);
	while (iov.iov_len) {
		ssize_t n = sendmsg(sock, &msg, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return peer_error(err, errno, "send");
		iov.iov_base = (unsigned char *)iov.iov_base + n;
		iov.iov_len -= (size_t)n;
		msg.msg_control = NULL; /* they went with the first byte */
		msg.msg_controllen = 0;
	}
	return 0;
}

/* Owns every descriptor that came, also the ones that are one too many. */
static void detach(struct msghdr *msg, struct frame *f, bool *bad)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (f->fds_len < FRAME_FDS_MAX) {
				f->fds[f->fds_len++] = fd;
				continue;
			}
			fd_close(&fd);
			*bad = true;
		}
	}
}

/*
 * len bytes. Descriptors go to f with the first of them, where f is not NULL; the
 * kernel drops any others and says so. Returns the bytes read: fewer than len
 * only at the end of the stream. -1 on error.
 */
static ssize_t receive(int sock, void *dst, size_t len, struct frame *f, struct error *err)
{
	size_t have = 0;
	bool bad = false;

	while (have < len) {
		union control control;
		struct iovec iov = { .iov_base = (char *)dst + have, .iov_len = len - have };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
		ssize_t n;

		if (f && have == 0) {
			msg.msg_control = control.room;
			msg.msg_controllen = sizeof(control.room);
		}
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return peer_error(err, errno, "receive");
		if (f && msg.msg_controllen)
			detach(&msg, f, &bad);
		if (bad || (msg.msg_flags & MSG_CTRUNC))
			return error_set(err, ERR_PEER, "descriptors where none belong");
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* 1: whole frame; 0: end of the stream; -1: error. f->fds hold what came in any case. */
static int receive_frame(int sock, const struct frame_rules *rules, struct frame *f,
			 struct error *err)
{
	unsigned char head[FRAME_HEAD] = { 0 };
	struct rd r = rd_init(head, sizeof(head));
	const struct frame_op *op;
	ssize_t n = receive(sock, head, sizeof(head), f, err);

	if (n <= 0)
		return (int)n;
	if (n < FRAME_HEAD)
		return error_set(err, ERR_PEER, "the stream ended inside the head of a frame");
	f->len = rd_u32(&r);
	f->type = rd_u16(&r);
	op = frame_check(head, rules);
	if (!op)
		return error_set(err, ERR_PEER, "frame of type %u and %u bytes refused", f->type,
				 f->len);
	if (f->fds_len != op->fds)
		return error_set(err, ERR_PEER, "frame '%s' with %u descriptors, not %u", op->name,
				 f->fds_len, op->fds);
	n = receive(sock, f->data, f->len, NULL, err);
	if (n < 0)
		return -1;
	if ((size_t)n < f->len)
		return error_set(err, ERR_PEER, "the stream ended inside frame '%s'", op->name);
	return 1;
}

int frame_recv(int sock, const struct frame_rules *rules, struct frame *out, struct error *err)
{
	struct frame f = { 0 };
	int rc = receive_frame(sock, rules, &f, err);

	if (rc > 0)
		*out = f;
	else
		frame_close_fds(&f);
	return rc;
}

void frame_close_fds(struct frame *f)
{
	for (size_t i = 0; i < f->fds_len; i++)
		fd_close(&f->fds[i]);
	f->fds_len = 0;
}
