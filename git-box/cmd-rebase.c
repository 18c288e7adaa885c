#include "base/base.h"

#include "base/exit.h"
#include "box/rebase.h"
#include "cli/msg.h"
#include "git-box/conflicts.h"
#include "git-box/verbs.h"

#define REBASE_SCHEMA 1
#define SHORT_ID 12

struct rebase_opts {
	const char *name;
	const char *onto;
	bool with_conflicts;
	bool json;
};

static const struct opt opts[] = {
	OPT_STRING(0, "onto", struct rebase_opts, onto, "REV", COMPLETE_REV,
		   "the new base; default: the branch from which the box was made"),
	OPT_FLAG(0, "with-conflicts", struct rebase_opts, with_conflicts,
		 "write conflicts into the box's files, to be resolved there"),
	OPT_FLAG(0, "json", struct rebase_opts, json, "print JSON"),
	ARG_ONE("NAME", struct rebase_opts, name, COMPLETE_BOX, "the box, or the start of its id"),
	OPT_END,
};

static const char *outcome_word(enum rebase_outcome outcome)
{
	static const char *const words[] = { [REBASE_UP_TO_DATE] = "up-to-date",
					     [REBASE_DONE] = "rebased",
					     [REBASE_FINISHED] = "finished",
					     [REBASE_CONFLICTS] = "conflicts" };

	return words[outcome];
}

static void answer_json(const struct rebase_result *r)
{
	JSON_AUTO *obj = json_object();

	json_object_set_new(obj, "name", json_text(r->name.data));
	json_object_set_new(obj, "id", json_text(r->id));
	json_object_set_new(obj, "outcome", json_text(outcome_word(r->outcome)));
	json_object_set_new(obj, "branch", r->branch.len ? json_text(r->branch.data) : json_null());
	json_object_set_new(obj, "before", json_text(r->before.data));
	json_object_set_new(obj, "after", json_text(r->after.data));
	json_object_set_new(obj, "conflicts", conflicts_json(&r->merge));
	json_answer(obj, REBASE_SCHEMA);
}

static void say_done(const struct app *app, const struct rebase_result *r)
{
	const char *name = r->name.data;

	if (r->outcome == REBASE_FINISHED)
		msg_note(app, "finished the rebase of box '%s' that had been cut short", name);
	conflicts_list(&r->merge);
	if (r->merge.len) {
		msg_warning(app, "%zu file%s of box '%s' with conflict markers to be resolved",
			    r->merge.len, r->merge.len == 1 ? "" : "s", name);
		msg_note(app, "then: git box propose %s", name);
	}
	printf("rebased box %s: %.*s..%.*s\n", name, SHORT_ID, r->before.data, SHORT_ID,
	       r->after.data);
}

static void say(const struct app *app, const struct rebase_result *r)
{
	if (r->outcome == REBASE_UP_TO_DATE) {
		msg_note(app, "box '%s' is up to date", r->name.data);
	} else if (r->outcome == REBASE_CONFLICTS) {
		conflicts_list(&r->merge);
		msg_warning(app, "nothing was changed: %zu file%s cannot be merged", r->merge.len,
			    r->merge.len == 1 ? "" : "s");
		msg_note(app,
			 "to have them resolved in the box: git box rebase --with-conflicts %s",
			 r->name.data);
	} else {
		say_done(app, r);
	}
}

static int run(struct app *app, void *opts_void)
{
	const struct rebase_opts *o = opts_void;
	struct error err = ERROR_INIT;
	struct rebase_result result;
	REPO_AUTO repo = REPO_INIT;
	const struct rebase_request req = {
		.repo = &repo,
		.name = o->name,
		.onto = o->onto,
		.with_conflicts = o->with_conflicts,
		.trace = app->trace,
	};
	int code = EXIT_OK;

	rebase_result_init(&result);
	if (repo_discover(&repo, &err) < 0 || box_rebase(&req, &result, &err) < 0) {
		code = msg_fail(app, &err);
	} else {
		if (o->json)
			answer_json(&result);
		else
			say(app, &result);
		code = result.outcome == REBASE_CONFLICTS ? EXIT_CONFLICT : EXIT_OK;
	}
	rebase_result_release(&result);
	return code;
}

const struct command cmd_rebase = {
	.name = "rebase",
	.summary = "bring a box to a newer base",
	.description =
		"Merges what the box made of its files with what happened on the branch from which "
		"it was made, or on the revision that --onto names, and makes that commit the base "
		"of the box. Inside, HEAD is the branch of the box at the new base, the box's work "
		"lies in its files, not committed, and ORIG_HEAD is where its branch was. Files "
		"that .gitignore excludes stay. What was proposed before is to be proposed again.\n"
		"\n"
		"Commands must not run in the box. Conflicts change nothing; they are listed and "
		"the exit code is 4. With --with-conflicts they are written into the files of the "
		"box with the usual markers, so that whoever works there can resolve them.\n"
		"\n"
		"Where a rebase is cut short while the files are written, nothing runs in the box "
		"until git box rebase has finished it.",
	.examples = "$ git box rebase fix-login\n"
		    "$ git box rebase --onto v2.1 fix-login",
	.opts = opts,
	.opts_size = sizeof(struct rebase_opts),
	.run = run,
};
