/* store/gate's pure parts: each rule beside a neighbour that it must let through. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "store/gate-parts.h"

static const struct gate_limits limits = GATE_LIMITS_DEFAULT;

struct named {
	const char *name;
	enum gate_rule rule;
};

Test(gate_names, rules)
{
	static const struct named rows[] = {
		{ "a", RULE_NONE },
		{ "..a", RULE_NONE },
		{ "...", RULE_NONE },
		{ ".github", RULE_NONE },
		{ ".gitignore", RULE_NONE },
		{ "git~2", RULE_NONE },
		{ "na\303\257ve \346\274\242", RULE_NONE },
		{ "", RULE_NAME_PARTS },
		{ ".", RULE_NAME_PARTS },
		{ "..", RULE_NAME_PARTS },
		{ "a/b", RULE_NAME_PARTS },
		{ "a\\..\\b", RULE_NAME_PARTS },
		{ "..\\b", RULE_NAME_PARTS },
		{ "a\\b", RULE_FLAG_BACKSLASH },
		{ "dev-disk\\x2d1.service", RULE_FLAG_BACKSLASH },
		{ ".git", RULE_NAME_GIT },
		{ ".GiT", RULE_NAME_GIT },
		{ ".git .", RULE_NAME_GIT },
		{ "GIT~1", RULE_NAME_GIT },
		{ ".git::$INDEX_ALLOCATION", RULE_NAME_GIT },
		{ ".g\342\200\214it", RULE_NAME_GIT },
		{ "a\\.git", RULE_NAME_GIT },
		{ ".g\342\200\214it. ", RULE_NAME_GIT },
		{ "a\nb", RULE_NAME_CONTROL },
		{ "a\r", RULE_NAME_CONTROL },
		{ "\033[2J", RULE_NAME_CONTROL },
		{ "a\177", RULE_NAME_CONTROL },
		{ "a\302\233b", RULE_NAME_CONTROL },
		{ "a\342\200\256b", RULE_NAME_CONTROL },
		{ "a\377", RULE_NAME_UTF8 },
		{ "\303", RULE_NAME_UTF8 },
		{ "\355\240\200", RULE_NAME_UTF8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(gate_name_rule(rows[i].name, &limits), rows[i].rule, "row %zu: %d", i,
			     gate_name_rule(rows[i].name, &limits));
}

Test(gate_names, other_bytes_where_they_are_allowed)
{
	struct gate_limits any = GATE_LIMITS_DEFAULT;

	any.any_bytes = true;
	cr_expect_eq(gate_name_rule("a\377", &any), RULE_FLAG_UTF8);
	cr_expect_eq(gate_name_rule("\377\n", &any), RULE_NAME_CONTROL);
	cr_expect_eq(gate_name_rule("a", &any), RULE_NONE);
}

Test(gate_names, lengths)
{
	BUF_AUTO b = BUF_INIT;

	buf_pad(&b, 'a', limits.name_bytes);
	cr_expect_eq(gate_name_rule(b.data, &limits), RULE_NONE);
	buf_char(&b, 'a');
	cr_expect_eq(gate_name_rule(b.data, &limits), RULE_NAME_LENGTH);
	buf_reset(&b);
	for (size_t i = 1; i < limits.depth; i++)
		buf_str(&b, "d/");
	buf_char(&b, 'f');
	cr_expect_eq(gate_path_rule(b.data, &limits), RULE_NONE);
	buf_str(&b, "/f");
	cr_expect_eq(gate_path_rule(b.data, &limits), RULE_PATH_DEPTH);
	buf_reset(&b);
	buf_pad(&b, 'a', limits.path_bytes);
	cr_expect_eq(gate_path_rule(b.data, &limits), RULE_NONE);
	buf_char(&b, 'a');
	cr_expect_eq(gate_path_rule(b.data, &limits), RULE_PATH_LENGTH);
}

static bool folds_alike(const char *a, const char *b)
{
	BUF_AUTO one = BUF_INIT;
	BUF_AUTO other = BUF_INIT;

	gate_fold(a, &one);
	gate_fold(b, &other);
	return strcmp(one.data, other.data) == 0;
}

Test(gate_names, which_are_one)
{
	cr_expect(folds_alike("Makefile", "mAKEFILE"));
	cr_expect(folds_alike("\303\204", "\303\244"));
	cr_expect(folds_alike("\320\226", "\320\266"));
	cr_expect(folds_alike("\316\243", "\317\202"));
	cr_expect(folds_alike("\342\204\252", "k"));
	cr_expect(folds_alike("a. .", "a"));
	cr_expect(folds_alike("a\342\200\215b", "ab"));
	cr_expect_not(folds_alike("a", "b"));
	cr_expect_not(folds_alike("\303\244", "a"));
	cr_expect_not(folds_alike("\303\227", "\303\267"));
	cr_expect_not(folds_alike("\376", "\377"));
	cr_expect_not(folds_alike(".a", "a"));
}

Test(gate_names, control_characters_of_text)
{
	cr_expect_not(gate_has_control("a\tb\r\nc\n", 7, true));
	cr_expect(gate_has_control("a\tb", 3, false));
	cr_expect(gate_has_control("path = \"sub\r\"\n", 14, true));
	cr_expect(gate_has_control("a\r", 2, true));
	cr_expect(gate_has_control("a\0b", 3, true));
}

struct linked {
	const char *path;
	const char *target;
	enum gate_rule rule;
};

Test(gate_links, rules)
{
	static const struct linked rows[] = {
		{ "l", "a", RULE_NONE },
		{ "l", "./a//b/", RULE_NONE },
		{ "l", ".", RULE_NONE },
		{ "l", ".github/x", RULE_NONE },
		{ "l", "..a", RULE_NONE },
		{ "d/l", "..", RULE_NONE },
		{ "d/e/l", "../../a", RULE_NONE },
		{ "d/e/l", ".././../a", RULE_NONE },
		{ "l", "..", RULE_LINK_ESCAPES },
		{ "l", "../a", RULE_LINK_ESCAPES },
		{ "d/l", "../..", RULE_LINK_ESCAPES },
		{ "d/l", "./.././../etc/passwd", RULE_LINK_ESCAPES },
		{ "l", "..\\a", RULE_LINK_ESCAPES },
		{ "d/l", "..\\a", RULE_NONE },
		{ "l", "/etc/passwd", RULE_LINK_ABSOLUTE },
		{ "l", "\\\\host\\share", RULE_LINK_ABSOLUTE },
		{ "l", "C:\\x", RULE_LINK_ABSOLUTE },
		{ "l", "c:x", RULE_LINK_ABSOLUTE },
		{ "l", "a/../b", RULE_LINK_WINDS },
		{ "d/l", "../a/..", RULE_LINK_WINDS },
		{ "l", "a\\..\\b", RULE_LINK_WINDS },
		{ "l", ".git", RULE_LINK_GIT },
		{ "d/l", "../.GIT/config", RULE_LINK_GIT },
		{ "l", "sub/git~1/hooks", RULE_LINK_GIT },
		{ "l", "sub\\.git\\hooks", RULE_LINK_GIT },
		{ "l", "", RULE_LINK_TARGET },
		{ "l", "a\nb", RULE_LINK_TARGET },
		{ "l", "\033]0;x", RULE_LINK_TARGET },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct linked *r = &rows[i];

		cr_expect_eq(gate_link_rule(r->path, r->target, strlen(r->target)), r->rule,
			     "%s -> %s: %d", r->path, r->target,
			     gate_link_rule(r->path, r->target, strlen(r->target)));
	}
	cr_expect_eq(gate_link_rule("l", "a\0/../..", 8), RULE_LINK_TARGET);
}

Test(gate_links, length)
{
	BUF_AUTO b = BUF_INIT;

	buf_pad(&b, 'a', 4095);
	cr_expect_eq(gate_link_rule("l", b.data, b.len), RULE_NONE);
	buf_char(&b, 'a');
	cr_expect_eq(gate_link_rule("l", b.data, b.len), RULE_LINK_TARGET);
}

Test(gate_hosts, what_runs_and_what_does_not)
{
	static const struct named rows[] = {
		{ ".github/workflows/ci.yml", RULE_FLAG_CI },
		{ "sub/.github/workflows/ci.yml", RULE_FLAG_CI },
		{ ".GitHub/Workflows/CI.YML", RULE_FLAG_CI },
		{ ".github/workflows", RULE_FLAG_CI },
		{ ".gitlab-ci.yml", RULE_FLAG_CI },
		{ "Jenkinsfile", RULE_FLAG_CI },
		{ "Jenkinsfile.release", RULE_FLAG_CI },
		{ ".husky/pre-commit", RULE_FLAG_HOOKS },
		{ ".husky/_/husky.sh", RULE_FLAG_HOOKS },
		{ ".husky", RULE_FLAG_HOOKS },
		{ "lefthook.yml", RULE_FLAG_HOOKS },
		{ ".pre-commit-config.yaml", RULE_FLAG_HOOKS },
		{ "a/.gitattributes", RULE_FLAG_GIT },
		{ ".gitmodules", RULE_FLAG_GIT },
		{ ".gitbox", RULE_FLAG_GIT },
		{ ".gitbox-signers", RULE_FLAG_GIT },
		{ ".envrc", RULE_FLAG_SHELL },
		{ ".envrc. ", RULE_FLAG_SHELL },
		{ "deep/down/.envrc", RULE_FLAG_SHELL },
		{ ".env.local", RULE_FLAG_SHELL },
		{ ".cargo/config.toml", RULE_FLAG_SHELL },
		{ "lib/site.pth", RULE_FLAG_SHELL },
		{ ".vscode/tasks.json", RULE_FLAG_EDITOR },
		{ ".idea/runConfigurations/x.xml", RULE_FLAG_EDITOR },
		{ "x.code-workspace", RULE_FLAG_EDITOR },
		{ ".devcontainer/devcontainer.json", RULE_FLAG_EDITOR },
		{ ".claude/settings.json", RULE_FLAG_AGENT },
		{ ".codex/config.toml", RULE_FLAG_AGENT },
		{ ".cursor/mcp.json", RULE_FLAG_AGENT },
		{ ".mcp.json", RULE_FLAG_AGENT },
		{ "AGENTS.md", RULE_FLAG_AGENT },
		{ "sub/CLAUDE.md", RULE_FLAG_AGENT },
		{ ".github/copilot-instructions.md", RULE_FLAG_AGENT },
		{ "Makefile", RULE_FLAG_BUILD },
		{ "src/GNUmakefile", RULE_FLAG_BUILD },
		{ "rules/common.mk", RULE_FLAG_BUILD },
		{ "Dockerfile", RULE_FLAG_BUILD },
		{ "Dockerfile.prod", RULE_FLAG_BUILD },
		{ "docker-compose.yml", RULE_FLAG_BUILD },
		{ "setup.py", RULE_FLAG_BUILD },
		{ "gradle/wrapper/gradle-wrapper.jar", RULE_FLAG_BUILD },
		{ "vite.config.ts", RULE_FLAG_BUILD },
		{ "README.md", RULE_NONE },
		{ "src/main.c", RULE_NONE },
		{ "workflows/x", RULE_NONE },
		{ "github/workflows/x", RULE_NONE },
		{ ".github/ISSUE_TEMPLATE/bug.md", RULE_NONE },
		{ "husky/x", RULE_NONE },
		{ "makefiles/x", RULE_NONE },
		{ "docs/agents.md.txt", RULE_NONE },
		{ "claude/x", RULE_NONE },
		{ "config.ts", RULE_NONE },
		{ "Makefile/x", RULE_NONE },
		{ "", RULE_NONE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(gate_host_rule(rows[i].name), rows[i].rule, "%s: %d", rows[i].name,
			     gate_host_rule(rows[i].name));
}

/* The table is searched by halves. */
Test(gate_hosts, the_table_is_sorted)
{
	for (size_t i = 0; i < gate_hosts_len; i++) {
		BUF_AUTO path = BUF_INIT;
		BUF_AUTO folded = BUF_INIT;

		if (i)
			cr_expect_lt(strcmp(gate_hosts[i - 1].name, gate_hosts[i].name), 0, "%s",
				     gate_hosts[i].name);
		gate_fold(gate_hosts[i].name, &folded);
		cr_expect_str_eq(folded.data, gate_hosts[i].name);
		buf_str(&path, gate_hosts[i].name);
		if (path.data[path.len - 1] == '/')
			buf_char(&path, 'x');
		cr_expect_eq(gate_host_rule(path.data), gate_hosts[i].rule, "%s", path.data);
	}
}

static bool same_package(const char *old, const char *now)
{
	return gate_package_same((struct gate_text){ old, strlen(old) },
				 (struct gate_text){ now, strlen(now) });
}

#define PKG "{\"name\":\"a\",\"scripts\":{\"test\":\"x\"}}"

Test(gate_package, surely_the_same)
{
	cr_expect(same_package(PKG, PKG));
	cr_expect(same_package(PKG, "{ \"version\": \"2\",\n\"scripts\": {\"test\":\"x\"} }\n"));
	cr_expect(same_package("{}", "{\"a\":[1,{\"scripts\":2}],\"b\":\"}\\\"\"}"));
}

Test(gate_package, perhaps_not_the_same)
{
	static const char *const others[] = {
		"{\"name\":\"a\",\"scripts\":{\"test\":\"y\"}}",
		"{\"name\":\"a\"}",
		"{\"scripts\":{\"test\":\"x\"},\"scripts\":{\"test\":\"y\"}}",
		"{\"scripts\":{\"test\":\"x\"},\"\\u0073cripts\":{\"test\":\"y\"}}",
		"{\"scripts\":{\"test\":\"x\"},\"husky\":{\"hooks\":{}}}",
		"{\"scripts\":{\"test\":\"x\"},\"lint-staged\":{}}",
		"{\"scripts\":{\"test\":\"x\"}",
		"{\"scripts\":{\"test\":\"x\"}}}",
		"{\"scripts\":{\"test\":\"x\"}} {}",
		"/*{*/ {\"scripts\":{\"test\":\"x\"}}",
		"{\"scripts\":{\"test\":\"x\"},\"a\":/*\"*/1,\"scripts\":{},\"b\":1/*\"*/}",
		"{\"scripts\":{\"test\":\"x\"},'a':1}",
		"",
		"[]",
		"{\"scripts\"",
		"{\"scripts\":",
		"{\"scripts\":\"",
		"{\"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		cr_expect_not(same_package(PKG, others[i]), "%s", others[i]);
		cr_expect_not(same_package(others[i], PKG), "%s", others[i]);
	}
}

#define OID "0123456789012345678901234567890123456789"

static int answers(const char *text, size_t len, struct gate_asks *a)
{
	struct error err = ERROR_INIT;

	gate_ask(a, NULL, OID, false);
	gate_ask(a, NULL, OID, true);
	buf_add(&a->text, text, len);
	return gate_answers_parse(a, &err);
}

Test(gate_objects, answers)
{
	static const char text[] = OID " blob 70000000000\n" OID " tree 3\na\0b\n";
	static const char gone[] = OID " missing\n" OID " missing\n";
	GATE_ASKS_AUTO a = GATE_ASKS_INIT;
	GATE_ASKS_AUTO b = GATE_ASKS_INIT;

	cr_assert_eq(answers(text, sizeof(text) - 1, &a), 0);
	cr_expect_eq(a.v[0].kind, 'b');
	cr_expect_eq(a.v[0].size, 70000000000);
	cr_expect_null(a.v[0].data);
	cr_expect_eq(a.v[1].kind, 't');
	cr_expect_eq(memcmp(a.v[1].data, "a\0b", 3), 0);
	cr_assert_eq(answers(gone, sizeof(gone) - 1, &b), 0);
	cr_expect_eq(b.v[1].kind, 0);
	cr_expect_null(b.v[1].data);
}

Test(gate_objects, no_answers)
{
	static const char *const bad[] = {
		"",
		OID " blob 3\n",
		OID " blob 3\n" OID " blob 3\nabc",
		OID " blob 3\n" OID " blob 4\nabc\n",
		OID " blob 3\n" OID " blob 3\nabc\nmore",
		OID " blob -1\n" OID " missing\n",
		OID " blob 99999999999999999999\n" OID " missing\n",
		OID " thing 3\n" OID " missing\n",
		"1" OID " blob 3\n" OID " missing\n",
		OID " ambiguous\n" OID " missing\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		GATE_ASKS_AUTO a = GATE_ASKS_INIT;

		cr_expect_eq(answers(bad[i], strlen(bad[i]), &a), -1, "%s", bad[i]);
	}
}

Test(gate_report, refused_first_then_by_path)
{
	GATE_REPORT_AUTO r = GATE_REPORT_INIT;

	gate_add(&r, RULE_FLAG_CI, "a", NULL);
	gate_add(&r, RULE_NAME_GIT, "b", "more");
	gate_add(&r, RULE_FLAG_BUILD, "A", NULL);
	gate_add(&r, RULE_LINK_ABSOLUTE, "a", NULL);
	gate_add(&r, RULE_FLAG_BUILD, "a", NULL);
	gate_sort(&r);
	cr_expect_eq(r.refused, 2);
	cr_expect_eq(r.flagged, 3);
	cr_expect_str_eq(r.v[0].rule, "link-absolute");
	cr_expect_str_eq(r.v[1].path.data, "b");
	cr_expect(strstr(r.v[1].detail.data, "; more"));
	cr_expect_str_eq(r.v[2].path.data, "A");
	cr_expect_str_eq(r.v[3].rule, "runs-build");
	cr_expect_str_eq(r.v[4].rule, "runs-ci");
}

Test(gate_report, every_rule_has_a_row)
{
	for (size_t i = RULE_NONE + 1; i < RULE_MAX; i++) {
		cr_assert(gate_rules[i].id && gate_rules[i].text, "%zu", i);
		cr_expect_eq(gate_rules[i].severity,
			     i < RULE_FLAG_UTF8 ? GATE_REFUSED : GATE_FLAGGED);
	}
}
