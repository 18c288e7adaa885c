#include "base/base.h"

#include <unistd.h>

#include "box/apply-parts.h"
#include "box/steps.h"
#include "store/worktree.h"
#include "sys/fd.h"
#include "sys/file.h"

#define BEGUN_FILE "apply" /* in the box's directory, while the operator's files are written */
#define BEGUN_MAX 256

void apply_result_init(struct apply_result *r)
{
	*r = (struct apply_result){ .name = BUF_INIT,
				    .proposal = BUF_INIT,
				    .branch = BUF_INIT,
				    .before = BUF_INIT,
				    .after = BUF_INIT,
				    .report = GATE_REPORT_INIT,
				    .changes = CHANGE_LIST_INIT,
				    .merge = MERGE_RESULT_INIT,
				    .in_the_way = STRV_INIT,
				    .unfiltered = STRV_INIT };
}

void apply_result_release(struct apply_result *r)
{
	buf_release(&r->name);
	buf_release(&r->proposal);
	buf_release(&r->branch);
	buf_release(&r->before);
	buf_release(&r->after);
	gate_report_release(&r->report);
	change_list_release(&r->changes);
	merge_result_release(&r->merge);
	strv_release(&r->in_the_way);
	strv_release(&r->unfiltered);
}

static void release(struct apply *a)
{
	ref_hold_release(&a->hold);
	fd_close(&a->lock);
	box_release(&a->box);
	repo_facts_release(&a->facts);
	buf_release(&a->tree);
	strv_release(&a->settings);
}

/* True where HEAD has commit. */
static int contains(const struct apply *a, const char *commit, bool *out, struct error *err)
{
	enum merge_relation relation;

	if (merge_relate(&a->git, a->out->before.data, commit, &relation, err))
		return -1;
	*out = relation == MERGE_CONTAINED;
	return 0;
}

static void default_message(const struct apply *a, struct buf *out)
{
	const struct manifest *m = &a->box.m;

	if (a->req->message)
		buf_str(out, a->req->message);
	else
		buf_fmt(out, "Merge box '%s'", m->name.data);
	while (out->len && out->data[out->len - 1] == '\n')
		buf_truncate(out, out->len - 1);
	buf_fmt(out, "\n\nBox: %s %s\n", m->name.data, m->id);
	if (a->req->squash)
		buf_fmt(out, "Policy: %s\n", m->policy_digest);
}

/* The proposal's own message already says of which box it is. */
static int squash_message(const struct apply *a, struct buf *out, struct error *err)
{
	const char *const args[] = {
		"log", "-1", "--format=%B", a->out->proposal.data, "--", NULL
	};
	struct git_cmd cmd = a->git;

	if (a->req->message) {
		default_message(a, out);
		return 0;
	}
	cmd.args = args;
	cmd.out = out;
	return git_must(&cmd, err);
}

static int write_commit(struct apply *a, const char *tree, struct error *err)
{
	const char *parents[] = { a->out->before.data,
				  a->req->squash ? NULL : a->out->proposal.data, NULL };
	BUF_AUTO message = BUF_INIT;
	struct merge_commit commit = {
		.tree = tree,
		.parents = parents,
		.author = a->req->squash ? a->out->proposal.data : NULL,
		.sign = a->facts.sign,
	};

	if (!a->req->squash)
		default_message(a, &message);
	else if (squash_message(a, &message, err))
		return -1;
	commit.message = message.data;
	return merge_write_commit(&a->git, &commit, &a->out->after, err);
}

/* Where the branch would not change a squash is empty: it was done before, or by somebody else. */
static int merge_diverged(struct apply *a, struct error *err)
{
	struct apply_result *out = a->out;

	if (merge_trees(&a->git, out->before.data, out->proposal.data, &out->merge, err))
		return -1;
	if (out->merge.len) {
		out->outcome = APPLY_CONFLICTS;
		a->done = true;
		return 0;
	}
	if (a->req->squash && !strcmp(out->merge.tree.data, a->facts.tree.data)) {
		out->outcome = APPLY_ALREADY;
		a->done = true;
		return 0;
	}
	out->outcome = a->req->squash ? APPLY_SQUASHED : APPLY_MERGED;
	return write_commit(a, out->merge.tree.data, err);
}

static int merge_forward(struct apply *a, struct error *err)
{
	if (a->req->squash) {
		a->out->outcome = APPLY_SQUASHED;
		return write_commit(a, a->tree.data, err);
	}
	a->out->outcome = APPLY_FAST_FORWARD;
	buf_str(&a->out->after, a->out->proposal.data);
	return 0;
}

static int merge(void *arg, struct error *err)
{
	struct apply *a = arg;
	const struct manifest *m = &a->box.m;
	enum merge_relation relation;
	bool applied = false;

	if (m->state == BOX_APPLIED && m->applied.len &&
	    contains(a, m->applied.data, &applied, err))
		return -1;
	if (merge_relate(&a->git, a->out->before.data, a->out->proposal.data, &relation, err))
		return -1;
	if (applied || relation == MERGE_CONTAINED) {
		a->out->outcome = APPLY_ALREADY;
		a->done = true;
		return 0;
	}
	return relation == MERGE_FORWARD ? merge_forward(a, err) : merge_diverged(a, err);
}

static int hold_branch(void *arg, struct error *err)
{
	struct apply *a = arg;
	BUF_AUTO why = BUF_INIT;
	static const char *const how[] = { [APPLY_FAST_FORWARD] = "Fast-forward",
					   [APPLY_MERGED] = "Merge made",
					   [APPLY_SQUASHED] = "Squashed" };

	if (a->done)
		return 0;
	buf_fmt(&why, "box apply %s: %s", a->out->name.data, how[a->out->outcome]);
	const struct ref_move move = { a->out->before.data, a->out->after.data, why.data };

	return ref_hold_head(a->req->repo, &move, &a->hold, err);
}

static void let_go(void *arg)
{
	struct apply *a = arg;

	ref_hold_release(&a->hold);
}

static struct worktree_move files_of(const struct apply *a)
{
	return (struct worktree_move){ .git = &a->git,
				       .from = a->out->before.data,
				       .to = a->out->after.data,
				       .changes = &a->out->changes };
}

/*
 * Says that we are about to write which files, so that a call that finds this knows where those
 * come from that were written in part.
 */
static int begin_files(const struct apply *a, bool *resumed_out, struct error *err)
{
	const struct merge_result *m = &a->out->merge;
	struct error ignored = ERROR_INIT;
	BUF_AUTO now = BUF_INIT;
	BUF_AUTO last = BUF_INIT;

	buf_fmt(&now, "%s %s\n", a->out->before.data, m->tree.len ? m->tree.data : a->tree.data);
	*resumed_out = !file_read(a->box.fd, BEGUN_FILE, BEGUN_MAX, &last, &ignored) &&
		       !strcmp(last.data, now.data);
	if (*resumed_out)
		return 0;
	return file_write_atomic(a->box.fd, BEGUN_FILE,
				 (struct file_content){ now.data, now.len, 0600 }, err);
}

static void end_files(const struct apply *a)
{
	(void)unlinkat(a->box.fd, BEGUN_FILE, 0);
}

static int write_files(void *arg, struct error *err)
{
	struct apply *a = arg;
	struct worktree_move files = files_of(a);

	if (a->done)
		return 0;
	if (changes_between(&a->git, files.from, files.to, &a->out->changes, err) ||
	    begin_files(a, &files.resumed, err))
		return -1;
	if (worktree_move(&files, &a->out->in_the_way, err) == 0)
		return 0;
	/* Nothing was written then. */
	if (a->out->in_the_way.len && !files.resumed)
		end_files(a);
	return -1;
}

/* Nothing was written where the operator's files were in the way. */
static void take_back_files(void *arg)
{
	struct apply *a = arg;
	const struct worktree_move files = files_of(a);
	struct error ignored = ERROR_INIT;

	if (!a->done && !a->out->in_the_way.len && a->out->changes.text.len &&
	    !worktree_move_back(&files, &ignored))
		end_files(a);
}

static int move_branch(void *arg, struct error *err)
{
	struct apply *a = arg;

	if (a->done)
		return 0;
	if (ref_hold_commit(&a->hold, err))
		return -1;
	a->done = true;
	return 0;
}

static const struct step apply_steps[] = {
	{ "open the box", apply_open_box, NULL },
	{ "read the repository", apply_read_repository, NULL },
	{ "check the proposal", apply_check_proposal, NULL },
	{ "merge", merge, NULL },
	{ "lock the branch", hold_branch, let_go },
	{ "write the files", write_files, take_back_files },
	{ "move the branch", move_branch, NULL },
};

/* Files that a filter of the operator's would have changed, such as pointers of LFS. */
static int find_unfiltered(struct apply *a, struct error *err)
{
	static const char *const args[] = { "check-attr", "-z", "--stdin", "filter", NULL };
	struct git_cmd cmd = a->git;
	BUF_AUTO paths = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	const char *path;

	if (!a->facts.filters_off.len || !a->out->changes.len)
		return 0;
	for (size_t i = 0; i < a->out->changes.len; i++) {
		if (a->out->changes.v[i].new_mode)
			buf_add(&paths, a->out->changes.v[i].path,
				strlen(a->out->changes.v[i].path) + 1);
	}
	cmd.args = args;
	cmd.in = paths.data;
	cmd.in_len = paths.len;
	cmd.out = &text;
	if (git_must(&cmd, err))
		return -1;
	/* "<path>\0filter\0<value>\0" each */
	for (path = text.data; path < text.data + text.len;) {
		const char *attr = path + strlen(path) + 1;
		const char *value = attr + strlen(attr) + 1;

		if (strcmp(value, "unspecified") != 0 && strcmp(value, "unset") != 0)
			strv_add(&a->out->unfiltered, path);
		path = value + strlen(value) + 1;
	}
	return 0;
}

/* The branch has the proposal: now the manifest may say so. */
static int record(struct apply *a, struct error *err)
{
	struct manifest *m = &a->box.m;
	const struct buf *has = a->out->after.len ? &a->out->after : &a->out->before;

	if (a->out->outcome == APPLY_CONFLICTS ||
	    (m->state == BOX_APPLIED && a->out->outcome == APPLY_ALREADY))
		return 0;
	m->state = BOX_APPLIED;
	buf_reset(&m->applied);
	buf_str(&m->applied, has->data);
	return manifest_write(a->box.fd, m, err) ?
		       error_wrap(err, "the branch has it, but that cannot be recorded") :
		       0;
}

int box_apply(const struct apply_request *req, struct apply_result *out, struct error *err)
{
	const char *top = req->repo->top.data;
	struct apply a = {
		.req = req,
		.out = out,
		.lock = -1,
		.facts = REPO_FACTS_INIT,
		.tree = BUF_INIT,
		.settings = STRV_INIT,
		.git = { .git_dir = req->repo->git_dir.data, .work_tree = top, .cwd = top },
		.hold = REF_HOLD_INIT
	};
	const struct steps steps = { .operation = "apply",
				     .v = apply_steps,
				     .len = ARRAY_SIZE(apply_steps),
				     .trace = req->trace };
	struct error ignored = ERROR_INIT;
	int rc;

	box_init(&a.box);
	rc = steps_run(&steps, &a, err);
	if (!rc)
		rc = record(&a, err);
	if (!rc && out->outcome != APPLY_CONFLICTS)
		end_files(&a);
	if (!rc && out->after.len)
		(void)find_unfiltered(&a, &ignored);
	release(&a);
	return rc;
}
