#include "base/base.h"

#include "box/work.h"

const char *const work_dirs[] = { "work", "git", "home", "tmp", "snap", NULL };

const struct work_ops *work_ops_for(enum tier tier)
{
	return tier == TIER_WORKSPACE ? &work_worktree : &work_private;
}
