#include "base/base.h"

#include <criterion/criterion.h>

#include "mason/index.h"
#include "mason/tree.h"
#include "store/dotgit.h"

Test(dotgit, names_that_some_git_takes_for_its_own)
{
	static const char *const own[] = { ".git",
					   ".GIT",
					   ".Git",
					   ".git.",
					   ".git ",
					   ".git. . ",
					   ".git::$INDEX_ALLOCATION",
					   "git~1",
					   "GIT~1",
					   "git~1.",
					   ".g\u200cit",
					   "\ufeff.git",
					   ".git\u206f",
					   ".gi\u202et",
					   "a\\.git",
					   "a\\GIT~1 ",
					   ".git\\x" };
	static const char *const others[] = { "git",	    ".gitx",  ".gitignore", ".github",
					      "git~2",	    "git~10", "x.git",	    ".git x",
					      ".g\u200bit", ".gi",    "",	    "..git" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		cr_expect(name_is_dotgit(own[i]), "%s", own[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(name_is_dotgit(others[i]), "%s", others[i]);
}

Test(dotgit, gitmodules)
{
	cr_expect(name_is_gitmodules(".gitmodules"));
	cr_expect(name_is_gitmodules(".GitModules. "));
	cr_expect(name_is_gitmodules("GITMOD~1"));
	cr_expect(name_is_gitmodules("gi7eba~1"));
	cr_expect_not(name_is_gitmodules(".gitignore"));
	cr_expect_not(name_is_gitmodules("modules"));
}

Test(tree, parse_and_find)
{
	static const char text[] = "100644 blob aa\ta\0"
				   "160000 commit bb\tb\0"
				   "120000 blob cc\td/e f\n\0"
				   "100755 blob dd\td0\0";
	BUF_AUTO b = BUF_INIT;
	TREE_AUTO t = TREE_INIT;
	struct error err = ERROR_INIT;

	buf_add(&b, text, sizeof(text) - 1);
	cr_assert_eq(tree_parse(&b, &t, &err), 0, "%s", err.msg);
	cr_assert_eq(t.len, 4);
	cr_expect_eq(tree_find(&t, "b")->mode, 0160000);
	cr_expect_str_eq(tree_find(&t, "d/e f\n")->oid, "cc");
	cr_expect_null(tree_find(&t, "d"));
	cr_expect_null(tree_find(&t, "d/e"));
	cr_expect(tree_has_below(&t, "d"));
	cr_expect_not(tree_has_below(&t, "d0"));
	cr_expect_not(tree_has_below(&t, ""));
}

Test(tree, refuses_what_git_does_not_write)
{
	static const char *const bad[] = { "100644 blob aa",   "10064x blob aa\ta", "\ta",
					   "100644 blobaa\tb", "100644 blob aa\t",  "1" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		BUF_AUTO b = BUF_INIT;
		TREE_AUTO t = TREE_INIT;
		struct error err = ERROR_INIT;

		buf_add(&b, bad[i], strlen(bad[i]) + 1);
		cr_expect_eq(tree_parse(&b, &t, &err), -1, "%s", bad[i]);
	}
}

struct seen {
	char text[256];
	size_t len;
};

static void note(void *arg, const struct index_entry *e)
{
	struct seen *s = arg;

	s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len, "%o%s %s,", e->mode,
				   e->skip ? "s" : "", e->path);
}

/* Version 3, one plain entry and one that is skipped, as git lays them out. */
static size_t make_index(unsigned char *p)
{
	static const unsigned char head[] = { 'D', 'I', 'R', 'C', 0, 0, 0, 3, 0, 0, 0, 2 };
	size_t at = sizeof(head);

	memset(p, 0, 256);
	memcpy(p, head, sizeof(head));
	p[at + 26] = 0x81, p[at + 27] = 0xa4;
	memcpy(p + at + 62, "a", 1); /* 63 bytes and 1 of padding */
	at += 64;
	p[at + 26] = 0xe0, p[at + 27] = 0;
	p[at + 60] = 0x40;		 /* extended */
	p[at + 62] = 0x40;		 /* skip-worktree */
	memcpy(p + at + 64, "dir/b", 5); /* 69 bytes and 3 of padding */
	return at + 72 + 20;
}

Test(index, entries)
{
	unsigned char data[256];
	struct seen s = { .len = 0 };
	struct error err = ERROR_INIT;
	size_t len = make_index(data);

	cr_assert_eq(index_each(&(struct index_bytes){ data, len, 20 }, note, &s, &err), 0, "%s",
		     err.msg);
	cr_expect_str_eq(s.text, "100644 a,160000s dir/b,");
}

Test(index, every_truncation_is_refused)
{
	unsigned char data[256];
	struct error err = ERROR_INIT;
	size_t len = make_index(data) - 20;

	for (size_t cut = 0; cut < len; cut++) {
		struct seen s = { .len = 0 };

		cr_expect_eq(index_each(&(struct index_bytes){ data, cut, 20 }, note, &s, &err), -1,
			     "%zu bytes", cut);
	}
	struct seen last = { .len = 0 };

	data[7] = 4;
	cr_expect_eq(index_each(&(struct index_bytes){ data, len, 20 }, note, &last, &err), -1,
		     "version 4");
}
