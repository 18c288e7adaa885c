/*
 * The merge takes place in quarantine, where no configuration of the operator's
 * has a say: no driver, no filter. Of the operator's work tree only the
 * .gitattributes count, as in `git box apply`.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/rebase-parts.h"
#include "store/gitdir.h"
#include "sys/fd.h"

/* A commit for merge-tree, which is thrown away with the quarantine. */
static int wrap(struct rebase *r, const char *tree, struct buf *out, struct error *err)
{
	static const char *const who[] = { "GIT_AUTHOR_NAME=git box",
					   "GIT_AUTHOR_EMAIL=box@localhost",
					   "GIT_COMMITTER_NAME=git box",
					   "GIT_COMMITTER_EMAIL=box@localhost", NULL };
	const struct quarantine_commit commit = { .repo = r->req->repo,
						  .tree = tree,
						  .parent = r->box.m.base_commit.data,
						  .message = "for a merge\n",
						  .env = who };

	return quarantine_commit(&r->intake.q, &commit, out, err);
}

/* Both sides get the old base as their parent, whatever the history of the new one is. */
static int merge_sides(struct rebase *r, struct error *err)
{
	const char *top = r->req->repo->top.data;
	struct git_cmd git = r->intake.q.git;
	BUF_AUTO ours = BUF_INIT;
	BUF_AUTO theirs = BUF_INIT;

	git.work_tree = top;
	git.cwd = top;
	return wrap(r, r->facts.tree.data, &ours, err) ||
			       wrap(r, r->intake.scribe.tree.data, &theirs, err) ||
			       merge_trees(&git, ours.data, theirs.data, &r->out->merge, err) ?
		       -1 :
		       0;
}

int rebase_merge(void *arg, struct error *err)
{
	struct rebase *r = arg;
	struct rebase_journal *j = &r->journal;

	if (r->done || r->finishing)
		return 0;
	if (intake_take(r->req->repo, &r->box, SCRIBE_FROZEN, &r->intake, err) < 0)
		return -1;
	buf_str(&j->from, r->intake.scribe.tree.data);
	if (r->intake.same) {
		buf_str(&j->to, r->facts.tree.data);
		return 0;
	}
	if (merge_sides(r, err))
		return -1;
	buf_str(&j->to, r->out->merge.tree.data);
	if (!r->out->merge.len || r->req->with_conflicts)
		return 0;
	r->out->outcome = REBASE_CONFLICTS;
	r->done = true;
	return 0;
}

static int write_refs(const struct rebase *r, int fd, struct error *err)
{
	BUF_AUTO branch = BUF_INIT;
	BUF_AUTO refs = BUF_INIT;
	BUF_AUTO head = BUF_INIT;

	buf_fmt(&branch, "box/%s", r->box.m.name.data);
	gitdir_packed_refs(&r->facts, branch.data, &refs);
	buf_fmt(&head, "%zu\n", refs.len);
	return fd_write_full(fd, head.data, head.len, err) ||
			       fd_write_full(fd, refs.data, refs.len, err) ?
		       -1 :
		       0;
}

/* What both trees have and neither base has. */
static int write_objects(const struct rebase *r, int fd, struct error *err)
{
	static const char *const args[] = { "pack-objects", "--revs", "--delta-base-offset",
					    "--stdout",	    "-q",     NULL };
	const struct rebase_journal *j = &r->journal;
	struct git_cmd cmd = r->intake.q.git;
	BUF_AUTO revs = BUF_INIT;

	buf_fmt(&revs, "%s\n%s\n^%s\n^%s\n", j->from.data, j->to.data, r->box.m.base_tree.data,
		r->facts.tree.data);
	cmd.args = args;
	cmd.in = revs.data;
	cmd.in_len = revs.len;
	cmd.out_fd = &fd;
	return git_must(&cmd, err);
}

int rebase_write_data(void *arg, struct error *err)
{
	struct rebase *r = arg;
	FD_AUTO fd = -1;

	if (r->done || r->finishing)
		return 0;
	if (unlinkat(r->box.fd, REBASE_DATA, 0) && errno != ENOENT)
		return error_sys(err, errno, "cannot remove an old " REBASE_DATA);
	fd = openat(r->box.fd, REBASE_DATA, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, errno, "cannot make %s/" REBASE_DATA, r->box.path.data);
	if (write_refs(r, fd, err) || write_objects(r, fd, err))
		return -1;
	return fsync(fd) ? error_sys(err, errno, "cannot write " REBASE_DATA) : 0;
}
