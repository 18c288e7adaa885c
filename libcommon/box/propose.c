#include "base/base.h"

#include "box/left.h"
#include "box/lfs.h"
#include "box/message.h"
#include "box/propose.h"
#include "box/series.h"
#include "store/git.h"
#include "sys/fd.h"

#define PREFIX_DEFAULT "box/"

void propose_result_init(struct propose_result *r)
{
	*r = (struct propose_result){ .branch = BUF_INIT,
				      .intake = INTAKE_INIT,
				      .left = STRV_INIT };
	box_init(&r->box);
}

void propose_result_release(struct propose_result *r)
{
	box_release(&r->box);
	buf_release(&r->branch);
	intake_release(&r->intake);
	strv_release(&r->left);
}

int propose_branch(const struct repo *repo, const char *name, struct buf *out, struct error *err)
{
	static const char *const args[] = { "config", "--get", "box.branchPrefix", NULL };
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = { .args = args, .git_dir = repo->git_dir.data, .out = &text };
	int code;

	if (git_run(&cmd, &code, err) < 0)
		return -1;
	buf_truncate(&text, strcspn(text.data, "\n"));
	buf_fmt(out, "refs/heads/%s%s", code == 0 ? text.data : PREFIX_DEFAULT, name);
	return 0;
}

/* What the repository says of the branch. */
struct tip {
	struct buf commit; /* "": there is no such branch */
	struct buf tree;
	struct buf where; /* the work tree in which it is checked out, or "" */
	struct buf text;  /* message */
};
#define TIP_INIT                                                                          \
	{                                                                                 \
		.commit = BUF_INIT, .tree = BUF_INIT, .where = BUF_INIT, .text = BUF_INIT \
	}
#define TIP_AUTO __attribute__((cleanup(tip_release))) struct tip

static void tip_release(struct tip *t)
{
	buf_release(&t->commit);
	buf_release(&t->tree);
	buf_release(&t->where);
	buf_release(&t->text);
}

static int read_tip(const struct repo *repo, const char *branch, struct tip *out, struct error *err)
{
	const char *const args[] = { "for-each-ref",
				     "--format=%(objectname)%00%(tree)%00%(worktreepath)%00"
				     "%(contents)%00%(refname)%00",
				     branch, NULL };
	struct buf *const fields[] = { &out->commit, &out->tree, &out->where, &out->text };
	BUF_AUTO text = BUF_INIT;
	const char *p, *end;

	if (git_want(repo, args, NULL, &text, err) < 0)
		return -1;
	p = text.data;
	end = text.data + text.len;
	for (size_t i = 0; i < ARRAY_SIZE(fields) && p < end; i++) {
		buf_str(fields[i], p);
		p += strlen(p) + 1;
	}
	/* The name may also be a directory of other branches: update-ref says so. */
	if (out->commit.len > 0 && (p >= end || strcmp(p, branch) != 0))
		buf_reset(&out->commit);
	return 0;
}

static int check_state(const struct box *b, struct error *err)
{
	const char *name = b->m.name.data;

	if (b->m.state == BOX_CREATED || b->m.state == BOX_PROPOSED)
		return 0;
	error_set(err, ERR_REFUSED, "box '%s' is %s: it proposes nothing more", name,
		  box_state_names[b->m.state]);
	return error_hint(err, "make a new box for more work: git box create NAME");
}

static int check_tip(const struct box *b, const char *branch, const struct tip *t,
		     struct error *err)
{
	const char *shown = branch + strlen("refs/heads/");

	if (t->commit.len == 0)
		return 0;
	if (strcmp(t->commit.data, b->m.proposal.data) != 0 &&
	    !message_is_ours(&b->m, t->text.data)) {
		error_set(err, ERR_EXISTS, "branch '%s' exists and is no proposal of box '%s'",
			  shown, b->m.name.data);
		return error_hint(err, "rename it, or choose another prefix: git config "
				       "box.branchPrefix PREFIX");
	}
	if (t->where.len == 0)
		return 0;
	error_set(err, ERR_EXISTS, "branch '%s' is checked out in %s", shown, t->where.data);
	return error_hint(err, "switch to another branch there: git -C %s switch --detach",
			  t->where.data);
}

/* Who the author of every proposal is. */
static void author(const struct box *b, struct strv *env)
{
	strv_addf(env, "GIT_AUTHOR_NAME=%s", b->m.name.data);
	strv_addf(env, "GIT_AUTHOR_EMAIL=box@%s.invalid", b->m.id);
}

/* The chain of commits, in quarantine; the last one's id. */
static int write_commits(const struct propose_request *req, struct propose_result *r,
			 const struct series *s, struct buf *out, struct error *err)
{
	STRV_AUTO env = STRV_INIT;
	BUF_AUTO parent = BUF_INIT;

	author(&r->box, &env);
	buf_str(&parent, r->box.m.base_commit.data);
	for (size_t i = 0; i < s->len; i++) {
		bool last = i + 1 == s->len;
		BUF_AUTO message = BUF_INIT;
		const struct quarantine_commit c = { .repo = req->repo,
						     .tree = s->v[i].tree.data,
						     .parent = parent.data,
						     .env = strv_argv(&env) };
		struct quarantine_commit made = c;

		message_make(&r->box.m, last ? req->message : NULL, &s->v[i].claim, &message);
		made.message = message.data;
		buf_reset(out);
		if (quarantine_commit(&r->intake.q, &made, out, err) < 0)
			return -1;
		buf_reset(&parent);
		buf_str(&parent, out->data);
	}
	r->commits = s->len;
	return 0;
}

static int move_branch(const struct propose_request *req, const struct propose_result *r,
		       const struct tip *t, const char *commit, struct error *err)
{
	BUF_AUTO zeros = BUF_INIT;
	BUF_AUTO why = BUF_INIT;

	buf_pad(&zeros, '0', strlen(commit));
	buf_fmt(&why, "box propose %s", r->box.m.name.data);
	const char *const args[] = { "update-ref", "-m",
				     why.data,	   r->branch.data,
				     commit,	   t->commit.len > 0 ? t->commit.data : zeros.data,
				     NULL };

	if (git_want(req->repo, args, NULL, NULL, err) < 0)
		return error_wrap(err, "cannot move branch '%s'",
				  r->branch.data + strlen("refs/heads/"));
	return 0;
}

static int record(struct box *b, const char *commit, struct error *err)
{
	b->m.state = BOX_PROPOSED;
	buf_reset(&b->m.proposal);
	buf_str(&b->m.proposal, commit);
	return manifest_write(b->fd, &b->m, err);
}

/* The box's commits where they are to be kept, then the files as they are, where that is more. */
static int find_steps(const struct propose_request *req, struct propose_result *r, struct series *s,
		      struct error *err)
{
	const char *tree = r->intake.scribe.tree.data;
	BUF_AUTO claim = BUF_INIT;

	if (req->series && (series_ask(&r->box, s, err) < 0 ||
			    (s->len > 0 && series_fetch(&r->box, s, &r->intake.q, err) < 0)))
		return error_wrap(err, "the commits of box '%s'", r->box.m.name.data);
	if (s->len > 0 && strcmp(s->v[s->len - 1].tree.data, tree) == 0)
		return 0;
	if (s->len == 0 && !req->message)
		series_last_message(&r->box, &claim);
	series_add(s, tree, &claim);
	return 0;
}

/* The last step is the tree that was judged before, wherever it comes from. */
static int judge_steps(struct propose_result *r, const struct series *s, struct error *err)
{
	for (size_t i = 0; i < s->len && r->intake.gate.refused == 0; i++) {
		const char *tree = s->v[i].tree.data;
		GATE_REPORT_AUTO found = GATE_REPORT_INIT;
		struct gate_report other;

		if (strcmp(tree, r->intake.scribe.tree.data) == 0)
			continue;
		if (intake_judge(&r->box, &r->intake, tree, &found, err) < 0)
			return -1;
		if (found.refused == 0)
			continue;
		other = r->intake.gate;
		r->intake.gate = found;
		found = other;
	}
	return 0;
}

static int make(const struct propose_request *req, struct propose_result *r, const struct tip *t,
		struct error *err)
{
	SERIES_AUTO s = SERIES_INIT;
	BUF_AUTO commit = BUF_INIT;

	if (find_steps(req, r, &s, err) < 0 || judge_steps(r, &s, err) < 0)
		return -1;
	if (r->intake.gate.refused > 0) {
		r->outcome = PROPOSE_REFUSED;
		return 0;
	}
	if (lfs_take(req->repo, &r->box, &r->intake.scribe.lfs, err) < 0 ||
	    write_commits(req, r, &s, &commit, err) < 0 ||
	    quarantine_accept(&r->intake.q, req->repo, commit.data, r->box.m.base_commit.data,
			      err) < 0 ||
	    move_branch(req, r, t, commit.data, err) < 0 || record(&r->box, commit.data, err) < 0)
		return -1;
	r->outcome = PROPOSE_MADE;
	return 0;
}

/* Under the lock: what another propose or an abort did meanwhile counts. */
static int reload(struct box *b, struct error *err)
{
	struct manifest m;

	if (manifest_read(b->fd, &m, err) < 0)
		return -1;
	manifest_release(&b->m);
	b->m = m;
	return check_state(b, err);
}

static bool is_proposed(const struct propose_result *r, const struct tip *t)
{
	const struct manifest *m = &r->box.m;

	return m->state == BOX_PROPOSED && strcmp(t->commit.data, m->proposal.data) == 0 &&
	       strcmp(t->tree.data, r->intake.scribe.tree.data) == 0;
}

/* Parts of a good tree need not be one, so every source passes the gate. */
static int take(const struct propose_request *req, struct propose_result *r, struct error *err)
{
	struct intake *in = &r->intake;

	if (!req->source)
		return intake_take(req->repo, &r->box, SCRIBE_FROZEN, in, err);
	if (req->source->take(req->source->arg, req->repo, &r->box, in, err) < 0)
		return -1;
	return in->same ? 0 : intake_judge(&r->box, in, in->scribe.tree.data, &in->gate, err);
}

int box_propose(const struct propose_request *req, struct propose_result *out, struct error *err)
{
	TIP_AUTO tip = TIP_INIT;
	struct error ignored = ERROR_INIT;
	FD_AUTO lock = -1;

	if (box_open(req->repo, req->name, &out->box, err) < 0)
		return -1;
	lock = box_lock_idle(&out->box, err);
	if (lock < 0 || reload(&out->box, err) < 0 ||
	    propose_branch(req->repo, out->box.m.name.data, &out->branch, err) < 0 ||
	    read_tip(req->repo, out->branch.data, &tip, err) < 0 || take(req, out, err) < 0)
		return -1;
	/* A help to whoever reads the answer, no reason to fail. */
	if (left_in_submodules(&out->box, &out->left, &ignored) < 0)
		strv_add_all(&out->left, strv_argv(&out->box.m.submodules));
	if (out->intake.same) {
		out->outcome = PROPOSE_NOTHING;
		return 0;
	}
	if (out->intake.gate.refused > 0) {
		out->outcome = PROPOSE_REFUSED;
		return 0;
	}
	if (is_proposed(out, &tip)) {
		out->outcome = PROPOSE_UNCHANGED;
		return 0;
	}
	return check_tip(&out->box, out->branch.data, &tip, err) < 0 ? -1 :
								       make(req, out, &tip, err);
}
