/* policy: canonical text, digest, strict reading; the built-in profiles. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "policy/policy.h"
#include "policy/profile.h"

static void fill(struct policy *p)
{
	policy_init(p);
	buf_str(&p->profile, "default");
	strv_add(&p->read, "/usr");
	strv_add(&p->read, "/home/\xff name");
	strv_add(&p->env, "LANG");
	strv_add(&p->setenv, "A=b");
	strv_add(&p->protect, ".mcp.json");
	strv_add(&p->path, "/usr/games");
	p->memory = 4096;
	p->processes = 7;
	p->wall_ms = 1000;
}

Test(policy, round_trip)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT, again = BUF_INIT;
	struct policy a, b;

	fill(&a);
	policy_init(&b);
	policy_json(&a, &text);
	cr_assert_eq(policy_from_json(text.data, text.len, &b, &err), 0, "%s", err.msg);
	cr_expect_str_eq(b.read.v[1], "/home/\xff name", "bytes that are not UTF-8 survive");
	cr_expect_eq(b.memory, 4096);
	cr_expect_eq(b.tier, TIER_PROCESS);
	policy_json(&b, &again);
	cr_expect_str_eq(again.data, text.data);
	policy_release(&a);
	policy_release(&b);
}

/* Digests are kept beside boxes for a long time: this value may change only with the schema. */
Test(policy, digest_is_stable)
{
	char digest[65];
	struct policy p;

	fill(&p);
	policy_digest(&p, digest);
	cr_expect_str_eq(digest,
			 "f0e3077814458816cef061071ea3e35ce0a5672cd1c1340ba307b73256683f4e");
	policy_release(&p);
}

Test(policy, digest_covers_every_member)
{
	char digest[16][65];
	size_t n = 0;

	for (int member = 0; member < 12; member++) {
		struct policy p;
		struct strv *lists[] = {
			&p.read, &p.write, &p.env, &p.setenv, &p.protect, &p.path
		};
		uint64_t *numbers[] = { &p.memory, &p.processes, &p.wall_ms, &p.cpu_ms,
					&p.file_size };
		fill(&p);
		if (member < 6)
			strv_add(lists[member], "x");
		else if (member < 11)
			++*numbers[member - 6];
		policy_digest(&p, digest[n++]);
		policy_release(&p);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			cr_expect_str_neq(digest[i], digest[k], "members %zu and %zu", i, k);
}

/* Replaces the first `from` in text. */
static void replace(struct buf *text, const char *from, const char *to)
{
	char *at = strstr(text->data, from);
	BUF_AUTO rest = BUF_INIT;

	cr_assert_not_null(at, "%s", from);
	buf_str(&rest, at + strlen(from));
	buf_truncate(text, (size_t)(at - text->data));
	buf_str(text, to);
	buf_str(text, rest.data);
}

Test(policy, hostile_text_is_refused)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "\"memory\":4096", "\"memory\":-1" },
		{ "\"memory\":4096", "\"memory\":\"4096\"" },
		{ "\"memory\":4096", "\"memory\":4096,\"memory\":1" },
		{ "\"memory\":4096", "\"mem0ry\":4096" },
		{ "\"memory\":4096", "\"memory\":4096,\"more\":1" },
		{ "\"schema\":1", "\"schema\":2" },
		{ "\"tier\":\"process\"", "\"tier\":\"auto\"" },
		{ "\"tier\":\"process\"", "\"tier\":\"\"" },
		{ "[\"LANG\"]", "[1]" },
		{ "[\"LANG\"]", "\"LANG\"" },
		{ "[\"LANG\"]", "[[\"LANG\"]]" },
		{ "{", "[{" },
		{ "}", "" },
		{ "}", "} x" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		BUF_AUTO text = BUF_INIT;
		struct policy p, out;
		fill(&p);
		policy_init(&out);
		policy_json(&p, &text);
		replace(&text, rows[i].from, rows[i].to);
		cr_expect_eq(policy_from_json(text.data, text.len, &out, &err), -1, "%s",
			     rows[i].to);
		cr_expect_eq(err.kind, ERR_CORRUPT, "%s", rows[i].to);
		cr_expect_eq(out.read.len, 0, "untouched on failure");
		policy_release(&p);
		policy_release(&out);
	}
}

Test(policy, tier_names)
{
	struct error err = ERROR_INIT;
	enum tier t = TIER_MAX;

	for (int i = 0; i < TIER_MAX; i++) {
		cr_expect_eq(tier_parse(tier_names[i], &t, &err), 0);
		cr_expect_eq((int)t, i);
	}
	cr_expect_eq(tier_parse("proces", &t, &err), -1);
	cr_expect_eq(err.kind, ERR_USAGE);
	cr_expect(strstr(err.hint, "'process'"));
	cr_expect_eq(tier_parse("auto", &t, &err), -1, "auto is a wish, not a tier");
}

static int resolve(const char *profile, const char *isolation, struct policy *out,
		   struct error *err)
{
	struct profile_request req = { .profile = profile,
				       .isolation = isolation,
				       .home = "/home/u",
				       .repo_top = "/home/u/r" };

	policy_init(out);
	return profile_resolve(&req, out, err);
}

Test(profile, built_ins)
{
	struct error err = ERROR_INIT;
	struct policy d, a;

	cr_assert_eq(resolve(NULL, NULL, &d, &err), 0);
	cr_assert_eq(resolve("agent", "auto", &a, &err), 0);
	cr_expect_str_eq(d.profile.data, "default");
	cr_expect_eq(d.tier, TIER_PROCESS);
	cr_expect_eq(a.tier, TIER_PROCESS);
	cr_expect_eq(d.memory, 4ull << 30);
	cr_expect_eq(a.memory, 8ull << 30);
	cr_expect_eq(d.processes, 256);
	cr_expect_eq(a.processes, 512);
	cr_expect_eq(d.wall_ms, 30 * 60 * 1000);
	cr_expect(strv_has(&a.read, "/home/u/.cargo/bin"));
	cr_expect(strv_has(&a.path, "/home/u/.cargo/bin"));
	cr_expect(strv_has(&a.setenv, "IS_SANDBOX=1"));
	cr_expect_eq(d.write.len + a.write.len, 0);
	for (size_t i = 0; i < d.read.len; i++)
		cr_expect_neq(strncmp(d.read.v[i], "/home", 5), 0, "%s", d.read.v[i]);
	policy_release(&d);
	policy_release(&a);
}

/* Where tokens and keys lie, and every directory around them. */
Test(profile, no_place_of_credentials_is_shown)
{
	static const char *const secret[] = {
		"/home/u/.ssh/id_ed25519",
		"/home/u/.aws/credentials",
		"/home/u/.config/gh/hosts.yml",
		"/home/u/.netrc",
		"/home/u/.npmrc",
		"/home/u/.cargo/credentials.toml",
		"/home/u/.cargo/config.toml",
		"/home/u/.m2/settings.xml",
		"/home/u/.gnupg/x",
		"/home/u/.docker/config.json",
		"/home/u/.claude/.credentials.json",
		"/home/u/.codex/auth.json",
		"/home/u/.git-credentials",
		"/home/u/.pypirc",
		"/home/u/.local/share/keyrings/x",
		"/home/u/.gradle/gradle.properties",
		"/home/u/.config/git/credentials",
		"/home/u/.kube/config",
		"/home/u/.dotnet/corefx/cryptography/x509stores/my/x.pfx",
		"/home/u/.bash_history",
		"/etc/shadow",
		"/etc/ssl/private/x",
		"/root/.ssh/id",
		"/run/user/1000/bus",
		"/var/run/docker.sock",
	};
	struct error err = ERROR_INIT;
	struct policy a;

	cr_assert_eq(resolve("agent", NULL, &a, &err), 0);
	for (size_t i = 0; i < a.read.len; i++) {
		size_t n = strlen(a.read.v[i]);
		for (size_t k = 0; k < ARRAY_SIZE(secret); k++)
			cr_expect_not(strncmp(secret[k], a.read.v[i], n) == 0 &&
					      (secret[k][n] == '/' || !secret[k][n]),
				      "%s shows %s", a.read.v[i], secret[k]);
	}
	policy_release(&a);
}

Test(profile, refusals)
{
	static const struct {
		const char *profile, *isolation;
		enum error_kind kind;
		const char *hint;
	} rows[] = {
		{ "agnet", NULL, ERR_NOTFOUND, "'agent'" },
		{ "nothing-like-it", NULL, ERR_NOTFOUND, "'default' and 'agent'" },
		{ NULL, "supervised", ERR_UNSUPPORTED, "process" },
		{ NULL, "container", ERR_UNSUPPORTED, "process" },
		{ NULL, "microvm", ERR_UNSUPPORTED, "process" },
		{ NULL, "none", ERR_USAGE, "tiers are" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		struct policy p;
		cr_expect_eq(resolve(rows[i].profile, rows[i].isolation, &p, &err), -1);
		cr_expect_eq(err.kind, rows[i].kind, "%s", err.msg);
		cr_expect(strstr(err.hint, rows[i].hint), "%s", err.hint);
		policy_release(&p);
	}
}

Test(profile, unconfined_only_when_typed)
{
	struct error err = ERROR_INIT;
	struct policy p;

	cr_assert_eq(resolve(NULL, "workspace", &p, &err), 0);
	cr_expect_eq(p.tier, TIER_WORKSPACE);
	policy_release(&p);
}
