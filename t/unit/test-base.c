/* base: memory, strings, numbers, errors, clocks. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/exit.h"
#include "base/num.h"
#include "base/rd.h"
#include "base/strv.h"
#include "base/suggest.h"

Test(alloc, zero_is_memory)
{
	void *p = xmalloc(0);
	char *s = xasprintf("%s-%d", "a", 7);

	cr_assert_not_null(p);
	cr_assert_str_eq(s, "a-7");
	free(p);
	free(s);
}

Test(alloc, sum_overflow_ends, .exit_code = EXIT_FATAL)
{
	size_add(SIZE_MAX, 1);
}

Test(alloc, product_overflow_ends, .exit_code = EXIT_FATAL)
{
	size_mul(SIZE_MAX / 2, 3);
}

Test(alloc, array_overflow_ends, .exit_code = EXIT_FATAL)
{
	xcalloc(SIZE_MAX / 2, 3);
}

Test(base, bug_aborts, .signal = SIGABRT)
{
	BUG("on purpose %d", 1);
}

Test(error, arguments_may_lie_in_the_error)
{
	struct error err = ERROR_INIT;

	error_set(&err, ERR_BUSY, "inner");
	cr_assert_eq(error_set(&err, ERR_LIMIT, "outer (%s)", err.msg), -1);
	cr_assert_str_eq(err.msg, "outer (inner)");
	cr_assert_eq(err.kind, ERR_LIMIT);
}

Test(error, sys_names_the_cause)
{
	struct error err = ERROR_INIT;

	error_sys(&err, ENOENT, "cannot open '%s'", "x");
	cr_assert_str_eq(err.msg, "cannot open 'x': No such file or directory");
	cr_assert_eq(err.sys, ENOENT);
	error_sys(&err, 99999, "odd");
	cr_assert_str_eq(err.msg, "odd: error 99999");
}

Test(error, wrap_keeps_kind_and_hint)
{
	struct error err = ERROR_INIT;

	error_set(&err, ERR_REFUSED, "no");
	error_hint(&err, "try %s", "y");
	error_wrap(&err, "box '%s'", "b");
	cr_assert_str_eq(err.msg, "box 'b': no");
	cr_assert_str_eq(err.hint, "try y");
	cr_assert_eq(err.kind, ERR_REFUSED);
	error_set(&err, ERR_SYS, "new");
	cr_assert_str_empty(err.hint, "a hint belongs to one error");
}

Test(error, long_text_is_cut)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	buf_pad(&text, 'x', 5000);
	error_set(&err, ERR_PEER, "%s", text.data);
	cr_assert_eq(strlen(err.msg), sizeof(err.msg) - 1);
	error_wrap(&err, "%s", text.data);
	cr_assert_eq(strlen(err.msg), sizeof(err.msg) - 1);
	error_sys(&err, EIO, "%s", text.data);
	error_hint(&err, "%s", text.data);
	cr_assert_eq(strlen(err.hint), sizeof(err.hint) - 1);
}

Test(error, kinds_have_names_and_codes)
{
	for (int k = 0; k < ERR_KIND_MAX; k++) {
		int code = exit_for((enum error_kind)k);
		bool listed = false;

		cr_assert_not_null(error_kind_name((enum error_kind)k));
		for (size_t i = 0; i < exit_table_len; i++)
			listed |= exit_table[i].code == code;
		cr_assert(listed, "kind %d ends with code %d, which the manual lacks", k, code);
	}
	cr_assert_eq(exit_for(ERR_USAGE), 129);
	cr_assert_eq(exit_for(ERR_BUSY), 4);
	cr_assert_eq(exit_for(ERR_UNSUPPORTED), 2);
	cr_assert_eq(exit_for(ERR_SYS), 128);
}

Test(error, unknown_kind_is_a_bug, .signal = SIGABRT)
{
	error_kind_name(ERR_KIND_MAX);
}

Test(buf, grows_and_stays_terminated)
{
	BUF_AUTO b = BUF_INIT;

	cr_assert_str_empty(b.data);
	for (int i = 0; i < 1000; i++)
		buf_fmt(&b, "%d,", i);
	cr_assert_eq(b.len, strlen(b.data));
	buf_add(&b, "\0x", 2);
	cr_assert_eq(b.data[b.len - 1], 'x', "NULs are content");
	buf_reset(&b);
	cr_assert_str_empty(b.data);
	buf_char(&b, 'a');
	buf_pad(&b, '-', 3);
	buf_str(&b, "z");
	cr_assert_str_eq(b.data, "a---z");
	buf_truncate(&b, 1);
	cr_assert_str_eq(b.data, "a");
}

Test(buf, empty_string_is_shared_and_safe)
{
	struct buf b = BUF_INIT;
	char *s;

	buf_reset(&b);
	buf_add(&b, NULL, 0);
	buf_truncate(&b, 0);
	s = buf_detach(&b);
	cr_assert_str_empty(s);
	free(s);
	buf_release(&b);
	buf_release(&b);
	cr_assert_eq(buf_empty[0], '\0');
}

Test(buf, truncate_beyond_end_is_a_bug, .signal = SIGABRT)
{
	struct buf b = BUF_INIT;

	buf_truncate(&b, 1);
}

Test(clock, text)
{
	static const struct {
		int64_t us;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ 1796075119000001, "2026-11-30T21:45:19.000001Z" },
		{ -1, "1969-12-31T23:59:59.999999Z" },
	};
	char dst[CLOCK_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		clock_text(rows[i].us, dst);
		cr_assert_str_eq(dst, rows[i].text);
	}
	clock_text(INT64_MAX, dst);
	cr_assert_lt(strlen(dst), sizeof(dst));
	clock_text(INT64_MIN, dst);
	cr_assert_lt(strlen(dst), sizeof(dst));
}

Test(clock, ago)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} rows[] = {
		{ 0, "just now" },	   { 1, "1 second ago" },    { 59, "59 seconds ago" },
		{ 60, "1 minute ago" },	   { 3599, "59 minutes ago" }, { 7200, "2 hours ago" },
		{ 86400, "1 day ago" },	   { 604800, "1 week ago" },   { 2592000, "1 month ago" },
		{ 63072000, "2 years ago" }, { -1, "in the future" },
	};
	int64_t now = 2000000000000000;
	char dst[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		clock_ago(now - rows[i].seconds * 1000000, now, dst);
		cr_assert_str_eq(dst, rows[i].text);
	}
	clock_ago(INT64_MIN, INT64_MAX, dst);
	cr_assert_lt(strlen(dst), sizeof(dst));
}

Test(clock, monotonic_does_not_go_back)
{
	uint64_t a = clock_mono_us();

	cr_assert_leq(a, clock_mono_us());
	cr_assert_gt(clock_now_us(), 1500000000000000);
}

Test(env, empty_counts_as_unset)
{
	setenv("NO_COLOR", "", 1);
	cr_assert_null(env_get("NO_COLOR"));
	setenv("NO_COLOR", "less", 1);
	cr_assert_str_eq(env_get("NO_COLOR"), "less");
	setenv("SOME_BOX_VARIABLE", "", 1);
	cr_assert_str_empty(env_foreign("SOME_BOX_VARIABLE"));
	unsetenv("SOME_BOX_VARIABLE");
	cr_assert_null(env_foreign("SOME_BOX_VARIABLE"));
}

Test(env, unlisted_name_is_a_bug, .signal = SIGABRT)
{
	env_get("NOT_IN_THE_TABLE");
}

Test(num, u64)
{
	static const struct {
		const char *text;
		enum error_kind kind;
		uint64_t value;
	} rows[] = {
		{ "0", ERR_NONE, 0 },
		{ "18446744073709551615", ERR_NONE, UINT64_MAX },
		{ "18446744073709551616", ERR_LIMIT, 0 },
		{ "99999999999999999999999", ERR_LIMIT, 0 },
		{ "", ERR_USAGE, 0 },
		{ "-1", ERR_USAGE, 0 },
		{ "+1", ERR_USAGE, 0 },
		{ " 1", ERR_USAGE, 0 },
		{ "1 ", ERR_USAGE, 0 },
		{ "0x10", ERR_USAGE, 0 },
		{ "1e3", ERR_USAGE, 0 },
		{ "\xd9\xa1", ERR_USAGE, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		uint64_t v = 42;
		int rc = num_u64(rows[i].text, 0, UINT64_MAX, &v, &err);

		cr_assert_eq(rc, rows[i].kind ? -1 : 0, "'%s'", rows[i].text);
		cr_assert_eq(err.kind, rows[i].kind, "'%s'", rows[i].text);
		cr_assert_eq(v, rows[i].kind ? 42 : rows[i].value, "'%s'", rows[i].text);
	}
}

Test(num, u64_range)
{
	struct error err = ERROR_INIT;
	uint64_t v;

	cr_assert_eq(num_u64("5", 5, 6, &v, &err), 0);
	cr_assert_eq(num_u64("4", 5, 6, &v, &err), -1);
	cr_assert_eq(err.kind, ERR_LIMIT);
	cr_assert_eq(num_u64("7", 5, 6, &v, &err), -1);
}

struct scaled_row {
	const char *text;
	enum error_kind kind;
	uint64_t value;
};

static void check_scaled(const struct scaled_row *row,
			 int (*f)(const char *, uint64_t *, struct error *))
{
	struct error err = ERROR_INIT;
	uint64_t v = 42;

	f(row->text, &v, &err);
	cr_assert_eq(err.kind, row->kind, "'%s': %s", row->text, err.msg);
	cr_assert_eq(v, row->kind ? 42 : row->value, "'%s'", row->text);
	cr_assert_eq(row->kind == ERR_NONE, err.hint[0] == '\0', "'%s'", row->text);
}

Test(num, size)
{
	static const struct scaled_row rows[] = {
		{ "4096", ERR_NONE, 4096 },
		{ "512K", ERR_NONE, 524288 },
		{ "4g", ERR_NONE, 4ULL << 30 },
		{ "1T", ERR_NONE, 1ULL << 40 },
		{ "16777215T", ERR_NONE, 16777215ULL << 40 },
		{ "16777216T", ERR_LIMIT, 0 },
		{ "4GB", ERR_USAGE, 0 },
		{ "4 G", ERR_USAGE, 0 },
		{ "4.5G", ERR_USAGE, 0 },
		{ "G", ERR_USAGE, 0 },
		{ "-4G", ERR_USAGE, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_scaled(&rows[i], num_size);
}

Test(num, duration)
{
	static const struct scaled_row rows[] = {
		{ "250ms", ERR_NONE, 250 },
		{ "90", ERR_NONE, 90000 },
		{ "90s", ERR_NONE, 90000 },
		{ "30M", ERR_NONE, 1800000 },
		{ "2h", ERR_NONE, 7200000 },
		{ "1d", ERR_NONE, 86400000 },
		{ "213503982334d", ERR_NONE, 213503982334ULL * 86400000 },
		{ "213503982335d", ERR_LIMIT, 0 },
		{ "1w", ERR_USAGE, 0 },
		{ "1h30m", ERR_USAGE, 0 },
		{ "", ERR_USAGE, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_scaled(&rows[i], num_duration_ms);
}

Test(num, texts)
{
	static const struct {
		void (*f)(uint64_t, char[32]);
		uint64_t value;
		const char *text;
	} rows[] = {
		{ num_size_text, 0, "0" },
		{ num_size_text, 1023, "1023" },
		{ num_size_text, 1024, "1.0K" },
		{ num_size_text, 1048575, "1.0M" },
		{ num_size_text, 4ULL << 30, "4.0G" },
		{ num_size_text, UINT64_MAX, "16.0E" },
		{ num_duration_text, 0, "0s" },
		{ num_duration_text, 250, "250ms" },
		{ num_duration_text, 1500, "1.5s" },
		{ num_duration_text, 90000, "1m30s" },
		{ num_duration_text, 1800000, "30m" },
		{ num_duration_text, 5400000, "1h30m" },
		{ num_duration_text, 86400000, "1d" },
		{ num_duration_text, UINT64_MAX, "213503982334d14h" },
	};
	char dst[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].f(rows[i].value, dst);
		cr_assert_str_eq(dst, rows[i].text);
	}
}

Test(num, hex)
{
	char dst[9];

	num_hex("\x00\x7f\x80\xff", 4, dst);
	cr_assert_str_eq(dst, "007f80ff");
	num_hex("", 0, dst);
	cr_assert_str_empty(dst);
}

Test(rd, reads_little_endian)
{
	static const unsigned char bytes[] = { 1,  2,  3,  4,  5,  6,  7,   8,   9,
					       10, 11, 12, 13, 14, 15, 'h', 'i', 0 };
	struct rd r = rd_init(bytes, sizeof(bytes));

	cr_assert_eq(rd_u8(&r), 1);
	cr_assert_eq(rd_u16(&r), 0x0302);
	cr_assert_eq(rd_u32(&r), 0x07060504);
	cr_assert_eq(rd_u64(&r), 0x0f0e0d0c0b0a0908);
	cr_assert(!rd_done(&r), "bytes are left");
	cr_assert_str_eq(rd_cstring(&r, 2), "hi");
	cr_assert(rd_done(&r));
}

Test(rd, first_failure_sticks)
{
	struct rd r = rd_init("abc", 3);

	cr_assert_eq(rd_u32(&r), 0);
	cr_assert_eq(rd_u8(&r), 0, "later reads fail too");
	cr_assert_null(rd_bytes(&r, 0));
	cr_assert(!rd_done(&r));
}

Test(rd, strings_need_their_nul_within_bounds)
{
	static const struct {
		const char *bytes;
		size_t len, max;
		bool good;
	} rows[] = {
		{ "ab\0", 3, 2, true },	 { "ab\0", 3, SIZE_MAX, true }, { "ab\0", 3, 1, false },
		{ "ab", 2, 2, false },	 { "ab", 2, SIZE_MAX, false },	{ "", 0, 5, false },
		{ "\0", 1, 0, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rd r = rd_init(rows[i].bytes, rows[i].len);

		cr_assert_eq(rd_cstring(&r, rows[i].max) != NULL, rows[i].good, "row %zu", i);
	}
}

Test(rd, huge_length_does_not_wrap)
{
	struct rd r = rd_init("abc", 3);

	rd_u8(&r);
	cr_assert_null(rd_bytes(&r, SIZE_MAX));
}

Test(strv, is_a_vector_for_exec)
{
	static const char *const more[] = { "b", "a", NULL };
	STRV_AUTO s = STRV_INIT;

	cr_assert_null(strv_argv(&s)[0]);
	strv_sort(&s);
	strv_addf(&s, "%s%d", "c", 1);
	strv_add_all(&s, more);
	for (int i = 0; i < 100; i++)
		strv_add(&s, "x");
	cr_assert_eq(s.len, 103);
	cr_assert_null(strv_argv(&s)[103]);
	strv_sort(&s);
	cr_assert_str_eq(s.v[0], "a");
	cr_assert_str_eq(s.v[2], "c1");
	cr_assert(strv_has(&s, "b"));
	cr_assert(!strv_has(&s, "y"));
}

Test(suggest, nearest)
{
	static const char *const verbs[] = { "create", "run",	 "rm", "status",
					     "propose", "policy", NULL };
	static const struct {
		const char *word, *found;
	} rows[] = {
		{ "craete", "create" }, { "stauts", "status" }, { "prop", "propose" },
		{ "rn", "run" },	{ "p", NULL },		{ "xyzzy", NULL },
		{ "", NULL },		{ "creat", "create" },	{ "sta", "status" },
	};
	char longer[200];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = suggest_nearest(rows[i].word, verbs);

		cr_assert_eq(got == NULL, rows[i].found == NULL, "'%s' -> %s", rows[i].word, got);
		if (got)
			cr_assert_str_eq(got, rows[i].found);
	}
	memset(longer, 'a', sizeof(longer));
	longer[199] = '\0';
	cr_assert_null(suggest_nearest(longer, verbs));
}
