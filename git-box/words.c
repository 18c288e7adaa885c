#include "base/base.h"

#include "box/layout.h"
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
		strv_add(out, "auto");
		strv_add_all(out, tier_names);
		break;
	case COMPLETE_NONE:
	case COMPLETE_FILE:
	case COMPLETE_COMMAND:
		break;
	}
}
