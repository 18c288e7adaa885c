#include "base/base.h"

#include "base/exit.h"
#include "box/apply.h"
#include "box/finding.h"
#include "cli/msg.h"
#include "git-box/conflicts.h"
#include "git-box/verbs.h"

#define APPLY_SCHEMA 1
#define SHORT_ID 12

struct apply_opts {
	const char *name;
	const char *commit;
	const char *message;
	bool squash;
	bool json;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "squash", struct apply_opts, squash,
		 "add one commit on top of the branch instead of a merge"),
	OPT_STRING('m', "message", struct apply_opts, message, "TEXT", COMPLETE_NONE,
		   "message of the merge or squash commit"),
	OPT_FLAG(0, "json", struct apply_opts, json, "print JSON"),
	ARG_ONE("NAME", struct apply_opts, name, COMPLETE_BOX, "the box, or the start of its id"),
	ARG_MAYBE("COMMIT", struct apply_opts, commit, COMPLETE_REV,
		  "the proposal that was looked at; any other is refused"),
	OPT_END,
};

static const char *outcome_word(enum apply_outcome outcome)
{
	static const char *const words[] = {
		[APPLY_ALREADY] = "already",	 [APPLY_FAST_FORWARD] = "fast-forward",
		[APPLY_MERGED] = "merge",	 [APPLY_SQUASHED] = "squash",
		[APPLY_CONFLICTS] = "conflicts",
	};

	return words[outcome];
}

static json_t *texts(const struct strv *list)
{
	json_t *out = json_array();

	for (size_t i = 0; i < list->len; i++)
		json_array_append_new(out, json_text(list->v[i]));
	return out;
}

static json_t *changes_json(const struct change_list *l)
{
	json_t *out = json_array();

	for (size_t i = 0; i < l->len; i++) {
		const char status[] = { l->v[i].status, '\0' };
		json_t *file = json_object();

		json_object_set_new(file, "path", json_text(l->v[i].path));
		json_object_set_new(file, "status", json_text(status));
		json_array_append_new(out, file);
	}
	return out;
}

static json_t *text_or_null(const struct buf *b)
{
	return b->len ? json_text(b->data) : json_null();
}

static json_t *result_json(const struct apply_result *r)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "name", json_text(r->name.data));
	json_object_set_new(obj, "id", json_text(r->id));
	json_object_set_new(obj, "outcome", json_text(outcome_word(r->outcome)));
	json_object_set_new(obj, "proposal", json_text(r->proposal.data));
	json_object_set_new(obj, "branch", text_or_null(&r->branch));
	json_object_set_new(obj, "before", json_text(r->before.data));
	json_object_set_new(obj, "after", text_or_null(&r->after));
	json_object_set_new(obj, "files", changes_json(&r->changes));
	json_object_set_new(obj, "gate", finding_report_json(&r->report));
	json_object_set_new(obj, "unfiltered", texts(&r->unfiltered));
	json_object_set_new(obj, "conflicts", conflicts_json(&r->merge));
	return obj;
}

static void say_conflicts(const struct app *app, const struct apply_result *r)
{
	conflicts_list(&r->merge);
	msg_warning(app, "nothing was changed: %zu file%s cannot be merged", r->merge.len,
		    r->merge.len == 1 ? "" : "s");
	msg_note(app, "bring the conflicts into the box, have them resolved there, propose again:");
	msg_note(app, "git box rebase --with-conflicts %s", r->name.data);
}

static void say_applied(const struct app *app, const struct apply_result *r)
{
	BUF_AUTO branch = BUF_INIT;

	msg_clean(r->branch.data, r->branch.len, &branch);
	printf("applied box %s to %s: %.*s..%.*s (%s), %zu file%s\n", r->name.data,
	       branch.len ? branch.data : "HEAD", SHORT_ID, r->before.data, SHORT_ID, r->after.data,
	       outcome_word(r->outcome), r->changes.len, r->changes.len == 1 ? "" : "s");
	if (r->report.flagged)
		msg_warning(app,
			    "%zu finding%s: something may run on this machine; look at it: "
			    "git box review %s",
			    r->report.flagged, r->report.flagged == 1 ? "" : "s", r->name.data);
	if (r->unfiltered.len)
		msg_note(app,
			 "%zu file%s with a filter, which did not run, for example '%s'; "
			 "of LFS: git lfs checkout",
			 r->unfiltered.len, r->unfiltered.len == 1 ? "" : "s", r->unfiltered.v[0]);
}

static void say(const struct app *app, const struct apply_result *r)
{
	if (r->outcome == APPLY_CONFLICTS)
		say_conflicts(app, r);
	else if (r->outcome == APPLY_ALREADY)
		msg_note(app, "box '%s' is applied already: %s has it", r->name.data,
			 r->branch.len ? r->branch.data : "HEAD");
	else
		say_applied(app, r);
}

/* A failure, with all the files that were in the way where that is what it was. */
static int fail(struct app *app, const struct apply_result *r, const struct error *err)
{
	JSON_AUTO *answer = NULL;
	int code = exit_for(err->kind);

	if (!r->in_the_way.len)
		return msg_fail(app, err);
	if (app->json) {
		answer = json_failure(err, code);
		json_object_set_new(answer, "in_the_way", texts(&r->in_the_way));
		json_answer(answer, APPLY_SCHEMA);
		app->json = false; /* answered */
	} else {
		for (size_t i = 0; i < r->in_the_way.len; i++) {
			BUF_AUTO line = BUF_INIT;

			msg_clean(r->in_the_way.v[i], strlen(r->in_the_way.v[i]), &line);
			puts(line.data);
		}
	}
	return msg_fail(app, err);
}

static int run(struct app *app, void *opts_void)
{
	const struct apply_opts *o = opts_void;
	struct error err = ERROR_INIT;
	struct apply_result result;
	REPO_AUTO repo = REPO_INIT;
	const struct apply_request req = {
		.repo = &repo,
		.name = o->name,
		.commit = o->commit,
		.message = o->message,
		.squash = o->squash,
		.trace = app->trace,
	};
	int code = EXIT_OK;

	apply_result_init(&result);
	if (repo_discover(&repo, &err) < 0 || box_apply(&req, &result, &err) < 0) {
		code = fail(app, &result, &err);
	} else {
		JSON_AUTO *answer = o->json ? result_json(&result) : NULL;

		if (answer)
			json_answer(answer, APPLY_SCHEMA);
		else
			say(app, &result);
		code = result.outcome == APPLY_CONFLICTS ? EXIT_CONFLICT : EXIT_OK;
	}
	apply_result_release(&result);
	return code;
}

const struct command cmd_apply = {
	.name = "apply",
	.summary = "merge what a box proposed into the current branch",
	.description =
		"Takes the commit that git box propose made, by its object id (a branch that "
		"somebody moved meanwhile changes nothing), and merges it into the branch that "
		"is checked out here, as git merge does: a fast-forward where the branch has not "
		"moved, else a merge commit, or with --squash one commit of the box's on top. "
		"Merge and squash commits are signed where commit.gpgSign says so.\n"
		"\n"
		"What is changed here and not committed stays as it is. Where the merge would "
		"write to such a file, to an untracked one or to an ignored one, nothing is done "
		"and the files are named. In a sparse checkout, files outside of it are changed "
		"in the index only.\n"
		"\n"
		"Conflicts leave everything as it was; they are listed and the exit code is 4. "
		"git box rebase takes them into the box.\n"
		"\n"
		"No hook, filter or merge driver runs. A file with a filter is written as it is "
		"stored: of an LFS file that is the pointer, and git lfs checkout fills it. "
		"What only a merge driver could merge is a conflict.",
	.examples = "$ git box apply fix-login\n"
		    "$ git box apply --squash -m 'Fix the login' fix-login",
	.opts = opts,
	.opts_size = sizeof(struct apply_opts),
	.run = run,
};
