#include "base/base.h"

#include "base/suggest.h"
#include "policy/profile.h"
#include "policy/toolchains.h"

const char *const profile_names[] = { "agent", "default", NULL };

/* System software: what a distribution or an administrator installs. */
static const char *const system_read[] = {
	"/usr",		"/opt",		  "/nix/store", "/nix/var/nix/profiles",
	"/var/lib/ghc", "/var/lib/texmf", NULL
};

static const char *const default_env[] = {
	"PATH",
	"LANG",
	"LANGUAGE",
	"LC_ALL",
	"LC_ADDRESS",
	"LC_COLLATE",
	"LC_CTYPE",
	"LC_IDENTIFICATION",
	"LC_MEASUREMENT",
	"LC_MESSAGES",
	"LC_MONETARY",
	"LC_NAME",
	"LC_NUMERIC",
	"LC_PAPER",
	"LC_TELEPHONE",
	"LC_TIME",
	"TERM",
	"COLORTERM",
	"TZ",
	"SHELL",
	NULL,
};

/* What tells programs that nobody watches, and how wide and bright they may print. */
static const char *const agent_env[] = {
	"CI", "COLUMNS", "LINES", "EDITOR", "VISUAL", "NO_COLOR", "FORCE_COLOR", NULL,
};

/*
 * Files from which an agent or an editor takes orders. A box that could write
 * them would give orders to the next session, and to the operator's own tools.
 */
static const char *const protect[] = {
	".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml",
	".cursor/mcp.json",	 ".gemini/settings.json",	".mcp.json",
	".vscode/settings.json", ".vscode/tasks.json",		NULL,
};

#define GIB (1ull << 30)
#define MINUTE_MS (60ull * 1000)

static void fill_default(const struct profile_request *req, struct policy *p)
{
	(void)req;
	strv_add_all(&p->read, system_read);
	strv_add_all(&p->env, default_env);
	strv_add_all(&p->protect, protect);
	p->memory = 4 * GIB;
	p->processes = 256;
	p->wall_ms = 30 * MINUTE_MS;
}

static void fill_agent(const struct profile_request *req, struct policy *p)
{
	fill_default(req, p);
	toolchains_add(req->home, p);
	strv_add_all(&p->env, agent_env);
	strv_add(&p->setenv, "IS_SANDBOX=1");
	p->memory = 8 * GIB;
	p->processes = 512;
}

static const struct {
	const char *name;
	void (*fill)(const struct profile_request *req, struct policy *p);
} profiles[] = {
	{ "agent", fill_agent },
	{ "default", fill_default },
};

static int choose_tier(const char *isolation, enum tier *out, struct error *err)
{
	enum tier tier = TIER_PROCESS;

	/*
	 * An unconfined tier is never the automatic choice; the stronger ones that need no image do
	 * not exist yet.
	 */
	if (!isolation || strcmp(isolation, "auto") == 0) {
		*out = tier;
		return 0;
	}
	if (tier_parse(isolation, &tier, err))
		return -1;
	if (tier != TIER_PROCESS && tier != TIER_WORKSPACE) {
		error_set(err, ERR_UNSUPPORTED,
			  "the %s tier is not part of this version of git box", tier_names[tier]);
		return error_hint(err, "use --isolation process, the strongest one that it has");
	}
	*out = tier;
	return 0;
}

static int unknown_profile(const char *name, struct error *err)
{
	const char *near = suggest_nearest(name, profile_names);

	error_set(err, ERR_NOTFOUND, "no profile is called '%.64s'", name);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err, "the built-in profiles are 'default' and 'agent'");
}

int profile_resolve(const struct profile_request *req, struct policy *out, struct error *err)
{
	const char *name = req->profile ? req->profile : "default";
	enum tier tier = TIER_PROCESS;
	size_t i = 0;

	while (i < ARRAY_SIZE(profiles) && strcmp(profiles[i].name, name) != 0)
		i++;
	if (i == ARRAY_SIZE(profiles))
		return unknown_profile(name, err);
	if (choose_tier(req->isolation, &tier, err))
		return -1;
	policy_release(out);
	policy_init(out);
	buf_str(&out->profile, name);
	out->tier = tier;
	profiles[i].fill(req, out);
	return 0;
}
