#include "base/base.h"

#include "base/exit.h"
#include "box/propose.h"
#include "cli/msg.h"
#include "git-box/intake-report.h"
#include "git-box/paint.h"
#include "git-box/verbs.h"
#include "wire/json.h"

#define PROPOSE_SCHEMA 1
#define SHORT_OID 12

struct propose_opts {
	const char *message;
	bool series;
	bool json;
	const char *name;
};

static const struct opt opts[] = {
	OPT_STRING('m', "message", struct propose_opts, message, "TEXT", COMPLETE_NONE,
		   "the commit message; default: what the box says, quoted"),
	OPT_FLAG(0, "series", struct propose_opts, series, "one commit for each of the box's"),
	OPT_FLAG(0, "json", struct propose_opts, json, "print JSON"),
	ARG_ONE("NAME", struct propose_opts, name, COMPLETE_BOX, "the box"),
	OPT_END,
};

static const char *const outcome_names[PROPOSE_OUTCOME_MAX] = { "proposed", "unchanged", "nothing",
								"refused" };

/* Short name of the branch. */
static const char *branch_of(const struct propose_result *r)
{
	return r->branch.data + strlen("refs/heads/");
}

/* What the proposal changes, in numbers. */
static void print_stat(const struct propose_result *r)
{
	const char *const args[] = { "diff",
				     "--stat",
				     "--no-ext-diff",
				     "--no-textconv",
				     r->box.m.base_tree.data,
				     r->intake.scribe.tree.data,
				     NULL };
	struct error ignored = ERROR_INIT;
	struct git_cmd cmd = r->intake.q.git;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO painted = BUF_INIT;

	cmd.args = args;
	cmd.out = &text;
	if (git_must(&cmd, &ignored) < 0)
		return;
	paint_diff(text.data, text.len, false, &painted);
	fputs(painted.data, stdout);
}

static void say(const struct app *app, const struct propose_result *r)
{
	const char *name = r->box.m.name.data;
	const char *commit = r->box.m.proposal.data;

	if (r->outcome != PROPOSE_REFUSED)
		intake_notes(app, &r->intake);
	for (size_t i = 0; i < r->left.len; i++)
		msg_warning(app,
			    "submodule '%s' is not the base's any more, and stays in the box: a "
			    "proposal has the files of this repository alone",
			    r->left.v[i]);
	switch (r->outcome) {
	case PROPOSE_MADE:
		printf("proposed box '%s' as %.*s on branch %s", name, SHORT_OID, commit,
		       branch_of(r));
		if (r->commits > 1)
			printf(", %zu commits", r->commits);
		puts("");
		print_stat(r);
		if (r->intake.scribe.lfs.len > 0)
			msg_note(app,
				 "objects of git-lfs that are here now: %zu; after git box apply, "
				 "git lfs checkout puts them into the files",
				 r->intake.scribe.lfs.len);
		break;
	case PROPOSE_UNCHANGED:
		printf("box '%s' is proposed already as %.*s on branch %s\n", name, SHORT_OID,
		       commit, branch_of(r));
		break;
	case PROPOSE_REFUSED:
		(void)intake_refused(app, &r->intake, name);
		break;
	default:
		msg_note(app, "box '%s' has nothing to propose: its files are those of its base",
			 name);
		break;
	}
}

static void answer(const struct propose_result *r)
{
	JSON_AUTO *obj = json_object();
	const struct manifest *m = &r->box.m;
	bool there = r->outcome == PROPOSE_MADE || r->outcome == PROPOSE_UNCHANGED;

	json_object_set_new(obj, "name", json_text(m->name.data));
	json_object_set_new(obj, "id", json_text(m->id));
	json_object_set_new(obj, "outcome", json_text(outcome_names[r->outcome]));
	json_object_set_new(obj, "base", json_text(m->base_commit.data));
	json_object_set_new(obj, "branch", json_text(branch_of(r)));
	json_object_set_new(obj, "commit", there ? json_text(m->proposal.data) : json_null());
	json_object_set_new(obj, "commits", json_integer((json_int_t)r->commits));
	json_object_set_new(obj, "left", json_pathv(&r->left));
	json_object_set_new(obj, "lfs_objects", json_integer((json_int_t)r->intake.scribe.lfs.len));
	intake_json(&r->intake, obj);
	json_answer(obj, PROPOSE_SCHEMA);
}

static int exit_code(const struct propose_result *r)
{
	switch (r->outcome) {
	case PROPOSE_NOTHING:
		return EXIT_NO;
	case PROPOSE_REFUSED:
		return EXIT_REFUSED;
	default:
		return EXIT_OK;
	}
}

static int run(struct app *app, void *opts_void)
{
	const struct propose_opts *o = opts_void;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct propose_request req = {
		.repo = &repo, .name = o->name, .message = o->message, .series = o->series
	};
	struct propose_result r;
	int code = EXIT_OK;

	propose_result_init(&r);
	if (repo_discover(&repo, &err) < 0) {
		code = msg_fail(app, &err);
	} else if (box_propose(&req, &r, &err) < 0) {
		code = intake_fail(app, &r.intake, &err);
	} else {
		if (o->json)
			answer(&r);
		else
			say(app, &r);
		code = exit_code(&r);
	}
	propose_result_release(&r);
	return code;
}

const struct command cmd_propose = {
	.name = "propose",
	.summary = "make commits of a box's work",
	.description =
		"Takes the files of the box as they are, checks them, and writes a commit "
		"of them in this repository: child of the commit from which the box was "
		"made, the box its author, you its committer, on branch box/NAME. Nothing "
		"that the box committed itself gets here, and nothing in your work tree "
		"changes. Not while commands run in the box.\n"
		"\n"
		"Without -m the message quotes what the box said in its own last commit. "
		"--series writes one commit for each of the box's, with its message quoted, "
		"and one more for what it has not committed.\n"
		"\n"
		"A second proposal replaces the first on its branch; where nothing changed "
		"it stays. Exit code 1: there is nothing to propose; 2: something in it must "
		"not leave a box, all of which is listed, and nothing was written.",
	.examples = "$ git box propose fix-login\n$ git box propose fix-login -m 'Fix the login'",
	.opts = opts,
	.opts_size = sizeof(struct propose_opts),
	.run = run,
};
