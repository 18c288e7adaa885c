#include "base/base.h"

#include <fcntl.h>

#include "box/apply-parts.h"
#include "box/finding.h"
#include "sys/fd.h"
#include "sys/file.h"

/* The manifest is read again under the lock: it may have changed since. */
int apply_open_box(void *arg, struct error *err)
{
	struct apply *a = arg;
	struct box *b = &a->box;

	if (box_open(a->req->repo, a->req->name, b, err) < 0)
		return -1;
	memcpy(a->out->id, b->m.id, sizeof(a->out->id));
	buf_str(&a->out->name, b->m.name.data);
	a->lock = box_lock_idle(b, err);
	if (a->lock < 0)
		return -1;
	manifest_release(&b->m);
	manifest_init(&b->m);
	if (manifest_read(b->fd, &b->m, err) < 0)
		return -1;
	if (b->m.state == BOX_ABORTED)
		return error_set(err, ERR_REFUSED, "box '%s' was given up", b->m.name.data);
	if (!b->m.proposal.len) {
		error_set(err, ERR_REFUSED, "box '%s' has proposed nothing yet", b->m.name.data);
		return error_hint(err, "git box propose %s", b->m.name.data);
	}
	buf_str(&a->out->proposal, b->m.proposal.data);
	return 0;
}

/* What git would not merge into either. */
static int check_in_progress(const struct repo *repo, struct error *err)
{
	static const struct {
		const char *file;
		const char *what;
		const char *next;
	} states[] = {
		{ "MERGE_HEAD", "a merge", "git commit, or git merge --abort" },
		{ "CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue, or --abort" },
		{ "REVERT_HEAD", "a revert", "git revert --continue, or --abort" },
		{ "rebase-merge", "a rebase", "git rebase --continue, or --abort" },
		{ "rebase-apply", "a rebase or git am",
		  "git rebase (or am) --continue, or --abort" },
	};
	FD_AUTO dir = file_open_dir(AT_FDCWD, repo->git_dir.data, err);

	if (dir < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (!file_exists(dir, states[i].file))
			continue;
		error_set(err, ERR_REFUSED, "%s is in progress here", states[i].what);
		return error_hint(err, "end it first: %s", states[i].next);
	}
	return 0;
}

/* First line of what a job printed; empty where it failed. */
static int hear(struct git_job *job, struct buf *out, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	int code;

	if (git_finish(job, &text, &code, err))
		return -1;
	if (!code)
		buf_add(out, text.data, strcspn(text.data, "\n"));
	return 0;
}

static int check_commit(const struct apply *a, const struct buf *commit, struct error *err)
{
	const struct manifest *m = &a->box.m;

	if (!a->tree.len) {
		error_set(err, ERR_NOTFOUND,
			  "the proposal %.12s is not in this repository any more",
			  m->proposal.data);
		return error_hint(err, "git box propose %s", m->name.data);
	}
	if (!a->req->commit || !strcmp(commit->data, m->proposal.data))
		return 0;
	error_set(err, ERR_REFUSED, "'%s' is not what box '%s' proposed, which is %.12s",
		  a->req->commit, m->name.data, m->proposal.data);
	return error_hint(err, "look at it: git show %.12s", m->proposal.data);
}

/* What git is asked at once. */
struct questions {
	struct repo_questions facts;
	struct git_job branch; /* the operator's */
	struct git_job tree;   /* of the proposal */
	struct git_job commit; /* that the operator named */
};

static void questions_release(struct questions *q)
{
	repo_questions_release(&q->facts);
	git_job_release(&q->branch);
	git_job_release(&q->tree);
	git_job_release(&q->commit);
}

static int ask(const struct apply *a, struct questions *q, struct error *err)
{
	static const char *const branch_args[] = { "symbolic-ref", "-q", "--short", "HEAD", NULL };
	const struct repo *repo = a->req->repo;
	BUF_AUTO tree = BUF_INIT;
	BUF_AUTO commit = BUF_INIT;

	buf_fmt(&tree, "%s^{tree}", a->box.m.proposal.data);
	const char *const tree_args[] = { "rev-parse", "-q", "--verify", tree.data, NULL };

	if (repo_facts_ask(repo, NULL, &q->facts, err) ||
	    git_start(repo, branch_args, &q->branch, err) ||
	    git_start(repo, tree_args, &q->tree, err))
		return -1;
	if (!a->req->commit)
		return 0;
	buf_fmt(&commit, "%s^{commit}", a->req->commit);
	const char *const commit_args[] = { "rev-parse",	"-q",	     "--verify",
					    "--end-of-options", commit.data, NULL };

	return git_start(repo, commit_args, &q->commit, err);
}

static int hear_all(struct apply *a, struct questions *q, struct error *err)
{
	BUF_AUTO commit = BUF_INIT;

	if (repo_facts_read(a->req->repo, NULL, &q->facts, &a->facts, err) ||
	    hear(&q->branch, &a->out->branch, err) || hear(&q->tree, &a->tree, err))
		return -1;
	if (a->req->commit && hear(&q->commit, &commit, err))
		return -1;
	return check_commit(a, &commit, err);
}

int apply_read_repository(void *arg, struct error *err)
{
	struct apply *a = arg;
	struct questions q = { .facts = REPO_QUESTIONS_INIT,
			       .branch = GIT_JOB_INIT,
			       .tree = GIT_JOB_INIT,
			       .commit = GIT_JOB_INIT };
	int rc = check_in_progress(a->req->repo, err);

	if (!rc)
		rc = ask(a, &q, err);
	if (!rc)
		rc = hear_all(a, &q, err);
	questions_release(&q);
	if (rc)
		return -1;
	strv_add_all(&a->settings, strv_argv(&a->facts.filters_off));
	strv_add_all(&a->settings, strv_argv(&a->facts.drivers_off));
	a->git.config = strv_argv(&a->settings);
	buf_str(&a->out->before, a->facts.commit.data);
	return 0;
}

int apply_check_proposal(void *arg, struct error *err)
{
	struct apply *a = arg;
	const struct gate_input in = { .git = &a->git,
				       .base_tree = a->box.m.base_tree.data,
				       .tree = a->tree.data,
				       .limits = GATE_LIMITS_DEFAULT };
	BUF_AUTO what = BUF_INIT;

	buf_fmt(&what, "box '%s'", a->box.m.name.data);
	if (gate_check(&in, &a->out->report, err) < 0)
		return error_wrap(err, "%s", what.data);
	return finding_verdict(&a->out->report, what.data, err);
}
