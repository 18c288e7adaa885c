#include "base/base.h"

#include "box/work.h"
#include "store/git.h"

const char *const work_dirs[] = { "work", "git", "home", "tmp", "snap", NULL };

const struct work_ops *work_ops_for(enum tier tier)
{
	return tier == TIER_WORKSPACE ? &work_worktree : &work_private;
}

bool work_is_proposed(const struct repo *repo, const struct box *b, const char *tree)
{
	BUF_AUTO contains = BUF_INIT;
	BUF_AUTO spec = BUF_INIT;
	BUF_AUTO answer = BUF_INIT;
	BUF_AUTO ref = BUF_INIT;
	struct error ignored = ERROR_INIT;

	if (b->m.proposal.len == 0)
		return false;
	buf_fmt(&contains, "--contains=%s", b->m.proposal.data);
	buf_fmt(&spec, "%s^{tree}", b->m.proposal.data);
	const char *const parse[] = { "rev-parse", "--verify", "--quiet", spec.data, NULL };
	const char *const refs[] = { "for-each-ref", "--count=1", contains.data, NULL };

	if (git_want(repo, parse, NULL, &answer, &ignored) < 0 ||
	    git_want(repo, refs, NULL, &ref, &ignored) < 0)
		return false;
	buf_truncate(&answer, strcspn(answer.data, "\n"));
	return ref.len > 0 && strcmp(answer.data, tree) == 0;
}
