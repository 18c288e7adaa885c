/* payload: the command as flat data, made by us and checked against everybody. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "base/alloc.h"
#include "base/strv.h"
#include "sandbox/payload.h"

static const char *const no_env[] = { NULL };

/* Strings behind the head, joined by '|'. */
static void strings_of(const struct buf *p, struct buf *out)
{
	for (size_t i = sizeof(struct payload); i < p->len; i++)
		buf_char(out, p->data[i] ? p->data[i] : '|');
}

static struct payload head_of(const struct buf *p)
{
	struct payload head;

	cr_assert_geq(p->len, sizeof(head));
	memcpy(&head, p->data, sizeof(head));
	return head;
}

Test(payload, candidates_are_what_execvp_would_try)
{
	static const struct {
		const char *name, *path; /* NULL: no PATH in the environment */
		const char *strings;
		uint32_t paths;
	} rows[] = {
		{ "ls", "PATH=/a:/b", "ls|PATH=/a:/b|/a/ls|/b/ls|", 2 },
		{ "ls", "PATH=/a", "ls|PATH=/a|/a/ls|", 1 },
		{ "ls", "PATH=", "ls|PATH=|ls|", 1 },		   /* empty: the cwd */
		{ "ls", "PATH=:/a", "ls|PATH=:/a|ls|/a/ls|", 2 },
		{ "ls", "PATH=/a:", "ls|PATH=/a:|/a/ls|ls|", 2 },
		{ "ls", "PATH=/a::/b", "ls|PATH=/a::/b|/a/ls|ls|/b/ls|", 3 },
		{ "ls", "PATHX=/a", "ls|PATHX=/a|/usr/local/bin/ls|/usr/bin/ls|/bin/ls|", 3 },
		{ "ls", NULL, "ls|/usr/local/bin/ls|/usr/bin/ls|/bin/ls|", 3 },
		{ "./ls", "PATH=/a", "./ls|PATH=/a|./ls|", 1 },
		{ "/bin/ls", NULL, "/bin/ls|/bin/ls|", 1 },
		{ "a/", NULL, "a/|a/|", 1 },
		{ "", "PATH=/a", "|PATH=/a||", 1 },		   /* never a directory of PATH */
		{ "-x", "PATH=/a", "-x|PATH=/a|/a/-x|", 1 },
		{ "a b\n", "PATH=/a", "a b\n|PATH=/a|/a/a b\n|", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const argv[] = { rows[i].name, NULL };
		const char *const envp[] = { rows[i].path, NULL };
		struct error err = ERROR_INIT;
		BUF_AUTO p = BUF_INIT;
		BUF_AUTO strings = BUF_INIT;

		cr_assert_eq(payload_build(argv, envp, NULL, &p, &err), 0, "row %zu: %s", i,
			     err.msg);
		strings_of(&p, &strings);
		cr_expect_str_eq(strings.data, rows[i].strings, "row %zu: %s", i, strings.data);
		cr_expect_eq(head_of(&p).paths, rows[i].paths, "row %zu", i);
		cr_expect(payload_check(p.data, p.len), "row %zu", i);
	}
}

Test(payload, cwd_comes_last)
{
	static const char *const argv[] = { "/x", "-a", "", NULL };
	static const char *const envp[] = { "A=1", "B=", NULL };
	struct error err = ERROR_INIT;
	BUF_AUTO p = BUF_INIT;
	BUF_AUTO strings = BUF_INIT;

	cr_assert_eq(payload_build(argv, envp, "/w", &p, &err), 0, "%s", err.msg);
	strings_of(&p, &strings);
	cr_expect_str_eq(strings.data, "/x|-a||A=1|B=|/x|/w|");
	struct payload head = head_of(&p);
	cr_expect(head.argc == 3 && head.envc == 2 && head.paths == 1 && head.cwd == 1);
	cr_expect(payload_check(p.data, p.len));
}

Test(payload, refuses_what_is_no_command_or_too_long)
{
	static const char *const none[] = { NULL };
	struct error err = ERROR_INIT;
	BUF_AUTO p = BUF_INIT;

	cr_expect_eq(payload_build(none, no_env, NULL, &p, &err), -1);
	cr_expect_eq(err.kind, ERR_USAGE);

	char *big = xcalloc(1, PAYLOAD_SIZE_MAX + 1);
	memset(big, 'x', PAYLOAD_SIZE_MAX);
	const char *const huge[] = { "/x", big, NULL };
	buf_reset(&p);
	cr_expect_eq(payload_build(huge, no_env, NULL, &p, &err), -1);
	cr_expect_eq(err.kind, ERR_LIMIT);
	free(big);

	STRV_AUTO many = STRV_INIT;
	for (uint32_t i = 0; i < PAYLOAD_STRINGS_MAX; i++)
		strv_add(&many, "/");
	buf_reset(&p);
	cr_expect_eq(payload_build(strv_argv(&many), no_env, NULL, &p, &err), -1);
	cr_expect_eq(err.kind, ERR_LIMIT);
}

/* A well-formed one: argv a, envp B=, candidate /a, cwd /w. */
#define STRINGS "a\0B=\0/a\0/w" /* and the NUL of the literal */
static void good(unsigned char dst[sizeof(struct payload) + sizeof(STRINGS)])
{
	struct payload head = { .magic = PAYLOAD_MAGIC,
				.size = sizeof(head) + sizeof(STRINGS),
				.argc = 1,
				.envc = 1,
				.paths = 1,
				.cwd = 1 };

	memcpy(dst, &head, sizeof(head));
	memcpy(dst + sizeof(head), STRINGS, sizeof(STRINGS));
}

Test(payload, check_believes_no_number)
{
	static const struct {
		size_t field; /* offset of a uint32_t */
		uint32_t value;
		bool ok;
	} rows[] = {
		{ offsetof(struct payload, magic), PAYLOAD_MAGIC, true },
		{ offsetof(struct payload, magic), 0, false },
		{ offsetof(struct payload, size), 0, false },
		{ offsetof(struct payload, size), sizeof(struct payload), false },
		{ offsetof(struct payload, size), UINT32_MAX, false },
		{ offsetof(struct payload, argc), 0, false },
		{ offsetof(struct payload, argc), 2, false },
		{ offsetof(struct payload, argc), UINT32_MAX, false },
		{ offsetof(struct payload, envc), 0, false },
		{ offsetof(struct payload, envc), 2, false },
		/* sums that come out right only where they wrap around */
		{ offsetof(struct payload, envc), UINT32_MAX - 1, false },
		{ offsetof(struct payload, paths), 0, false },
		{ offsetof(struct payload, paths), UINT32_MAX, false },
		{ offsetof(struct payload, cwd), 0, false },
		{ offsetof(struct payload, cwd), 2, false },
		{ offsetof(struct payload, cwd), UINT32_MAX, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char p[sizeof(struct payload) + sizeof(STRINGS)];

		good(p);
		memcpy(p + rows[i].field, &rows[i].value, sizeof(rows[i].value));
		cr_expect_eq(payload_check(p, sizeof(p)), rows[i].ok, "row %zu", i);
	}
}

Test(payload, check_believes_no_length)
{
	unsigned char p[sizeof(struct payload) + sizeof(STRINGS)];

	/* In memory of exactly that size, so that a sanitizer sees a read behind it. */
	for (size_t len = 0; len < sizeof(p); len++) {
		good(p);
		unsigned char *cut = xcalloc(1, len + 1);
		memcpy(cut, p, len);
		uint32_t size = (uint32_t)len;
		if (len >= sizeof(struct payload))
			memcpy(cut + offsetof(struct payload, size), &size, sizeof(size));
		cr_expect_not(payload_check(cut, len), "length %zu", len);
		free(cut);
	}
	good(p);
	p[sizeof(p) - 1] = 'x';
	cr_expect_not(payload_check(p, sizeof(p)), "the last string has no end");
	cr_expect_not(payload_check(p, (size_t)PAYLOAD_SIZE_MAX + 1), "too large, unread");
}

/* Two counts moved against each other keep the sum, and are harmless: the strings stay inside. */
Test(payload, counts_that_add_up_are_well_formed)
{
	unsigned char p[sizeof(struct payload) + sizeof(STRINGS)];
	struct payload head;

	good(p);
	memcpy(&head, p, sizeof(head));
	head.argc = 2;
	head.envc = 0;
	memcpy(p, &head, sizeof(head));
	cr_expect(payload_check(p, sizeof(p)));
}
