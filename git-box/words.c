#include "base/base.h"

#include "box/layout.h"
#include "box/tier.h"
#include "git-box/words.h"
#include "policy/profile.h"
#include "store/git.h"

static void add_boxes(const struct repo *repo, struct strv *out)
{
	struct error ignored = ERROR_INIT;
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;

	if (box_root_open(repo, false, &root, &ignored) == 0)
		box_names(&root, out, &ignored);
}

/* Branches and tags as git shortens them. */
static void add_revisions(const struct repo *repo, struct strv *out)
{
	static const char *const args[] = { "for-each-ref", "--format=%(refname:short)",
					    "refs/heads", "refs/tags", NULL };
	struct error ignored = ERROR_INIT;
	BUF_AUTO refs = BUF_INIT;

	strv_add(out, "HEAD");
	if (git_want(repo, args, NULL, &refs, &ignored))
		return;
	for (const char *at = refs.data; *at;) {
		size_t len = strcspn(at, "\n");

		strv_addf(out, "%.*s", (int)len, at);
		at += len + (at[len] == '\n');
	}
}

static void add_from_repository(enum opt_complete kind, struct strv *out)
{
	struct error ignored = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;

	if (repo_discover(&repo, &ignored))
		return;
	if (kind == COMPLETE_BOX)
		add_boxes(&repo, out);
	else
		add_revisions(&repo, out);
}

/* Those that this build has, not those that there will be. */
static void add_tiers(struct strv *out)
{
	const struct tier_backend *backend;
	struct error ignored = ERROR_INIT;

	strv_add(out, "auto");
	for (int tier = 0; tier_names[tier]; tier++) {
		if (tier_backend((enum tier)tier, &backend, &ignored) == 0)
			strv_add(out, tier_names[tier]);
	}
}

void complete_from_repository(enum opt_complete kind, struct strv *out)
{
	switch (kind) {
	case COMPLETE_BOX:
	case COMPLETE_REV:
		add_from_repository(kind, out);
		break;
	case COMPLETE_PROFILE:
		strv_add_all(out, profile_names);
		break;
	case COMPLETE_TIER:
		add_tiers(out);
		break;
	case COMPLETE_NONE:
	case COMPLETE_FILE:
	case COMPLETE_COMMAND:
		break;
	}
}
