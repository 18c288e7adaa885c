/* wire: frames and JSON from somebody hostile. crypto: the digest. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "crypto/digest.h"
#include "sys/fd.h"
#include "wire/dbus.h"
#include "wire/frame.h"
#include "wire/json.h"

enum { PHASE_A = 1, PHASE_B = 2 };

static const struct frame_op ops[] = {
	{ .type = 1, .len_max = 4, .phases = PHASE_A | PHASE_B, .name = "small" },
	{ .type = 2, .fds = 2, .len_min = 1, .len_max = FRAME_MAX, .phases = 1, .name = "fds" },
	{ .type = 0x1234, .len_min = 8, .len_max = 8, .phases = PHASE_B, .name = "exact" },
	{ .type = 4, .len_max = UINT32_MAX, .phases = PHASE_A, .name = "bad row" },
};

Test(frame, check)
{
	static const struct {
		const char *head;
		uint32_t phase;
		const char *name; /* NULL: refused */
	} rows[] = {
		{ "\0\0\0\0\1\0\0\0", PHASE_A, "small" },
		{ "\4\0\0\0\1\0\0\0", PHASE_B, "small" },
		{ "\5\0\0\0\1\0\0\0", PHASE_A, NULL },	     /* too long */
		{ "\4\0\0\1\1\0\0\0", PHASE_A, NULL },	     /* far too long */
		{ "\0\0\0\0\1\0\1\0", PHASE_A, NULL },	     /* the zero is not zero */
		{ "\0\0\0\0\1\0\0\1", PHASE_A, NULL },
		{ "\0\0\0\0\2\0\0\0", PHASE_A, NULL },	     /* too short */
		{ "\0\x10\0\0\2\0\0\0", PHASE_A, "fds" },
		{ "\1\x10\0\0\2\0\0\0", PHASE_A, NULL },
		{ "\1\0\0\0\2\0\0\0", PHASE_B, NULL },	     /* out of phase */
		{ "\0\0\0\0\3\0\0\0", PHASE_A, NULL },	     /* unknown */
		{ "\x8\0\0\0\x34\x12\0\0", PHASE_B, "exact" },
		{ "\x8\0\0\0\x12\x34\0\0", PHASE_B, NULL },
		{ "\xff\xff\xff\xff\4\0\0\0", PHASE_A, NULL }, /* whatever the table says */
		{ "\0\0\0\0\1\0\0\0", 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct frame_rules rules = { ops, ARRAY_SIZE(ops), rows[i].phase };
		const struct frame_op *op;

		op = frame_check((const unsigned char *)rows[i].head, &rules);

		cr_assert_eq(op != NULL, rows[i].name != NULL, "row %zu", i);
		if (op)
			cr_assert_str_eq(op->name, rows[i].name, "row %zu", i);
	}
}

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

struct pair {
	int s[2];
};
#define PAIR_AUTO __attribute__((cleanup(pair_close))) struct pair

static void pair_close(struct pair *p)
{
	fd_close(&p->s[0]);
	fd_close(&p->s[1]);
}

static struct pair pair_open(void)
{
	struct error err = ERROR_INIT;
	struct pair p;

	cr_assert_eq(fd_socketpair(SOCK_STREAM, p.s, &err), 0, "%s", err.msg);
	return p;
}

static int receive(const struct pair *p, struct frame *f, struct error *err)
{
	const struct frame_rules rules = { ops, ARRAY_SIZE(ops), PHASE_A };

	return frame_recv(p->s[1], &rules, f, err);
}

Test(frame, travels_with_descriptors)
{
	PAIR_AUTO p = pair_open();
	struct error err = ERROR_INIT;
	struct frame f = { 0 };
	char data[FRAME_MAX];
	int fds[2];
	struct frame_out large = { 2, 2, sizeof(data), data, fds };
	struct frame_out small = { .type = 1, .len = 3, .data = "abc" };
	int before;

	cr_assert_eq(fd_pipe(fds, &err), 0);
	before = open_descriptors();
	memset(data, 'x', sizeof(data));
	cr_assert_eq(frame_send(p.s[0], &large, &err), 0, "%s", err.msg);
	cr_assert_eq(frame_send(p.s[0], &small, &err), 0, "%s", err.msg);
	fd_close(&p.s[0]);
	cr_assert_eq(receive(&p, &f, &err), 1, "%s", err.msg);
	cr_assert(f.type == 2 && f.len == FRAME_MAX && f.fds_len == 2);
	cr_assert_arr_eq(f.data, data, FRAME_MAX);
	cr_assert(fcntl(f.fds[0], F_GETFD) & FD_CLOEXEC);
	cr_assert_eq(fd_write_full(f.fds[1], "q", 1, &err), 0);
	cr_assert_eq(fd_read_full(fds[0], data, 1, &err), 0, "it is the same pipe");
	frame_close_fds(&f);
	cr_assert_eq(receive(&p, &f, &err), 1, "%s", err.msg);
	cr_assert(f.type == 1 && f.len == 3 && f.fds_len == 0);
	cr_assert_eq(receive(&p, &f, &err), 0, "clean end");
	cr_assert_eq(open_descriptors(), before - 1);
}

/* Sends raw bytes with n copies of descriptor 0. */
static void send_raw(int sock, const void *bytes, size_t len, size_t n)
{
	char control[CMSG_SPACE(16 * sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		struct cmsghdr *c;

		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int)); /* the descriptors are zeros */
	}
	cr_assert_eq(sendmsg(sock, &msg, MSG_NOSIGNAL), (ssize_t)len);
}

Test(frame, refusals_leak_nothing)
{
	static const struct {
		const char *bytes[2];
		size_t len[2];
		size_t fds[2];
	} rows[] = {
		{ { "\1\0\0\0\1\0\0\0x" }, { 9 }, { 1 } },	      /* a descriptor too many */
		{ { "\1\0\0\0\2\0\0\0x" }, { 9 }, { 0 } },		      /* too few */
		{ { "\1\0\0\0\2\0\0\0x" }, { 9 }, { 1 } },
		{ { "\1\0\0\0\2\0\0\0x" }, { 9 }, { 3 } },
		{ { "\1\0\0\0\2\0\0\0x" }, { 9 }, { 4 } },
		{ { "\1\0\0\0\2\0\0\0x" }, { 9 }, { 16 } },	      /* more than ever fit */
		{ { "\1\0\0\0\2\0\0\0", "x" }, { 8, 1 }, { 2, 1 } },	      /* with the payload */
		{ { "\1\0\0\0", "\2\0\0\0x" }, { 4, 5 }, { 2, 1 } },
		{ { "\0\0\0\0\7\0\0\0" }, { 8 }, { 2 } },		      /* unknown type */
		{ { "\1\0\0\0\2\0" }, { 6 }, { 2 } },	      /* cut in the head */
		{ { "\5\0\0\0\2\0\0\0xx" }, { 10 }, { 2 } },	      /* cut in the payload */
	};
	int before = open_descriptors();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		PAIR_AUTO p = pair_open();
		struct error err = ERROR_INIT;
		struct frame f = { .type = 99 };

		for (int part = 0; part < 2 && rows[i].bytes[part]; part++)
			send_raw(p.s[0], rows[i].bytes[part], rows[i].len[part], rows[i].fds[part]);
		fd_close(&p.s[0]);
		cr_assert_eq(receive(&p, &f, &err), -1, "row %zu", i);
		cr_assert_eq(err.kind, ERR_PEER, "row %zu: %s", i, err.msg);
		cr_assert_eq(f.type, 99, "out is untouched");
		fd_close(&p.s[1]);
		cr_assert_eq(open_descriptors(), before, "row %zu", i);
	}
}

Test(frame, bytes_may_come_one_by_one)
{
	PAIR_AUTO p = pair_open();
	struct error err = ERROR_INIT;
	struct frame f;

	for (size_t i = 0; i < 9; i++)
		send_raw(p.s[0], "\1\0\0\0\2\0\0\0x" + i, 1, i == 0 ? 2 : 0);
	cr_assert_eq(receive(&p, &f, &err), 1, "%s", err.msg);
	cr_assert(f.fds_len == 2 && f.data[0] == 'x');
	frame_close_fds(&f);
}

Test(frame, gone_peer_is_an_error_not_a_signal)
{
	PAIR_AUTO p = pair_open();
	struct frame_out empty = { .type = 1 };
	struct error err = ERROR_INIT;

	fd_close(&p.s[1]);
	cr_assert_eq(frame_send(p.s[0], &empty, &err), -1);
	cr_assert_eq(err.kind, ERR_PEER);
}

Test(frame, oversized_is_a_bug, .signal = SIGABRT)
{
	static const char data[FRAME_MAX + 1];
	struct frame_out oversized = { .type = 1, .len = sizeof(data), .data = data };
	struct error err = ERROR_INIT;

	frame_send(1, &oversized, &err);
}

static void nest(struct buf *b, int depth)
{
	buf_str(b, "{\"a\":");
	buf_pad(b, '[', (size_t)depth - 1);
	buf_pad(b, ']', (size_t)depth - 1);
	buf_char(b, '}');
}

Test(json, parse)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{ "{}", true },
		{ " {\"a\": 1}\n", true },
		{ "", false },
		{ "[]", false },
		{ "1", false },
		{ "{\"a\":1,\"a\":1}", false },
		{ "{\"b\":{\"a\":1,\"a\":2}}", false },
		{ "{} {}", false },
		{ "{\"a\":\"\\u0000\"}", false },
		{ "{\"a\":\"\xff\"}", false },
		{ "{\"a\":\"\xed\xa0\x80\"}", false },
		{ "{\"a\":18446744073709551616}", false },
		{ "{\"a\":NaN}", false },
		{ "{'a':1}", false },
		{ "{\"a\":1,}", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		JSON_AUTO *j = json_parse(rows[i].text, strlen(rows[i].text), 1000, &err);

		cr_assert_eq(j != NULL, rows[i].good, "%s", rows[i].text);
		cr_assert_eq(err.kind, rows[i].good ? ERR_NONE : ERR_CORRUPT, "%s", rows[i].text);
	}
}

Test(json, bounds)
{
	struct error err = ERROR_INIT;
	BUF_AUTO fits = BUF_INIT;
	BUF_AUTO deep = BUF_INIT;
	BUF_AUTO abyss = BUF_INIT;
	JSON_AUTO *good = NULL;

	nest(&fits, 16);
	nest(&deep, 17);
	nest(&abyss, 100000);
	good = json_parse(fits.data, fits.len, fits.len, &err);
	cr_assert_not_null(good, "%s", err.msg);
	cr_assert_null(json_parse(fits.data, fits.len, fits.len - 1, &err));
	cr_assert_null(json_parse(deep.data, deep.len, deep.len, &err));
	cr_assert_null(json_parse(abyss.data, abyss.len, abyss.len, &err));
	cr_assert_eq(err.kind, ERR_CORRUPT);
}

static json_t *sample(void)
{
	static const char text[] = "{\"s\":\"text\",\"n\":7,\"neg\":-1,\"r\":1.5,\"t\":true,"
				   "\"z\":null,\"l\":[\"a\",\"b\"],\"mixed\":[\"a\",1]}";
	struct error err = ERROR_INIT;
	json_t *j = json_parse(text, sizeof(text) - 1, 1000, &err);

	cr_assert_not_null(j, "%s", err.msg);
	return j;
}

Test(json, getters)
{
	JSON_AUTO *j = sample();
	struct error err = ERROR_INIT;
	const char *s;
	STRV_AUTO l = STRV_INIT;
	uint64_t n;
	bool t;

	cr_assert_eq(json_str(j, "s", 4, &s, &err), 0);
	cr_assert_str_eq(s, "text");
	cr_assert_eq(json_u64(j, "n", &n, &err), 0);
	cr_assert_eq(n, 7);
	cr_assert_eq(json_flag(j, "t", &t, &err), 0);
	cr_assert(t);
	cr_assert_eq(json_strv(j, "l", &l, &err), 0);
	cr_assert(l.len == 2 && strv_has(&l, "a") && strv_has(&l, "b"));
}

Test(json, getters_refuse)
{
	static const char *const not_numbers[] = { "s", "neg", "r", "t", "z", "l", "missing" };
	JSON_AUTO *j = sample();
	const char *s = NULL;
	STRV_AUTO l = STRV_INIT;
	bool t = true;

	for (size_t i = 0; i < ARRAY_SIZE(not_numbers); i++) {
		struct error err = ERROR_INIT;
		uint64_t n = 42;

		cr_assert_eq(json_u64(j, not_numbers[i], &n, &err), -1, "%s", not_numbers[i]);
		cr_assert_eq(err.kind, ERR_CORRUPT);
		cr_assert_not_null(strstr(err.msg, not_numbers[i]), "the key is named");
		cr_assert_eq(n, 42);
	}
	struct error err = ERROR_INIT;
	cr_assert_eq(json_str(j, "s", 3, &s, &err), -1, "too long");
	cr_assert_eq(json_str(j, "n", 3, &s, &err), -1);
	cr_assert_eq(json_flag(j, "n", &t, &err), -1);
	cr_assert_eq(json_flag(j, "z", &t, &err), -1);
	cr_assert_eq(json_strv(j, "s", &l, &err), -1);
	cr_assert_eq(json_strv(j, "mixed", &l, &err), -1);
	cr_assert_eq(l.len, 0, "nothing of a refused list");
	cr_assert_null(s);
}

Test(json, text_of_any_bytes)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "", "" },
		{ "\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac" },
		{ "a\xf0\x9f\x98\x80", "a\xf0\x9f\x98\x80" },
		{ "a\xff", "a\xef\xbf\xbd" },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80z", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz" },
		{ "\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0", "\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		JSON_AUTO *j = json_text(rows[i].in);

		cr_assert_str_eq(json_string_value(j), rows[i].out, "row %zu", i);
	}
}

/* Whatever two bytes stand in the text, jansson accepts what json_text() makes of them. */
Test(json, text_agrees_with_jansson)
{
	for (unsigned int i = 0; i < 0x10000; i++) {
		const char text[] = { (char)(i >> 8), (char)i, (char)0x80, '\0' };
		json_t *ours = json_text(text);
		json_t *theirs = json_string(text);

		cr_assert_not_null(ours);
		cr_assert_eq(theirs != NULL, strcmp(json_string_value(ours), text) == 0, "%04x", i);
		json_decref(ours);
		json_decref(theirs);
	}
}

Test(json, canonical)
{
	JSON_AUTO *j = sample();
	BUF_AUTO out = BUF_INIT;

	json_canonical(j, &out);
	cr_assert_str_eq(out.data, "{\"l\":[\"a\",\"b\"],\"mixed\":[\"a\",1],\"n\":7,\"neg\":-1,"
				   "\"r\":1.5,\"s\":\"text\",\"t\":true,\"z\":null}");
}

Test(digest, known_answers)
{
	char dst[DIGEST_HEX + 1];

	digest_hex("", 0, dst);
	cr_assert_str_eq(dst, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	digest_hex("abc", 3, dst);
	cr_assert_str_eq(dst, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* The bytes of a call, as the specification's marshaling has them. */
Test(dbus, a_call_is_marshalled)
{
	static const char fields[] = "\1\1o\0\2\0\0\0/p\0\0\0\0\0\0"
				     "\2\1s\0\1\0\0\0i\0\0\0\0\0\0\0"
				     "\3\1s\0\1\0\0\0m\0\0\0\0\0\0\0"
				     "\10\1g\0\3sat\0\0\0\0\0\0\0";
	static const char head[] = "l\1\0\1\x18\0\0\0\2\0\0\0\x39\0\0\0";
	static const struct dbus_call call = {
		.serial = 2, .path = "/p", .interface = "i", .member = "m", .signature = "sat"
	};
	BUF_AUTO body = BUF_INIT, out = BUF_INIT;
	struct dbus_array a;

	dbus_put_string(&body, "x");
	a = dbus_array_begin(&body, 8);
	dbus_put_u64(&body, 7);
	dbus_array_end(&body, a);
	dbus_put_call(&out, &call, &body);

	cr_assert_eq(body.len, 24);
	cr_assert_eq(out.len, 16 + 64 + 24);
	cr_assert_eq(memcmp(out.data, head, 16), 0);
	cr_assert_eq(memcmp(out.data + 16, fields, 64), 0);
	cr_assert_eq(memcmp(out.data + out.len - 24, body.data, 24), 0);
	cr_assert_eq(memcmp(body.data, "\1\0\0\0x\0\0\0\10\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0", 24), 0);
	cr_assert_eq(dbus_size((const unsigned char *)out.data), out.len);
}

Test(dbus, what_is_written_is_read)
{
	static const struct dbus_call call = {
		.serial = 9, .path = "/a/b", .interface = "x.y", .member = "Do", .signature = "su"
	};
	BUF_AUTO body = BUF_INIT, out = BUF_INIT;
	struct dbus_message m;

	dbus_put_string(&body, "hello");
	dbus_put_u32(&body, 77);
	dbus_put_call(&out, &call, &body);

	cr_assert_eq(dbus_parse((const unsigned char *)out.data, out.len, &m), 0);
	cr_assert_eq(m.type, DBUS_CALL);
	cr_assert_str_eq(m.member, "Do");
	cr_assert_str_eq(m.interface, "x.y");
	cr_assert_str_eq(m.signature, "su");
	cr_assert_str_eq(m.error_name, "");
	cr_assert_str_eq(dbus_get_string(&m.body), "hello");
	cr_assert_eq(dbus_get_u32(&m.body), 77);
	cr_assert(rd_done(&m.body.rd));
	for (size_t len = 0; len < out.len; len++)
		cr_assert_eq(dbus_parse((const unsigned char *)out.data, len, &m), -1, "%zu", len);
}
