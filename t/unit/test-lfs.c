#include "base/base.h"

#include <fcntl.h>

#include "box/lfs.h"
#include "store/lfs.h"
#include "sys/fd.h"
#include "t/unit/scratch.h"

#define VERSION "version https://git-lfs.github.com/spec/v1\n"
/* SHA-256 of "abc" */
#define OID "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static bool parse(const char *text, struct lfs_pointer *p)
{
	return lfs_pointer_parse(text, strlen(text), p);
}

Test(lfs, pointers)
{
	BUF_AUTO text = BUF_INIT;
	struct lfs_pointer p, back;

	cr_assert(parse(VERSION "oid sha256:" OID "\nsize 3\n", &p));
	cr_expect_str_eq(p.oid, OID);
	cr_expect_eq(p.size, 3);
	cr_expect_not(p.extended);
	lfs_pointer_text(&p, &text);
	cr_expect_str_eq(text.data, VERSION "oid sha256:" OID "\nsize 3\n");
	cr_expect(parse(text.data, &back));
	cr_expect(parse(VERSION "ext-0-foo sha256:" OID "\noid sha256:" OID "\nsize 3\n", &p));
	cr_expect(p.extended);
}

Test(lfs, no_pointers)
{
	static const char *const bad[] = {
		"",
		VERSION,
		VERSION "oid sha256:" OID "\n",
		VERSION "oid sha256:" OID "\nsize 3",
		VERSION "oid sha256:" OID "\nsize -3\n",
		VERSION "oid sha256:" OID "\nsize 3\nsize 4\n",
		VERSION "oid sha256:" OID "0\nsize 3\n",
		VERSION
		"oid sha256:../../../../../../../../../../../../../../../../etc/passwd\nsize 3\n",
		VERSION "oid sha1:" OID "\nsize 3\n",
		VERSION "oid sha256:" OID "\nsize 3\nmore 4\n",
		"version https://example.com/spec/v1\noid sha256:" OID "\nsize 3\n",
		"oid sha256:" OID "\nsize 3\n" VERSION,
	};
	struct lfs_pointer p;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(parse(bad[i], &p), "%s", bad[i]);
}

static int add(const struct scratch *s, const char *content, uint64_t size, struct error *err)
{
	struct lfs_pointer p = { .oid = OID, .size = size };
	const struct lfs_copy how = { .what = &p, .mode = 0644, .durable = true };
	FD_AUTO from = -1;

	(void)unlinkat(s->fd, "from", 0);
	scratch_put(s, "from", content);
	from = openat(s->fd, "from", O_RDONLY | O_CLOEXEC);
	return lfs_object_add(s->fd, from, &how, err);
}

Test(lfs, an_object_is_what_its_name_says)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;

	lfs_object_path(OID, &path);
	cr_expect_str_eq(path.data, "ba/78/" OID);
	cr_expect_eq(add(&s, "abd", 3, &err), -1);
	cr_expect_eq(err.kind, ERR_CORRUPT);
	cr_expect_eq(add(&s, "abc", 4, &err), -1);
	cr_expect_eq(add(&s, "abc", 2, &err), -1);
	cr_expect_eq(err.kind, ERR_CORRUPT);
	cr_expect_not(file_exists(s.fd, path.data));
	cr_expect_eq(unlinkat(s.fd, "ba/78", AT_REMOVEDIR), 0, "a temporary file is left");
	cr_expect_eq(add(&s, "abc", 3, &err), 0, "%s", err.msg);
	cr_expect(file_exists(s.fd, path.data));
	/* What is there stays. */
	cr_expect_eq(add(&s, "abd", 3, &err), 0);
}

Test(lfs, what_the_mason_says)
{
	BUF_AUTO lines = BUF_INIT;
	STRV_AUTO notes = STRV_INIT;

	buf_str(&lines, "ready\nsubmodule \"x\"\n");
	cr_expect_not(lfs_filled(&lines, &notes));
	cr_expect_eq(notes.len, 0);
	buf_str(&lines, "lfs-absent \"a\"\nlfs 2 filled\nlfs 3 absent\n");
	cr_expect(lfs_filled(&lines, &notes));
	cr_assert_eq(notes.len, 1);
	cr_expect_not_null(strstr(notes.v[0], "\"a\" and 2 more"));
	buf_reset(&lines);
	buf_str(&lines, "lfs 7 program\n");
	cr_expect_not(lfs_filled(&lines, &notes));
	cr_assert_eq(notes.len, 2);
	cr_expect_not_null(strstr(notes.v[1], "not installed"));
}

Test(lfs, what_the_scribe_says)
{
	static const char *const bad[] = { "",	     OID,	 OID " ",	OID " 0",
					   OID " x", OID " 3 4", "../" OID " 3" };
	struct lfs_pointer p;

	cr_expect(lfs_take_parse(OID " 3", &p));
	cr_expect_eq(p.size, 3);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(lfs_take_parse(bad[i], &p), "%s", bad[i]);
}
