#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "box/pump.h"
#include "sys/fd.h"

#define SPLICE_MAX (1u << 20)

struct pollfd pump_poll(const struct pump *p)
{
	struct pollfd none = { .fd = -1 };
	struct pollfd in = { .fd = p->from, .events = POLLIN };
	struct pollfd out = { .fd = p->to, .events = POLLOUT };

	if (p->done)
		return none;
	return p->ready && !p->capture ? out : in;
}

void pump_close(struct pump *p)
{
	if (p->own_from)
		fd_close(&p->from);
	if (p->own_to)
		fd_close(&p->to);
	p->done = true;
}

/* Bytes moved, 0 at the end, -1 with errno. */
static ssize_t by_splice(struct pump *p)
{
	return splice(p->from, NULL, p->to, NULL, SPLICE_MAX, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

/* A pipe or terminal that polls writable takes PIPE_BUF bytes without blocking. */
static ssize_t by_copy(struct pump *p)
{
	char bytes[PIPE_BUF];
	struct error err = ERROR_INIT;
	ssize_t n = read(p->from, bytes, sizeof(bytes));

	if (n > 0 && fd_write_full(p->to, bytes, (size_t)n, &err)) {
		errno = EPIPE;
		return -1;
	}
	return n;
}

static ssize_t by_capture(struct pump *p)
{
	char bytes[PIPE_BUF * 4];
	ssize_t n = read(p->from, bytes, sizeof(bytes));

	if (n <= 0)
		return n;
	size_t room = p->capture_max - p->capture->len;
	if ((size_t)n > room)
		p->overflow = true;
	buf_add(p->capture, bytes, (size_t)n < room ? (size_t)n : room);
	return n;
}

static ssize_t move(struct pump *p)
{
	if (p->capture)
		return by_capture(p);
	if (!p->no_splice) {
		ssize_t n = by_splice(p);
		if (n >= 0 || errno != EINVAL)
			return n;
		p->no_splice = true;
	}
	return by_copy(p);
}

void pump_move(struct pump *p, short revents)
{
	if (p->done || !revents)
		return;
	/* The reader of `to` has gone: nobody wants the rest. */
	if (p->ready && !p->capture && revents & POLLERR) {
		pump_close(p);
		return;
	}
	if (!p->ready && !p->capture) {
		p->ready = true;
		return;
	}
	ssize_t n = move(p);
	p->ready = false;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		pump_close(p);
}
