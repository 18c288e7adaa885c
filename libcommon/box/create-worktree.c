/*
 * The workspace tier: an ordinary detached worktree of the repository. It
 * confines nothing, and says so at every use.
 */
#include "base/base.h"

#include "box/create-work.h"
#include "store/git.h"

static void work_path(const struct create *c, struct buf *out)
{
	buf_fmt(out, "%s/work", c->path.data);
}

static int make(struct create *c, struct error *err)
{
	BUF_AUTO work = BUF_INIT;

	create_private_stop(c);
	work_path(c, &work);
	const char *const args[] = { "worktree",	   "add", "--quiet", "--detach", work.data,
				     c->facts.commit.data, NULL };

	if (create_start_late(c, err) || git_want(c->req->repo, args, NULL, NULL, err))
		return -1;
	strv_add(c->notes,
		 "tier workspace confines nothing: commands run as you, with all that you may do");
	return create_finish_late(c, err);
}

static void undo(struct create *c)
{
	BUF_AUTO work = BUF_INIT;
	struct error ignored = ERROR_INIT;

	work_path(c, &work);
	const char *const args[] = { "worktree", "remove", "--force", "--force", work.data, NULL };

	(void)git_want(c->req->repo, args, NULL, NULL, &ignored);
}

const struct create_work create_worktree = { .make = make, .undo = undo };

const struct create_work *create_work_for(enum tier tier)
{
	return tier == TIER_WORKSPACE ? &create_worktree : &create_private;
}
