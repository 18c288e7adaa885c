#include "base/base.h"

#include <criterion/criterion.h>

#include "store/hunks.h"
#include "store/patch.h"
#include "t/unit/scratch.h"

static int parse(const char *text, size_t len, struct patch_list *out)
{
	struct error err = ERROR_INIT;

	return patch_list_parse(text, len, out, &err);
}

#define OIDS " 0123456789012345678901234567890123456789 0123456789012345678901234567890123456789 "

Test(patch, list_is_parsed_and_sorted)
{
	static const char text[] = ":100644 100755" OIDS "M\0a.c\0"
				   ":100644 000000" OIDS "D\0a/b\tc\n\0"
				   ":000000 120000" OIDS "A\0a0\0"
				   "1\t20\ta.c\0-\t-\ta/b\tc\n\0"
				   "3\t0\ta0\0";
	PATCH_LIST_AUTO l = PATCH_LIST_INIT;

	cr_assert_eq(parse(text, sizeof(text) - 1, &l), 0);
	cr_assert_eq(l.len, 3);
	cr_expect_eq(l.added, 4);
	cr_expect_eq(l.deleted, 20);
	cr_expect(patch_find(&l, "a/b\tc\n")->binary);
	cr_expect_eq(patch_find(&l, "a/b\tc\n")->status, 'D');
	cr_expect_eq(patch_find(&l, "a0")->new_mode, 0120000);
	cr_expect_eq(patch_find(&l, "a.c")->deleted, 20);
	cr_expect_null(patch_find(&l, "b"));
}

Test(patch, nothing_changed)
{
	PATCH_LIST_AUTO l = PATCH_LIST_INIT;

	cr_assert_eq(parse("", 0, &l), 0);
	cr_expect_eq(l.len, 0);
	cr_expect_null(patch_find(&l, "a"));
}

Test(patch, what_git_does_not_say_is_refused)
{
	static const char *const bad[] = {
		":",	":100644 100644", ":100644 100644" OIDS "X", ":100648 100644" OIDS "M", "x",
		"1\t2", "1\t2\tunknown"
	};
	PATCH_LIST_AUTO l = PATCH_LIST_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		BUF_AUTO text = BUF_INIT;

		buf_fmt(&text, "%s", bad[i]);
		buf_add(&text, "\0a\0", 3);
		cr_expect_neq(parse(text.data, text.len, &l), 0, "%s", bad[i]);
		cr_expect_neq(parse(bad[i], strlen(bad[i]), &l), 0, "cut: %s", bad[i]);
	}
}

/* --- random trees, through git fast-import ---------------------------------------------------- */

struct rng {
	uint64_t state;
	uint64_t names; /* how many of each kind of name */
	bool tame;	/* only what can be checked out */
};

/* xorshift: the same trees in every run. */
static uint64_t dice(struct rng *r, uint64_t sides)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return r->state % sides;
}

static void random_name(struct rng *r, struct buf *out)
{
	static const char *const odd[] = { "plain",   "sp ace",	     "tab\t",	 "new\nline",
					   "q\"uote", "back\\slash", "\xff\xfe", "\xc3\xa9",
					   "-dash",   ":(top)",	     "a'b",	 "trailing ",
					   "cr\r",    "\033[31m",    "..x",	 "dev",
					   "null" };

	buf_fmt(out, "%s%llu", odd[dice(r, ARRAY_SIZE(odd))],
		(unsigned long long)dice(r, r->names));
}

/* A path without a clash: directories have names of their own. */
static void random_path(struct rng *r, struct buf *out)
{
	for (uint64_t depth = dice(r, 3); depth; depth--)
		buf_fmt(out, "d%llu\xe9/", (unsigned long long)dice(r, 3));
	random_name(r, out);
}

static void random_content(struct rng *r, struct buf *out)
{
	uint64_t kind = dice(r, 6), lines = dice(r, 60);

	for (uint64_t i = 0; kind && i < lines; i++) {
		if (kind == 1) /* binary */
			buf_char(out, i ? (char)dice(r, 256) : '\0');
		else if (kind == 2) /* not UTF-8, CRLF */
			buf_fmt(out, "\xe9t\xe9 %llu\r\n", (unsigned long long)dice(r, 9));
		else
			buf_fmt(out, "line %llu\n", (unsigned long long)dice(r, 5));
	}
	if (kind == 3 && out->len) /* no newline at the end */
		buf_truncate(out, out->len - 1);
	if (kind == 4)
		buf_str(out, "--- a/x\n+++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n-- \n2.39\n");
}

static void add_file(struct rng *r, struct buf *stream)
{
	static const char *const modes[] = { "100644", "100644", "100755", "120000", "160000" };
	const char *mode = modes[dice(r, ARRAY_SIZE(modes) - r->tame)];
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO content = BUF_INIT;

	random_path(r, &path);
	if (!strcmp(mode, "160000")) {
		buf_fmt(stream, "M 160000 %040llx ", (unsigned long long)dice(r, 9) + 1);
		git_quote(path.data, stream);
		buf_char(stream, '\n');
		return;
	}
	if (strcmp(mode, "120000") != 0 || !r->tame)
		random_content(r, &content);
	if (content.len == 0 && !strcmp(mode, "120000"))
		buf_fmt(&content, "../target\n%llu", (unsigned long long)dice(r, 9));
	buf_fmt(stream, "M %s inline ", mode);
	git_quote(path.data, stream);
	buf_fmt(stream, "\ndata %zu\n", content.len);
	buf_add(stream, content.data, content.len);
	buf_char(stream, '\n');
}

/* Deletions, and files that become directories and the other way round. */
static void change_files(struct rng *r, size_t n, struct buf *stream)
{
	for (size_t i = 0; i < n; i++) {
		BUF_AUTO path = BUF_INIT;

		switch (dice(r, 4)) {
		case 0:
			random_path(r, &path);
			buf_str(stream, "D ");
			git_quote(path.data, stream);
			buf_char(stream, '\n');
			break;
		case 1:
			random_name(r, &path);
			buf_str(&path, "/below");
			buf_str(stream, "M 100644 inline ");
			git_quote(path.data, stream);
			buf_fmt(stream, "\ndata 2\n%llu\n\n", (unsigned long long)dice(r, 9));
			break;
		default:
			add_file(r, stream);
		}
	}
}

/*
 * Two repositories: one with both trees, and one with the base alone, because git apply takes a
 * file from the object store where the patch only names it.
 */
struct sample {
	struct scratch dir;
	struct buf from; /* git directories */
	struct buf to;
	struct buf work; /* of `to` */
	struct buf index;
	struct buf patch;
};
#define SAMPLE_AUTO __attribute__((cleanup(sample_end))) struct sample

static void sample_end(struct sample *s)
{
	buf_release(&s->from);
	buf_release(&s->to);
	buf_release(&s->work);
	buf_release(&s->index);
	buf_release(&s->patch);
	scratch_remove(&s->dir);
}

static void must(const struct git_cmd *git, const char *const *args, const struct buf *in,
		 struct buf *out)
{
	struct error err = ERROR_INIT;
	struct git_cmd cmd = *git;

	cmd.args = args;
	cmd.in = in ? in->data : NULL;
	cmd.in_len = in ? in->len : 0;
	cmd.out = out;
	cr_assert_eq(git_must(&cmd, &err), 0, "%s", err.msg);
	if (out && out->len && out->data[out->len - 1] == '\n')
		buf_truncate(out, out->len - 1);
}

static struct sample sample_make(void)
{
	static const char *const from[] = { "init", "-q", "from", NULL };
	static const char *const to[] = { "init", "-q", "to", NULL };
	struct sample s = { .dir = scratch_make(),
			    .from = BUF_INIT,
			    .to = BUF_INIT,
			    .work = BUF_INIT,
			    .index = BUF_INIT,
			    .patch = BUF_INIT };
	struct git_cmd git = { .cwd = s.dir.path };

	must(&git, from, NULL, NULL);
	must(&git, to, NULL, NULL);
	buf_fmt(&s.from, "%s/from/.git", s.dir.path);
	buf_fmt(&s.to, "%s/to/.git", s.dir.path);
	buf_fmt(&s.work, "%s/to", s.dir.path);
	buf_fmt(&s.index, "%s/index", s.dir.path);
	buf_fmt(&s.patch, "%s/patch", s.dir.path);
	return s;
}

static void import(const struct sample *s, struct rng *r, size_t files)
{
	static const char *const args[] = { "fast-import", "--quiet", "--force", NULL };
	struct git_cmd from = { .git_dir = s->from.data };
	struct git_cmd to = { .git_dir = s->to.data };
	BUF_AUTO stream = BUF_INIT;

	buf_str(&stream, "commit refs/heads/base\nmark :1\ncommitter a <a> 1 +0000\ndata 1\nb\n");
	for (size_t i = 0; i < files; i++)
		add_file(r, &stream);
	must(&to, args, &stream, NULL);
	buf_str(&stream, "commit refs/heads/tree\ncommitter a <a> 1 +0000\ndata 1\nt\nfrom :1\n");
	change_files(r, files / 2 + 1, &stream);
	must(&from, args, &stream, NULL);
}

static void tree_of(const struct git_cmd *git, const char *rev, struct buf *out)
{
	const char *const args[] = { "rev-parse", rev, NULL };

	must(git, args, NULL, out);
}

static void make_patch(const struct sample *s, const char *const *env)
{
	struct git_cmd git = { .git_dir = s->from.data, .env = env };
	FD_AUTO fd = open(s->patch.data, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct error err = ERROR_INIT;

	cr_assert_eq(patch_write(&git, "base", "tree", fd, &err), 0, "%s", err.msg);
}

/* Applies the patch to what git names, and compares. */
static void apply(const struct sample *s, const struct git_cmd *git, const char *how)
{
	const char *const args[] = { "apply",	    how, "--binary", "--whitespace=nowarn",
				     s->patch.data, NULL };
	static const char *const write[] = { "write-tree", "--missing-ok", NULL };
	const struct git_cmd from = { .git_dir = s->from.data };
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO want = BUF_INIT;
	BUF_AUTO got = BUF_INIT;

	tree_of(&from, "base^{tree}", &base);
	tree_of(&from, "tree^{tree}", &want);
	if (strcmp(base.data, want.data) != 0)
		must(git, args, NULL, NULL);
	must(git, write, NULL, &got);
	cr_expect_str_eq(got.data, want.data);
}

static void apply_cached(const struct sample *s)
{
	static const char *const read[] = { "read-tree", "base", NULL };
	const struct git_cmd git = { .git_dir = s->to.data, .index_file = s->index.data };

	must(&git, read, NULL, NULL);
	apply(s, &git, "--cached");
}

Test(patch, random_trees_come_back_exactly)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct rng r = { .state = seed * 2654435761u, .names = 4 };
		SAMPLE_AUTO s = sample_make();

		import(&s, &r, seed % 20 + 1);
		make_patch(&s, NULL);
		apply_cached(&s);
	}
}

Test(patch, thousands_of_files_in_a_work_tree)
{
	static const char *const checkout[] = { "checkout", "-q", "base", NULL };
	static const char *const status[] = { "status", "--porcelain", NULL };
	struct rng r = { .state = 99, .names = 100, .tame = true };
	SAMPLE_AUTO s = sample_make();
	PATCH_LIST_AUTO l = PATCH_LIST_INIT;
	BUF_AUTO left = BUF_INIT;
	struct error err = ERROR_INIT;
	const struct git_cmd from = { .git_dir = s.from.data };
	const struct git_cmd to = { .cwd = s.work.data };

	import(&s, &r, 8000);
	make_patch(&s, NULL);
	must(&to, checkout, NULL, NULL);
	apply(&s, &to, "--index");
	must(&to, status, NULL, &left);
	cr_expect_null(strstr(left.data, "??"), "files of the base are left");
	cr_assert_eq(patch_list(&from, "base", "tree", &l, &err), 0, "%s", err.msg);
	cr_expect_gt(l.len, 2000);
}

Test(patch, the_operators_settings_change_nothing)
{
	static const char *const settings[] = {
		"GIT_CONFIG_COUNT=6",	     "GIT_CONFIG_KEY_0=diff.noprefix",
		"GIT_CONFIG_VALUE_0=true",   "GIT_CONFIG_KEY_1=diff.renames",
		"GIT_CONFIG_VALUE_1=copies", "GIT_CONFIG_KEY_2=core.quotePath",
		"GIT_CONFIG_VALUE_2=false",  "GIT_CONFIG_KEY_3=diff.suppressBlankEmpty",
		"GIT_CONFIG_VALUE_3=true",   "GIT_CONFIG_KEY_4=diff.external",
		"GIT_CONFIG_VALUE_4=false",  "GIT_CONFIG_KEY_5=diff.ignoreSubmodules",
		"GIT_CONFIG_VALUE_5=all",    NULL
	};
	struct rng r = { .state = 7, .names = 4 };
	SAMPLE_AUTO s = sample_make();

	import(&s, &r, 60);
	make_patch(&s, settings);
	apply_cached(&s);
}

/* --- hunks ------------------------------------------------------------------------------------ */

static void parse_hunks(const struct buf *text, struct hunk_list *out)
{
	struct error err = ERROR_INIT;

	cr_assert_eq(hunks_parse(text->data, text->len, out, &err), 0, "%s", err.msg);
}

static void put_patch(const struct sample *s, const struct buf *text)
{
	struct error err = ERROR_INIT;

	cr_assert_eq(file_write_atomic(AT_FDCWD, s->patch.data,
				       (struct file_content){ text->data, text->len, 0600 }, &err),
		     0, "%s", err.msg);
}

static void read_patch(const struct sample *s, struct buf *out)
{
	struct error err = ERROR_INIT;

	cr_assert_eq(file_read(AT_FDCWD, s->patch.data, 64 << 20, out, &err), 0, "%s", err.msg);
}

Test(hunks, all_taken_is_the_whole_patch)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rng r = { .state = seed * 40503, .names = 3 };
		SAMPLE_AUTO s = sample_make();
		HUNK_LIST_AUTO l = HUNK_LIST_INIT;
		PATCH_LIST_AUTO files = PATCH_LIST_INIT;
		const struct git_cmd from = { .git_dir = s.from.data };
		struct error err = ERROR_INIT;
		BUF_AUTO text = BUF_INIT;
		BUF_AUTO taken = BUF_INIT;

		import(&s, &r, seed * 5);
		make_patch(&s, NULL);
		read_patch(&s, &text);
		parse_hunks(&text, &l);
		cr_assert_eq(patch_list(&from, "base", "tree", &files, &err), 0, "%s", err.msg);
		cr_expect_eq(l.len, files.len);
		hunks_taken(&l, &taken);
		cr_expect_eq(taken.len, 0);
		for (size_t i = 0; i < l.len; i++) {
			cr_expect_not_null(patch_find(&files, l.v[i].path.data), "%s",
					   l.v[i].path.data);
			for (size_t j = 0; j < l.v[i].len; j++)
				l.v[i].v[j].taken = true;
		}
		hunks_taken(&l, &taken);
		put_patch(&s, &taken);
		apply_cached(&s);
	}
}

/* Base and tree differ in one file. */
static void one_file(const struct sample *s, const char *base, const char *tree)
{
	static const char *const args[] = { "fast-import", "--quiet", "--force", NULL };
	const struct git_cmd from = { .git_dir = s->from.data };
	const struct git_cmd to = { .git_dir = s->to.data };
	BUF_AUTO stream = BUF_INIT;

	buf_fmt(&stream,
		"commit refs/heads/base\nmark :1\ncommitter a <a> 1 +0000\ndata 1\nb\n"
		"M 100644 inline f\ndata %zu\n%s\n",
		strlen(base), base);
	must(&to, args, &stream, NULL);
	buf_fmt(&stream,
		"commit refs/heads/tree\ncommitter a <a> 1 +0000\ndata 1\nt\nfrom :1\n"
		"M 100755 inline f\ndata %zu\n%s\n",
		strlen(tree), tree);
	must(&from, args, &stream, NULL);
}

/* What f is, and its mode, where of its hunks (mode first) those in `wanted` are taken. */
static void take(const struct sample *s, unsigned wanted, struct buf *content, struct buf *mode)
{
	static const char *const read[] = { "read-tree", "base", NULL };
	static const char *const show[] = { "cat-file", "blob", ":f", NULL };
	static const char *const list[] = { "ls-files", "-s", NULL };
	const char *const apply[] = { "apply", "--cached", "--binary", s->patch.data, NULL };
	const struct git_cmd to = { .git_dir = s->to.data, .index_file = s->index.data };
	HUNK_LIST_AUTO l = HUNK_LIST_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO taken = BUF_INIT;

	make_patch(s, NULL);
	read_patch(s, &text);
	parse_hunks(&text, &l);
	cr_assert_eq(l.len, 1);
	for (size_t i = 0; i < l.v[0].len; i++)
		l.v[0].v[i].taken = wanted >> i & 1;
	hunks_taken(&l, &taken);
	put_patch(s, &taken);
	must(&to, read, NULL, NULL);
	must(&to, apply, NULL, NULL);
	must(&to, show, NULL, content);
	must(&to, list, NULL, mode);
	buf_truncate(mode, 6);
}

/* The same block many times over: where a hunk goes is only known by its line numbers. */
Test(hunks, each_goes_where_it_belongs)
{
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO tree = BUF_INIT;
	SAMPLE_AUTO s = sample_make();

	for (int i = 0; i < 30; i++) {
		buf_str(&base, "{\n\tx\n}\n\n\n\n\n\n\n\n");
		buf_str(&tree, "{\n");
		if (i == 3)
			buf_str(&tree, "\t1\n\t2\n\t3\n\t4\n\t5\n\t6\n\t7\n\t8\n\t9\n\t10\n");
		if (i == 20)
			buf_str(&tree, "\tlast\n");
		buf_str(&tree, "\tx\n}\n\n\n\n\n\n\n\n");
	}
	one_file(&s, base.data, tree.data);
	for (unsigned wanted = 1; wanted < 8; wanted++) {
		BUF_AUTO content = BUF_INIT;
		BUF_AUTO mode = BUF_INIT;
		BUF_AUTO want = BUF_INIT;

		for (int i = 0; i < 30; i++) {
			buf_str(&want, "{\n");
			if (i == 3 && wanted & 2)
				buf_str(&want,
					"\t1\n\t2\n\t3\n\t4\n\t5\n\t6\n\t7\n\t8\n\t9\n\t10\n");
			if (i == 20 && wanted & 4)
				buf_str(&want, "\tlast\n");
			buf_str(&want, "\tx\n}\n\n\n\n\n\n\n\n");
		}
		take(&s, wanted, &content, &mode);
		buf_char(&content, '\n'); /* must() took the last one */
		cr_expect_str_eq(content.data, want.data, "%u", wanted);
		cr_expect_str_eq(mode.data, wanted & 1 ? "100755" : "100644", "%u", wanted);
	}
}

Test(hunks, lines_that_look_like_heads)
{
	SAMPLE_AUTO s = sample_make();
	BUF_AUTO content = BUF_INIT;
	BUF_AUTO mode = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	HUNK_LIST_AUTO l = HUNK_LIST_INIT;

	one_file(&s, "a\n-- a/f\n++ b/f\nx", "a\n@@ -1 +1 @@\ndiff --git a/x b/x\n");
	make_patch(&s, NULL);
	read_patch(&s, &text);
	parse_hunks(&text, &l);
	cr_assert_eq(l.len, 1);
	cr_expect_eq(l.v[0].len, 2);
	take(&s, 2, &content, &mode);
	cr_expect_str_eq(content.data, "a\n@@ -1 +1 @@\ndiff --git a/x b/x");
	cr_expect_str_eq(mode.data, "100644");
}

Test(hunks, what_is_no_patch_is_refused)
{
	static const char *const bad[] = {
		"x\n",
		"diff --git \n",
		"diff --git a/x b/y\n",
		"diff --git a/x b/x\n",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n",
		"diff --git a/x b/x",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n x\n-y\n",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,99999999999999999999 +1 @@\n",
		"diff --git \"a/x\\9\" \"b/x\"\n"
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		HUNK_LIST_AUTO l = HUNK_LIST_INIT;
		struct error err = ERROR_INIT;

		cr_expect_neq(hunks_parse(bad[i], strlen(bad[i]), &l, &err), 0, "%s", bad[i]);
	}
}

Test(hunks, names_are_unquoted)
{
	BUF_AUTO out = BUF_INIT;

	cr_expect_eq(hunks_unquote("\"a\\t\\303\\251\\\"\\\\\" x", 19, &out), 17);
	cr_expect_str_eq(out.data, "a\t\303\251\"\\");
	cr_expect_eq(hunks_unquote("\"a", 2, &out), 0);
	cr_expect_eq(hunks_unquote("a", 1, &out), 0);
	cr_expect_eq(hunks_unquote("\"\\777\"", 6, &out), 0);
}
