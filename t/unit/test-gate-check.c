/*
 * store/gate over real trees. Each tree is written by git itself, raw where git
 * would not write it, and each refusal stands beside a tree that differs in that
 * one thing and passes.
 */
#include "base/base.h"

#include <sys/stat.h>

#include "store/changes.h"
#include "store/gate.h"
#include "t/unit/trees.h"

static void check(const struct rig *r, const struct buf *base, const struct buf *now,
		  struct gate_report *out)
{
	struct error err = ERROR_INIT;
	struct gate_input in = { .git = &r->git,
				 .base_tree = base->data,
				 .tree = now->data,
				 .limits = GATE_LIMITS_DEFAULT };

	cr_assert_eq(gate_check(&in, out, &err), 0, "%s", err.msg);
}

/* "rule path" of every finding, in order, separated by newlines. */
static void list(const struct gate_report *r, struct buf *out)
{
	for (size_t i = 0; i < r->len; i++)
		buf_fmt(out, "%s%s %s %s", i ? "\n" : "",
			r->v[i].severity == GATE_REFUSED ? "no" : "see", r->v[i].rule,
			r->v[i].path.data);
}

static void expect(const struct rig *r, const struct buf *base, const struct buf *now,
		   const char *want)
{
	GATE_REPORT_AUTO report = GATE_REPORT_INIT;
	BUF_AUTO text = BUF_INIT;

	check(r, base, now, &report);
	list(&report, &text);
	cr_expect_str_eq(text.data, want, "found:\n%s\nwanted:\n%s", text.data, want);
}

/* One entry beside "a" of the base. */
static void expect_entry(struct rig *r, const char *mode, const char *name, const char *text,
			 const char *want)
{
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	file(r, "100644", "a", "a");
	tree(r, &base);
	file(r, "100644", "a", "a");
	file(r, mode, name, text);
	tree(r, &now);
	expect(r, &base, &now, want);
}

Test(gate_check, the_base_itself)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	GATE_REPORT_AUTO report = GATE_REPORT_INIT;

	rig_open(&r, "sha1");
	file(&r, "120000", "Makefile", "/etc/passwd");
	tree(&r, &base);
	check(&r, &base, &base, &report);
	cr_expect_eq(report.len, 0);
}

/* Everything that is wrong with a base stays the base's business; so does a change beside it. */
static void odd_base(struct rig *r, const char *changing, struct buf *oid)
{
	BUF_AUTO gitlink = BUF_INIT;

	buf_pad(&gitlink, '1', r->hex);
	file(r, "100755", ".envrc", "x");
	file(r, "120000", ".gitattributes", "/x");
	file(r, "100664", "A", "old mode");
	file(r, "100644", "\033", "escape");
	file(r, "100644", "a", "A in small");
	file(r, "100644", "f", changing);
	file(r, "120000", "link", "/etc/passwd");
	entry(r, "160000", "sub", gitlink.data);
	file(r, "100644", "\377", "bytes");
	tree(r, oid);
}

Test(gate_check, what_the_base_has)
{
	static const char *const formats[] = { "sha1", "sha256" };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		RIG_AUTO r;
		BUF_AUTO base = BUF_INIT;
		BUF_AUTO now = BUF_INIT;

		rig_open(&r, formats[i]);
		odd_base(&r, "1", &base);
		odd_base(&r, "2", &now);
		expect(&r, &base, &now, "");
	}
}

Test(gate_check, control_every_oddity_of_that_base_is_found_when_new)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	rig_open(&r, "sha256");
	tree(&r, &base);
	odd_base(&r, "1", &now);
	expect(&r, &base, &now,
	       "no name-control \033\nno link-absolute .gitattributes\n"
	       "no link-git-file .gitattributes\nno mode A\nno name-case a\n"
	       "no link-absolute link\nno submodule-new sub\nno name-not-utf8 \377\n"
	       "see new-executable .envrc\nsee runs-shell .envrc\n"
	       "see configures-git .gitattributes");
}

Test(gate_check, names)
{
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_entry(&r, "100644", "b", "x", "");
	expect_entry(&r, "100644", ".git", "x", "no name-git .git");
	expect_entry(&r, "100644", "git~1", "x", "no name-git git~1");
	expect_entry(&r, "100644", "git~2", "x", "");
	expect_entry(&r, "100644", ".git. ", "x", "no name-git .git. ");
	expect_entry(&r, "100644", "..", "x", "no name-parts ..");
	expect_entry(&r, "100644", "b/c", "x", "no name-parts b/c");
	expect_entry(&r, "100644", "b\nc", "x", "no name-control b\nc");
	expect_entry(&r, "100644", "A", "x", "see name-case A");
	expect_entry(&r, "120000", "A", "x", "no name-case A");
	expect_entry(&r, "100644", "a", "x", "no name-twice a");
}

Test(gate_check, names_of_directories)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	rig_open(&r, "sha1");
	tree(&r, &base);
	file(&r, "100644", "config", "x");
	tree(&r, &in);
	entry(&r, "40000", ".GIT", in.data);
	tree(&r, &in);
	entry(&r, "40000", "d", in.data);
	tree(&r, &now);
	expect(&r, &base, &now, "no name-git d/.GIT");
}

Test(gate_check, modes)
{
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_entry(&r, "100644", "b", "x", "");
	expect_entry(&r, "100755", "b", "x", "see new-executable b");
	expect_entry(&r, "100664", "b", "x", "no mode b");
	expect_entry(&r, "104755", "b", "x", "no mode b\nsee new-executable b");
	expect_entry(&r, "0100644", "b", "x", "no mode b");
	expect_entry(&r, "010644", "b", "x", "no mode b\nno submodule-new b");
}

static void expect_change(struct rig *r, const char *from, const char *to, const char *want)
{
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	file(r, from, "b", "x");
	tree(r, &base);
	file(r, to, "b", "x");
	tree(r, &now);
	expect(r, &base, &now, want);
}

Test(gate_check, changes_of_mode)
{
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_change(&r, "100644", "100755", "see mode-executable b");
	expect_change(&r, "100755", "100644", "see mode-plain b");
	expect_change(&r, "100644", "120000", "see type b");
	expect_change(&r, "120000", "100755", "see type b");
}

Test(gate_check, links)
{
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_entry(&r, "120000", "b", "a", "");
	expect_entry(&r, "120000", "b", "/etc/passwd", "no link-absolute b");
	expect_entry(&r, "120000", "b", "../x", "no link-escapes b");
	expect_entry(&r, "120000", "b", "a/../..", "no link-winds b");
	expect_entry(&r, "120000", "b", ".git/hooks", "no link-into-git b");
	expect_entry(&r, "120000", ".gitignore", "a", "no link-git-file .gitignore");
	expect_entry(&r, "120000", ".mailmap", "a", "no link-git-file .mailmap");
	expect_entry(&r, "120000", "GI7EBA~1", "a", "no link-git-file GI7EBA~1");
	expect_entry(&r, "100644", ".gitignore", "a", "");
}

Test(gate_check, a_link_that_changed)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO now = BUF_INIT;
	BUF_AUTO in = BUF_INIT;

	rig_open(&r, "sha1");
	file(&r, "120000", "b", "a");
	tree(&r, &in);
	entry(&r, "40000", "d", in.data);
	tree(&r, &base);
	file(&r, "120000", "b", "../a");
	tree(&r, &in);
	entry(&r, "40000", "d", in.data);
	tree(&r, &now);
	expect(&r, &base, &now, "");
	file(&r, "120000", "b", "../../a");
	tree(&r, &in);
	entry(&r, "40000", "d", in.data);
	tree(&r, &now);
	expect(&r, &base, &now, "no link-escapes d/b");
}

/* What the rule about ".." after a name is for: each link alone seems to stay inside. */
Test(gate_check, control_two_links_that_leave_together)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO now = BUF_INIT;
	struct stat top, reached;

	rig_open(&r, "sha1");
	cr_assert_eq(mkdirat(r.s.fd, "t", 0700), 0);
	cr_assert_eq(symlinkat(".", r.s.fd, "t/here"), 0);
	cr_assert_eq(symlinkat("here/..", r.s.fd, "t/out"), 0);
	cr_assert_eq(fstat(r.s.fd, &top), 0);
	cr_assert_eq(fstatat(r.s.fd, "t/out", &reached, 0), 0);
	cr_expect_eq(top.st_ino, reached.st_ino, "the kernel does leave t/");

	tree(&r, &base);
	file(&r, "120000", "here", ".");
	file(&r, "120000", "out", "here/..");
	tree(&r, &now);
	expect(&r, &base, &now, "no link-winds out");
}

/* A submodule at a commit of that digit; '\0': none. */
static void submodule(struct rig *r, char digit, struct buf *oid)
{
	BUF_AUTO commit = BUF_INIT;

	buf_pad(&commit, digit, r->hex);
	if (digit)
		entry(r, "160000", "sub", commit.data);
	file(r, "100644", "x", "x");
	tree(r, oid);
}

Test(gate_check, submodules)
{
	RIG_AUTO r;
	BUF_AUTO none = BUF_INIT;
	BUF_AUTO one = BUF_INIT;
	BUF_AUTO two = BUF_INIT;

	rig_open(&r, "sha1");
	submodule(&r, '\0', &none);
	submodule(&r, '1', &one);
	submodule(&r, '2', &two);
	expect(&r, &one, &two, "no submodule-moved sub");
	expect(&r, &none, &one, "no submodule-new sub");
	expect(&r, &one, &none, "see submodule-gone sub");
}

/* What a .gitmodules says, which a box may write, must not hide one. */
Test(gate_check, submodules_that_git_is_told_to_ignore)
{
	RIG_AUTO r;
	BUF_AUTO none = BUF_INIT;
	BUF_AUTO one = BUF_INIT;
	BUF_AUTO two = BUF_INIT;
	BUF_AUTO shown = BUF_INIT;
	CHANGE_LIST_AUTO changes = CHANGE_LIST_INIT;
	struct error err = ERROR_INIT;

	rig_open(&r, "sha1");
	submodule(&r, '1', &one);
	submodule(&r, '2', &two);
	scratch_put(&r.s, ".gitmodules",
		    "[submodule \"sub\"]\n\tpath = sub\n\turl = ./x\n\tignore = all\n");
	r.git.work_tree = r.s.path;
	r.git.cwd = r.s.path;
	const char *const unguarded[] = { "diff-tree", one.data, two.data, NULL };
	git_in(&r, unguarded, &none, &shown);
	cr_expect_str_eq(shown.data, "", "control: git hides it");
	expect(&r, &one, &two, "no submodule-moved sub");
	cr_assert_eq(changes_between(&r.git, one.data, two.data, &changes, &err), 0, "%s", err.msg);
	cr_expect_eq(changes.len, 1);
}

Test(gate_check, what_the_host_may_run)
{
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_entry(&r, "100644", "Makefile", "x", "see runs-build Makefile");
	expect_entry(&r, "100755", ".envrc", "x",
		     "see new-executable .envrc\nsee runs-shell .envrc");
	expect_entry(&r, "120000", ".husky", "a", "see runs-hooks .husky");
	expect_entry(&r, "100644", "AGENTS.md", "x", "see instructs-agent AGENTS.md");
}

Test(gate_check, what_the_host_no_longer_runs)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO now = BUF_INIT;
	GATE_REPORT_AUTO report = GATE_REPORT_INIT;

	rig_open(&r, "sha1");
	file(&r, "100644", ".gitattributes", "x");
	tree(&r, &base);
	tree(&r, &now);
	check(&r, &base, &now, &report);
	cr_assert_eq(report.len, 1);
	cr_expect_str_eq(report.v[0].rule, "configures-git");
	cr_expect(strstr(report.v[0].detail.data, "removed"));
}

static void expect_package(struct rig *r, const char *old, const char *now, const char *want)
{
	BUF_AUTO from = BUF_INIT;
	BUF_AUTO to = BUF_INIT;

	file(r, "100644", "a", "a");
	if (old)
		file(r, "100644", "package.json", old);
	tree(r, &from);
	file(r, "120000", "a", "b");
	if (now)
		file(r, "100644", "package.json", now);
	tree(r, &to);
	expect(r, &from, &to, want);
}

Test(gate_check, packages)
{
	static const char old[] = "{\"version\":1,\"scripts\":{\"a\":\"b\"}}";
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_package(&r, old, old, "see type a");
	expect_package(&r, old, "{\"version\":2,\"scripts\":{\"a\":\"b\"}}",
		       "see type a\nsee package package.json");
	expect_package(&r, old, "{\"version\":1,\"scripts\":{\"a\":\"c\"}}",
		       "see type a\nsee package-scripts package.json");
	expect_package(&r, NULL, old, "see type a\nsee package-scripts package.json");
	expect_package(&r, old, NULL, "see type a\nsee package-scripts package.json");
}

Test(gate_check, gitmodules)
{
	RIG_AUTO r;

	rig_open(&r, "sha1");
	expect_entry(&r, "100644", ".gitmodules", "[submodule \"x\"]\r\n\tpath = x\r\n",
		     "see configures-git .gitmodules");
	expect_entry(&r, "100644", ".gitmodules", "[submodule \"x\"]\n\tpath = \"x\r\"\n",
		     "no gitmodules .gitmodules\nsee configures-git .gitmodules");
}

/* A tree with a directory d that holds HEAD, config and what the caller gathered before. */
static void expect_planted(struct rig *r, const struct buf *base, const char *want)
{
	BUF_AUTO bare = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	file(r, "100644", "HEAD", "ref: refs/heads/x\n");
	file(r, "100644", "config", "[core]\n\tfsmonitor = ./x\n");
	tree(r, &bare);
	entry(r, "40000", "d", bare.data);
	tree(r, &now);
	expect(r, base, &now, want);
}

Test(gate_check, planted_repositories)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO keep = BUF_INIT;

	rig_open(&r, "sha1");
	tree(&r, &base);
	file(&r, "100644", "keep", "");
	tree(&r, &keep);
	entry(&r, "40000", "objects", keep.data);
	expect_planted(&r, &base, "");
	entry(&r, "40000", "objects", keep.data);
	entry(&r, "40000", "refs", keep.data);
	expect_planted(&r, &base, "see repository d");
	file(&r, "100644", "commondir", "../elsewhere\n");
	expect_planted(&r, &base, "see repository d");
}

/* A file made room for a directory: two changes of one path. */
Test(gate_check, a_directory_where_a_file_was)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	rig_open(&r, "sha1");
	file(&r, "100644", "d", "x");
	tree(&r, &base);
	file(&r, "100644", "f", "x");
	tree(&r, &in);
	entry(&r, "040000", "d", in.data);
	tree(&r, &now);
	expect(&r, &base, &now, "no mode d");
	entry(&r, "40000", "d", in.data);
	tree(&r, &now);
	expect(&r, &base, &now, "");
	expect(&r, &now, &base, "");
}

static void expect_limited(const struct rig *r, const struct gate_limits *limits,
			   const struct buf *now, const char *want)
{
	static const char *const args[] = { "mktree", NULL };
	struct error err = ERROR_INIT;
	GATE_REPORT_AUTO report = GATE_REPORT_INIT;
	BUF_AUTO none = BUF_INIT;
	BUF_AUTO empty = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	struct gate_input in = { .git = &r->git, .tree = now->data, .limits = *limits };

	git_in(r, args, &none, &empty);
	in.base_tree = empty.data;
	cr_assert_eq(gate_check(&in, &report, &err), 0, "%s", err.msg);
	list(&report, &text);
	cr_expect_str_eq(text.data, want);
}

Test(gate_check, limits)
{
	struct gate_limits limits = GATE_LIMITS_DEFAULT;
	RIG_AUTO r;
	BUF_AUTO now = BUF_INIT;

	rig_open(&r, "sha1");
	file(&r, "100644", "a", "four");
	file(&r, "100644", "bb", "five!");
	tree(&r, &now);
	limits.changes = 2;
	limits.blob_bytes = 5;
	limits.path_bytes = 2;
	expect_limited(&r, &limits, &now, "");
	limits.blob_bytes = 4;
	expect_limited(&r, &limits, &now, "no too-large bb");
	limits.path_bytes = 1;
	expect_limited(&r, &limits, &now, "no path-too-long bb\nno too-large bb");
	limits.changes = 1;
	expect_limited(&r, &limits, &now, "no too-many-changes ");
}

Test(gate_check, objects_that_are_not_what_they_seem)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO missing = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	rig_open(&r, "sha1");
	tree(&r, &base);
	buf_pad(&missing, '3', r.hex);
	entry(&r, "100644", "gone", missing.data);
	entry(&r, "120000", "link", missing.data);
	entry(&r, "100644", "tree", base.data);
	tree(&r, &now);
	expect(&r, &base, &now, "no object gone\nno object link\nno object tree");
}

static void expect_no_answer(const struct rig *r, const char *base, const char *now)
{
	GATE_REPORT_AUTO report = GATE_REPORT_INIT;
	struct error err = ERROR_INIT;
	struct gate_input in = {
		.git = &r->git, .base_tree = base, .tree = now, .limits = GATE_LIMITS_DEFAULT
	};

	cr_expect_eq(gate_check(&in, &report, &err), -1);
	cr_expect_neq(err.msg[0], '\0');
}

Test(gate_check, what_cannot_be_checked)
{
	RIG_AUTO r;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO missing = BUF_INIT;
	BUF_AUTO now = BUF_INIT;

	rig_open(&r, "sha1");
	tree(&r, &base);
	buf_pad(&missing, '3', r.hex);
	expect_no_answer(&r, base.data, missing.data);
	expect_no_answer(&r, missing.data, base.data);
	file(&r, "40000", "b", "x");
	tree(&r, &now);
	expect_no_answer(&r, base.data, now.data);
	entry(&r, "40000", "b", missing.data);
	tree(&r, &now);
	expect_no_answer(&r, base.data, now.data);
}
