#include "base/base.h"

#include <criterion/criterion.h>

#include "mason/cache.h"
#include "mason/index.h"
#include "t/unit/scratch.h"
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

#define TREE "00112233445566778899aabbccddeeff00112233"
#define AA "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define BB "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void add_base(struct roster *t, const char *text, size_t len, int want)
{
	struct error err = ERROR_INIT;
	BUF_AUTO b = BUF_INIT;

	buf_add(&b, text, len);
	cr_expect_eq(roster_add_base(t, &b, &err), want, "%s: %s", text, err.msg);
}

Test(roster, what_the_base_has)
{
	static const char text[] = "100644 blob " AA "\ta\0"
				   "160000 commit " BB "\tb\0"
				   "040000 tree " BB "\td\0"
				   "120000 blob " AA "\td/e f\n\0"
				   "100755 blob " AA "\td0\0";
	ROSTER_AUTO t = ROSTER_INIT;
	uint32_t link;

	roster_begin(TREE, &t);
	add_base(&t, text, sizeof(text) - 1, 0);
	cr_assert_eq(t.len, 6);
	link = roster_find(&t, "d/e f\n");
	cr_assert_neq(link, ROSTER_NONE);
	cr_expect_eq(t.v[link].mode, MODE_LINK);
	cr_expect_str_eq(roster_name(&t, link), "e f\n");
	cr_expect_eq(t.v[link].parent, roster_find(&t, "d"));
	cr_expect_eq(t.v[roster_find(&t, "b")].mode, MODE_GITLINK);
	cr_expect_eq(roster_find(&t, "d/e"), ROSTER_NONE);
	cr_expect_eq(roster_find(&t, "d/"), ROSTER_NONE);
	cr_expect_eq(roster_find(&t, ""), ROSTER_ROOT);
}

Test(roster, refuses_what_git_does_not_write)
{
	static const char *const bad[] = { "100644 blob " AA,
					   "10064x blob " AA "\ta",
					   "\ta",
					   "100644 blob" AA "\tb",
					   "100644 blob " AA "\t",
					   "100644 blob aa\ta",
					   "100644 blob " AA "\tno/parent",
					   "1" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ROSTER_AUTO t = ROSTER_INIT;

		roster_begin(TREE, &t);
		add_base(&t, bad[i], strlen(bad[i]) + 1, -1);
	}
}

Test(roster, a_change_marks_the_directories_above)
{
	static const char text[] = "040000 tree " BB "\td\0"
				   "040000 tree " BB "\td/e\0"
				   "100644 blob " AA "\td/e/f\0"
				   "040000 tree " BB "\tx\0";
	unsigned char oid[ROSTER_OID_MAX] = { 1 };
	ROSTER_AUTO t = ROSTER_INIT;
	uint32_t f;

	roster_begin(TREE, &t);
	add_base(&t, text, sizeof(text) - 1, 0);
	f = roster_find(&t, "d/e/f");
	roster_set(&t, f, 0100644, t.v[f].oid);
	cr_expect_not(t.v[ROSTER_ROOT].flags & ENTRY_DIRTY);
	roster_set(&t, f, 0100644, oid);
	cr_expect(t.v[ROSTER_ROOT].flags & ENTRY_DIRTY);
	cr_expect(t.v[roster_find(&t, "d")].flags & ENTRY_DIRTY);
	cr_expect(t.v[roster_find(&t, "d/e")].flags & ENTRY_DIRTY);
	cr_expect_not(t.v[roster_find(&t, "x")].flags & ENTRY_DIRTY);
}

Test(roster, many_paths)
{
	ROSTER_AUTO t = ROSTER_INIT;

	roster_begin(TREE, &t);
	for (int i = 0; i < 5000; i++) {
		char path[32];

		(void)snprintf(path, sizeof(path), "f%d", i);
		cr_assert_eq(roster_get(&t, path, ROSTER_ROOT), (uint32_t)i + 1);
	}
	for (int i = 0; i < 5000; i++) {
		char path[32];

		(void)snprintf(path, sizeof(path), "f%d", i);
		cr_assert_eq(roster_find(&t, path), (uint32_t)i + 1);
	}
}

Test(cache, comes_back_and_is_dropped_where_it_is_torn)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	CACHE_AUTO c = CACHE_INIT;
	struct cache back;
	BUF_AUTO text = BUF_INIT;

	roster_begin(TREE, &c.roster);
	c.trusted_before = 7;
	(void)roster_get(&c.roster, "a", ROSTER_ROOT);
	cr_assert_eq(cache_write(s.fd, AA, &c, &err), 0, "%s", err.msg);
	cr_assert(cache_read(s.fd, AA, TREE, &back));
	cr_expect_eq(back.trusted_before, 7);
	cr_expect_eq(roster_find(&back.roster, "a"), 1);
	cache_release(&back);
	cr_expect_not(cache_read(s.fd, BB, TREE, &back));
	cr_assert_eq(file_read(s.fd, "cache", 1 << 20, &text, &err), 0);
	for (size_t i = 0; i < text.len; i += 7) {
		FD_AUTO fd = openat(s.fd, "cache", O_WRONLY | O_TRUNC | O_CLOEXEC);

		cr_assert_eq(fd_write_full(fd, text.data, i, &err), 0);
		cr_expect_not(cache_read(s.fd, AA, TREE, &back), "%zu bytes", i);
	}
}

Test(cache, racy_signs_are_not_believed)
{
	const struct cache c = { .trusted_before = 100 };
	const struct sig old = { 1, 2, 50, 60 };
	const struct sig young = { 1, 2, 50, 100 };
	const struct sig other = { 1, 2, 51, 60 };

	cr_expect(cache_trusts(&c, &old, &old));
	cr_expect_not(cache_trusts(&c, &young, &young));
	cr_expect_not(cache_trusts(&c, &old, &other));
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
