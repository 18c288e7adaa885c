#include "base/base.h"

#include "base/alloc.h"
#include "base/exit.h"
#include "box/finding.h"
#include "box/selection.h"
#include "cli/msg.h"
#include "git-box/choose.h"
#include "git-box/intake-report.h"
#include "git-box/pager.h"
#include "git-box/proposal.h"
#include "git-box/verbs.h"
#include "sys/fd.h"

#define REVIEW_SCHEMA 1

struct review_opts {
	const char *name;
	const char *message;
	bool hunks;
	bool json;
};

static const struct opt opts[] = {
	OPT_FLAG('p', "hunks", struct review_opts, hunks,
		 "ask hunk by hunk, and propose what was taken"),
	OPT_STRING('m', "message", struct review_opts, message, "TEXT", COMPLETE_NONE,
		   "with --hunks: message of the new proposal"),
	OPT_FLAG(0, "json", struct review_opts, json, "print JSON"),
	ARG_ONE("NAME", struct review_opts, name, COMPLETE_BOX, "the box, or the start of its id"),
	OPT_END,
};

/* What is looked at. */
struct review {
	const struct repo *repo;
	struct box box;
	struct proposed proposed;
	struct buf patch;
	struct hunk_list hunks; /* borrows from patch */
	size_t *order;		/* indices of hunks.v, flagged files first */
};

static void review_release(struct review *r)
{
	box_release(&r->box);
	proposed_release(&r->proposed);
	hunk_list_release(&r->hunks);
	buf_release(&r->patch);
	free(r->order);
}

static bool is_flagged(const struct review *r, const struct hunk_file *f)
{
	const struct patch_file *found = patch_find(&r->proposed.files, f->path.data);

	return found && r->proposed.flagged[found - r->proposed.files.v];
}

static void sort_files(struct review *r)
{
	size_t n = 0;

	r->order = xcalloc(r->hunks.len + 1, sizeof(*r->order));
	for (size_t i = 0; i < r->hunks.len; i++) {
		if (is_flagged(r, &r->hunks.v[i]))
			r->order[n++] = i;
	}
	for (size_t i = 0; i < r->hunks.len; i++) {
		if (!is_flagged(r, &r->hunks.v[i]))
			r->order[n++] = i;
	}
}

/* The box is held only while it is read: a person may look at it for long. */
static int read_review(struct review *r, bool with_patch, struct error *err)
{
	FD_AUTO lock = proposed_hold(&r->box, err);
	const struct git_cmd git = proposed_git(r->repo);

	if (lock < 0 || proposed_read(r->repo, &r->box, &r->proposed, err) < 0)
		return -1;
	if (!with_patch)
		return 0;
	if (patch_text(&git, r->box.m.base_tree.data, r->proposed.tree.data, &r->patch, err) < 0 ||
	    hunks_parse(r->patch.data, r->patch.len, &r->hunks, err) < 0)
		return -1;
	sort_files(r);
	return 0;
}

/* --- what is shown ---------------------------------------------------------------------------- */

static void show_head(const struct review *r, bool color, struct buf *out)
{
	const struct manifest *m = &r->box.m;
	const struct proposed *p = &r->proposed;
	BUF_AUTO branch = BUF_INIT;

	msg_clean(m->base_branch.data, m->base_branch.len, &branch);
	buf_fmt(out, "box %s: proposal %.12s from %.12s %s, %zu file%s, +%llu -%llu\n",
		m->name.data, p->commit.data, m->base_commit.data,
		branch.len ? branch.data : "(detached)", p->files.len, p->files.len == 1 ? "" : "s",
		(unsigned long long)p->files.added, (unsigned long long)p->files.deleted);
	if (p->report.len == 0)
		buf_str(out, "nothing is flagged\n");
	else
		buf_fmt(out, "%slook at these first:%s\n", color ? "\033[33m" : "",
			color ? "\033[m" : "");
	for (size_t i = 0; i < p->report.len; i++) {
		buf_str(out, "  ");
		finding_text(&p->report.v[i], out);
		buf_char(out, '\n');
	}
	buf_char(out, '\n');
}

static void show_file(const struct hunk_file *f, bool color, struct buf *out)
{
	const struct hunk *last = &f->v[f->len - 1];
	struct hunk_text all = f->head;

	/* Everything of a section stands together. */
	if (last->kind == HUNK_LINES)
		all.len = (size_t)(last->text.p + last->text.len - all.p);
	choose_show(all, color, out);
}

static int show(const struct app *app, const struct review *r, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	show_head(r, app->color_out, &text);
	for (size_t i = 0; i < r->hunks.len; i++)
		show_file(&r->hunks.v[r->order[i]], app->color_out, &text);
	return pager_show(r->repo, &text, err);
}

static json_t *file_json(const struct patch_file *f, bool flagged)
{
	const char status[2] = { f->status, '\0' };
	json_t *obj = json_object();

	json_object_set_new(obj, "path", json_text(f->path.data));
	json_object_set_new(obj, "status", json_text(status));
	json_object_set_new(obj, "binary", json_boolean(f->binary));
	json_object_set_new(obj, "added", json_integer((json_int_t)f->added));
	json_object_set_new(obj, "deleted", json_integer((json_int_t)f->deleted));
	json_object_set_new(obj, "flagged", json_boolean(flagged));
	return obj;
}

static void answer_json(const struct review *r)
{
	const struct manifest *m = &r->box.m;
	const struct proposed *p = &r->proposed;
	JSON_AUTO *j = json_object();
	json_t *files = json_array();

	for (size_t i = 0; i < p->files.len; i++)
		json_array_append_new(files, file_json(&p->files.v[i], p->flagged[i]));
	json_object_set_new(j, "name", json_text(m->name.data));
	json_object_set_new(j, "id", json_text(m->id));
	json_object_set_new(j, "base_commit", json_text(m->base_commit.data));
	json_object_set_new(j, "base_branch",
			    m->base_branch.len ? json_text(m->base_branch.data) : json_null());
	proposal_counts_json(p, j);
	json_object_set_new(j, "flags", proposal_flags_json(p));
	json_object_set_new(j, "files", files);
	json_answer(j, REVIEW_SCHEMA);
}

/* --- hunk by hunk ----------------------------------------------------------------------------- */

/* Exit code. */
static int propose_taken(const struct app *app, const struct review_opts *o, const struct review *r)
{
	BUF_AUTO patch = BUF_INIT;
	struct selection selection = { .commit = r->proposed.commit.data, .patch = &patch };
	const struct propose_source source = { .take = selection_take, .arg = &selection };
	const struct propose_request req = {
		.repo = r->repo, .name = r->box.m.id, .message = o->message, .source = &source
	};
	struct error err = ERROR_INIT;
	struct propose_result result;
	int code = EXIT_OK;

	hunks_taken(&r->hunks, &patch);
	propose_result_init(&result);
	if (box_propose(&req, &result, &err) < 0)
		code = intake_fail(app, &result.intake, &err);
	else if (result.outcome == PROPOSE_REFUSED)
		code = intake_refused(app, &result.intake, r->box.m.name.data);
	else if (result.outcome == PROPOSE_MADE)
		printf("proposed box '%s' as %.12s, in place of %.12s\n", r->box.m.name.data,
		       result.box.m.proposal.data, r->proposed.commit.data);
	else
		msg_note(app, "the proposal stays as it is: %.12s", r->proposed.commit.data);
	propose_result_release(&result);
	return code;
}

/* Exit code. */
static int choose(const struct app *app, const struct review_opts *o, struct review *r)
{
	BUF_AUTO head = BUF_INIT;
	size_t taken;

	show_head(r, app->color_out, &head);
	fputs(head.data, stdout);
	taken = choose_hunks(app, &r->hunks, r->order);
	putchar('\n');
	if (taken)
		return propose_taken(app, o, r);
	msg_note(app, "nothing was taken: the proposal stays as it is: %.12s",
		 r->proposed.commit.data);
	return EXIT_NO;
}

/* Exit code. */
static int review(struct app *app, const struct review_opts *o, struct review *r)
{
	struct error err = ERROR_INIT;
	int code = proposal_ensure(app, r->repo, &r->box);

	if (code != EXIT_OK)
		return code;
	if (read_review(r, !o->json, &err) < 0)
		return msg_fail(app, &err);
	if (o->hunks)
		return choose(app, o, r);
	if (o->json)
		answer_json(r);
	else if (show(app, r, &err) < 0)
		return msg_fail(app, &err);
	return EXIT_OK;
}

static int check_opts(const struct review_opts *o, struct error *err)
{
	if (o->hunks && o->json)
		return error_set(err, ERR_USAGE, "--hunks asks questions, --json answers none");
	if (o->message && !o->hunks)
		return error_set(err, ERR_USAGE, "-m is for what --hunks proposes");
	return 0;
}

static int run(struct app *app, void *opts_void)
{
	const struct review_opts *o = opts_void;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct review r = {
		.repo = &repo, .proposed = PROPOSED_INIT, .patch = BUF_INIT, .hunks = HUNK_LIST_INIT
	};
	int code;

	box_init(&r.box);
	if (check_opts(o, &err) < 0 || repo_discover(&repo, &err) < 0 ||
	    box_open(&repo, o->name, &r.box, &err) < 0)
		code = msg_fail(app, &err);
	else
		code = review(app, o, &r);
	review_release(&r);
	return code;
}

const struct command cmd_review = {
	.name = "review",
	.summary = "look at what a box proposes, and take it hunk by hunk",
	.description =
		"Shows the proposal of the box: first what is flagged, because it can run on your "
		"machine or changes what does, then the changes of those files, then the others. "
		"On a terminal through your pager (GIT_PAGER, core.pager, PAGER), cleaned of "
		"control characters. A box that has proposed nothing yet proposes first.\n"
		"\n"
		"With --hunks each hunk is asked for, as git add -p does: y takes it, n leaves it, "
		"a takes the rest of the file, d leaves it, q leaves all that follows. What was "
		"taken is applied to the commit from which the box was made, checked as every "
		"proposal, and proposed in place of the last one. The box's files stay as they "
		"are. Exit code 1: nothing was taken, or there is nothing to look at.",
	.examples = "$ git box review fix-login\n$ git box review --hunks fix-login",
	.opts = opts,
	.opts_size = sizeof(struct review_opts),
	.run = run,
};
