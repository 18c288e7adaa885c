#include "base/base.h"

#include "base/alloc.h"
#include "box/finding.h"
#include "box/proposed.h"
#include "sys/fd.h"

#define LOCK_WAIT_MS 2000

void proposed_release(struct proposed *p)
{
	buf_release(&p->commit);
	buf_release(&p->tree);
	patch_list_release(&p->files);
	free(p->flagged);
	p->flagged = NULL;
	gate_report_release(&p->report);
}

struct git_cmd proposed_git(const struct repo *repo)
{
	return (struct git_cmd){ .git_dir = repo->git_dir.data };
}

int proposed_hold(struct box *b, struct error *err)
{
	FD_AUTO lock = box_lock(b, false, LOCK_WAIT_MS, err);
	struct manifest now;

	if (lock < 0)
		return -1;
	manifest_init(&now);
	if (manifest_read(b->fd, &now, err) < 0) {
		manifest_release(&now);
		return -1;
	}
	manifest_release(&b->m);
	b->m = now;
	return fd_take(&lock);
}

static int read_tree_id(const struct repo *repo, const struct box *b, struct proposed *out,
			struct error *err)
{
	BUF_AUTO rev = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	int code;

	buf_fmt(&rev, "%s^{tree}", b->m.proposal.data);
	const char *const args[] = { "rev-parse", "--verify", "--quiet", rev.data, NULL };
	struct git_cmd cmd = proposed_git(repo);

	cmd.args = args;
	cmd.out = &text;
	cmd.errout = &errout;
	if (git_run(&cmd, &code, err) < 0)
		return -1;
	if (code != 0) {
		error_set(err, ERR_NOTFOUND, "the proposal %.12s of box '%s' is not there any more",
			  b->m.proposal.data, b->m.name.data);
		return error_hint(err, "propose again: git box propose %s", b->m.name.data);
	}
	buf_truncate(&text, strcspn(text.data, "\n"));
	buf_add(&out->tree, text.data, text.len);
	return 0;
}

/* The gate let it through once; its rules may have become stricter since. */
static int check(const struct git_cmd *git, const struct box *b, struct proposed *out,
		 struct error *err)
{
	const struct gate_input in = { .git = git,
				       .limits = GATE_LIMITS_DEFAULT,
				       .base_tree = b->m.base_tree.data,
				       .tree = out->tree.data };
	BUF_AUTO what = BUF_INIT;

	buf_fmt(&what, "box '%s'", b->m.name.data);
	if (gate_check(&in, &out->report, err) < 0)
		return error_wrap(err, "%s", what.data);
	return finding_verdict(&out->report, what.data, err);
}

static void mark_flagged(struct proposed *p)
{
	p->flagged = xcalloc(p->files.len + 1, sizeof(*p->flagged));
	for (size_t i = 0; i < p->report.len; i++) {
		const struct patch_file *f = patch_find(&p->files, p->report.v[i].path.data);

		if (f)
			p->flagged[f - p->files.v] = true;
	}
}

int proposed_read(const struct repo *repo, const struct box *b, struct proposed *out,
		  struct error *err)
{
	struct git_cmd git = proposed_git(repo);

	if (b->m.proposal.len == 0) {
		error_set(err, ERR_NOTFOUND, "box '%s' has proposed nothing", b->m.name.data);
		return error_hint(err, "git box propose %s", b->m.name.data);
	}
	buf_add(&out->commit, b->m.proposal.data, b->m.proposal.len);
	if (read_tree_id(repo, b, out, err) < 0 ||
	    patch_list(&git, b->m.base_tree.data, out->tree.data, &out->files, err) < 0)
		return -1;
	if (check(&git, b, out, err) < 0)
		return -1;
	mark_flagged(out);
	return 0;
}
