/* pump: bytes from one descriptor to another, whatever the two of them are and do. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "box/pump.h"
#include "sys/fd.h"

#define LARGE (300u << 10) /* several pipes full */

/* Polls and moves until it is done or nothing happens for a while. True where it is done. */
static bool drive(struct pump *p)
{
	while (!p->done) {
		struct pollfd pfd = pump_poll(p);

		if (poll(&pfd, 1, 5000) <= 0)
			return false;
		pump_move(p, pfd.revents);
	}
	return true;
}

static int file_with(const char *data, size_t len)
{
	int fd = memfd_create("data", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* A pipe whose writer is a child that writes all of data; like a command's stdout. */
static int pipe_with(const struct buf *data)
{
	struct error err = ERROR_INIT;
	int p[2];

	cr_assert_eq(fd_pipe(p, &err), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(p[0]);
		_exit(fd_write_full(p[1], data->data, data->len, &err) ? 1 : 0);
	}
	close(p[1]);
	return p[0];
}

static void fill(struct buf *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_char(b, (char)(i * 131 + (i >> 8)));
}

static bool same(int fd, const struct buf *want)
{
	char bytes[4096];
	size_t at = 0;

	for (ssize_t n; (n = pread(fd, bytes, sizeof(bytes), (off_t)at)) > 0; at += (size_t)n) {
		if (at + (size_t)n > want->len || memcmp(bytes, want->data + at, (size_t)n) != 0)
			return false;
	}
	return at == want->len;
}

Test(pump, moves_everything)
{
	static const struct {
		size_t len;
		int flags; /* of the file that is written to: O_APPEND is not spliced to */
	} rows[] = { { 0, 0 }, { 1, 0 }, { LARGE, 0 }, { 1, O_APPEND }, { LARGE, O_APPEND } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		BUF_AUTO data = BUF_INIT;
		FD_AUTO to = memfd_create("to", MFD_CLOEXEC);
		fill(&data, rows[i].len);
		cr_assert_eq(fcntl(to, F_SETFL, rows[i].flags), 0);
		struct pump p = { .from = pipe_with(&data), .to = to, .own_from = true };

		cr_assert(drive(&p), "row %zu", i);
		cr_expect(same(to, &data), "row %zu", i);
		cr_expect_eq(p.from, -1, "row %zu: what it owns is closed", i);
		cr_expect_eq(fcntl(to, F_GETFD), FD_CLOEXEC, "row %zu: others' stays open", i);
		wait(NULL);
	}
}

/* Regular file, socket, /dev/null and a closed end as the operator's stdin. */
Test(pump, takes_any_source)
{
	BUF_AUTO data = BUF_INIT;
	fill(&data, 50000);
	int pair[2];
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	cr_assert_eq(write(pair[0], data.data, data.len), (ssize_t)data.len);
	close(pair[0]);
	const struct {
		int from;
		size_t len;
	} rows[] = {
		{ file_with(data.data, data.len), data.len },
		{ pair[1], data.len },
		{ open("/dev/null", O_RDONLY | O_CLOEXEC), 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		BUF_AUTO got = BUF_INIT;
		int out[2];
		cr_assert_eq(fd_pipe(out, &err), 0);
		struct pump in = {
			.from = rows[i].from, .to = out[1], .own_from = true, .own_to = true
		};
		struct pump end = { .from = out[0], .own_from = true, .capture = &got,
				    .capture_max = SIZE_MAX };

		/* The pipe holds it all: 50 000 bytes of 64 KiB. */
		cr_assert(drive(&in), "row %zu", i);
		cr_assert(drive(&end), "row %zu: the write end was not closed", i);
		cr_expect_eq(got.len, rows[i].len, "row %zu", i);
		cr_expect_eq(memcmp(got.data, data.data, got.len), 0, "row %zu", i);
	}
}

Test(pump, capture_keeps_the_head)
{
	static const struct {
		size_t len, max, kept;
		bool overflow;
	} rows[] = {
		{ 0, 10, 0, false },	     { 9, 10, 9, false },	{ 10, 10, 10, false },
		{ 11, 10, 10, true },	     { 1, 0, 0, true },		{ 0, 0, 0, false },
		{ LARGE, 100000, 100000, true }, { LARGE, LARGE, LARGE, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		BUF_AUTO data = BUF_INIT;
		BUF_AUTO got = BUF_INIT;
		fill(&data, rows[i].len);
		struct pump p = { .from = pipe_with(&data), .to = -1, .own_from = true,
				  .capture = &got, .capture_max = rows[i].max };

		cr_assert(drive(&p), "row %zu", i);
		cr_expect_eq(got.len, rows[i].kept, "row %zu: %zu", i, got.len);
		cr_expect_eq(memcmp(got.data, data.data, got.len), 0, "row %zu", i);
		cr_expect_eq(p.overflow, rows[i].overflow, "row %zu", i);
		wait(NULL);
	}
}

/* A terminal that was stopped, a pager that does not read: nothing may hang in a write. */
Test(pump, never_blocks_on_a_full_pipe, .timeout = 10)
{
	struct error err = ERROR_INIT;
	BUF_AUTO data = BUF_INIT;
	int out[2];
	fill(&data, LARGE);
	/* Before the pipe is made: the child that writes must not hold its other end. */
	int from = pipe_with(&data);
	cr_assert_eq(fd_pipe(out, &err), 0);
	struct pump p = { .from = from, .to = out[1], .own_from = true, .own_to = true };
	struct pollfd pfd = pump_poll(&p);

	/* Until the pipe is full: then it waits for `to` and for nothing else. */
	while (poll(&pfd, 1, 300) > 0) {
		pump_move(&p, pfd.revents);
		pfd = pump_poll(&p);
	}
	cr_expect_not(p.done);
	cr_expect_eq(pfd.fd, out[1]);
	cr_expect_eq(pfd.events, POLLOUT);
	cr_expect_eq(fcntl(out[1], F_GETFL) & O_NONBLOCK, 0, "the descriptor is others', too");

	/* Its reader goes: so does the writer, by SIGPIPE or the end of its own pipe. */
	signal(SIGPIPE, SIG_IGN);
	close(out[0]);
	cr_expect(drive(&p));
	cr_expect_eq(p.from, -1);
	wait(NULL);
}

Test(pump, a_reader_that_is_gone_ends_it)
{
	struct error err = ERROR_INIT;
	BUF_AUTO data = BUF_INIT;
	int out[2];
	signal(SIGPIPE, SIG_IGN);
	fill(&data, 10);
	cr_assert_eq(fd_pipe(out, &err), 0);
	close(out[0]);
	int from = pipe_with(&data);
	struct pump p = { .from = from, .to = out[1], .own_from = true, .own_to = true };

	cr_expect(drive(&p));
	cr_expect(p.from == -1 && p.to == -1);
	wait(NULL);
}

/* poll() says POLLNVAL for a descriptor that was closed under us: an end, not a busy loop. */
Test(pump, a_bad_descriptor_ends_it, .timeout = 10)
{
	struct pump p = { .from = 999, .to = 998 };

	cr_expect(drive(&p));
}

Test(pump, done_is_done)
{
	struct pump p = { .from = -1, .to = -1, .done = true };

	cr_expect_eq(pump_poll(&p).fd, -1);
	pump_move(&p, POLLIN | POLLHUP);
	cr_expect(p.done);
	pump_close(&p);
	pump_close(&p);
	cr_expect_eq(pump_poll(&p).fd, -1);
}
