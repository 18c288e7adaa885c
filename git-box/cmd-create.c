#include "base/base.h"

#include "base/exit.h"
#include "box/create.h"
#include "cli/msg.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "git-box/verbs.h"
#include "wire/json.h"

#define CREATE_SCHEMA 1
#define SHORT_ID      12

struct create_opts {
	const char *name;
	const char *from;
	const char *profile;
	const char *isolation;
	bool json;
	bool quiet;
};

static const struct opt opts[] = {
	ARG_ONE("NAME", struct create_opts, name, COMPLETE_NONE, "name of the new box"),
	OPT_STRING(0, "from", struct create_opts, from, "REV", COMPLETE_REV,
		   "start at this commit; default HEAD"),
	OPT_STRING('p', "profile", struct create_opts, profile, "PROFILE", COMPLETE_PROFILE,
		   "what the box may do; default: git config box.profile, else default"),
	OPT_STRING(0, "isolation", struct create_opts, isolation, "TIER", COMPLETE_TIER,
		   "how it is confined; default: git config box.isolation, else the strongest that "
		   "works here"),
	OPT_FLAG('q', "quiet", struct create_opts, quiet, "say nothing where all went well"),
	OPT_FLAG(0, "json", struct create_opts, json, "print JSON"),
	OPT_END
};

/* What was made. */
struct created {
	struct manifest manifest;
	struct create_notes notes;
	struct buf work; /* absolute path of the work tree */
};

static void created_release(struct created *r)
{
	manifest_release(&r->manifest);
	strv_release(&r->notes.lines);
	buf_release(&r->work);
}

static void on_step(void *arg, const char *step, size_t n, size_t of)
{
	progress_step(arg, step, n, of);
}

static json_t *texts(const struct strv *list)
{
	json_t *out = json_array();

	for (size_t i = 0; i < list->len; i++)
		json_array_append_new(out, json_text(list->v[i]));
	return out;
}

static void answer_json(const struct created *r)
{
	const struct manifest *m = &r->manifest;
	json_t *base = json_object();
	json_t *j = json_object();

	json_object_set_new(base, "commit", json_text(m->base_commit.data));
	json_object_set_new(base, "tree", json_text(m->base_tree.data));
	json_object_set_new(base, "branch",
			    m->base_branch.len ? json_text(m->base_branch.data) : json_null());
	json_object_set_new(j, "name", json_text(m->name.data));
	json_object_set_new(j, "id", json_text(m->id));
	json_object_set_new(j, "tier", json_text(tier_names[m->tier]));
	json_object_set_new(j, "profile", json_text(m->profile.data));
	json_object_set_new(j, "policy_digest", json_text(m->policy_digest));
	json_object_set_new(j, "base", base);
	json_object_set_new(j, "path", json_text(r->work.data));
	json_object_set_new(j, "notes", texts(&r->notes.lines));
	json_answer(j, CREATE_SCHEMA);
}

static void answer(const struct app *app, const struct created *r)
{
	const struct manifest *m = &r->manifest;
	BUF_AUTO branch = BUF_INIT;

	msg_clean(m->base_branch.data, m->base_branch.len, &branch);
	printf("created box %s (%s, profile %s) at %.*s%s%s\n", m->name.data, tier_names[m->tier],
	       m->profile.data, SHORT_ID, m->base_commit.data, branch.len ? " of " : "",
	       branch.data);
	for (size_t i = 0; i < r->notes.lines.len; i++)
		msg_note(app, "%s", r->notes.lines.v[i]);
	if (app->progress)
		msg_note(app, "next: git box run %s -- COMMAND", m->name.data);
}

static int create(struct app *app, const struct create_opts *o, struct created *r,
		  struct error *err)
{
	REPO_AUTO repo = REPO_INIT;
	struct progress progress;
	struct create_request req = {
		.repo = &repo,
		.name = o->name,
		.from = o->from,
		.profile = o->profile,
		.isolation = o->isolation,
		.progress = on_step,
		.progress_arg = &progress,
		.trace = app->trace,
	};
	int rc;

	if (repo_discover(&repo, err))
		return -1;
	progress_start(app, &progress);
	rc = box_create(&req, &r->manifest, &r->notes, err);
	progress_end(&progress);
	buf_fmt(&r->work, "%s/box/b/%s/work", repo.common_dir.data, r->manifest.id);
	return rc;
}

static int run(struct app *app, void *arg)
{
	const struct create_opts *o = arg;
	struct created r = { .notes = { .lines = STRV_INIT }, .work = BUF_INIT };
	struct error err = ERROR_INIT;
	int code = EXIT_OK;

	manifest_init(&r.manifest);
	if (create(app, o, &r, &err))
		code = msg_fail(app, &err);
	else if (o->json)
		answer_json(&r);
	else if (!o->quiet)
		answer(app, &r);
	created_release(&r);
	return code;
}

const struct command cmd_create = {
	.name = "create",
	.summary = "make a box from a commit of this repository",
	.description = "Makes a box: a work tree with the files of a commit, a git directory, a "
		       "HOME and a /tmp of its own, "
		       "all below the git directory of the repository. The commit is HEAD unless "
		       "--from names another; what "
		       "is not committed is not part of a box. Nothing is fetched, no hook and no "
		       "filter runs.\n"
		       "\n"
		       "What the box may do comes from a profile and is fixed now: later changes "
		       "of the profile do not touch "
		       "it. A tier that this machine cannot enforce is refused; a weaker one is "
		       "never taken instead. The tier "
		       "'workspace' confines nothing and is taken only where it is asked for.\n"
		       "\n"
		       "A registered submodule is part of the box where a clone of it in this "
		       "repository has its commit; the directories of others are empty. Work in a "
		       "submodule stays in the box. Files of git-lfs have their content where "
		       "their objects are here and git-lfs is installed in /usr; else they are "
		       "pointers. Both are said.\n"
		       "\n"
		       "A failure or an interruption leaves nothing behind.",
	.examples = "$ git box create fix-login\n"
		    "Make a box at HEAD.\n"
		    "$ git box create --from v2.1 --profile agent old-bug\n"
		    "Make one at a tag, for a coding agent.",
	.opts = opts,
	.opts_size = sizeof(struct create_opts),
	.run = run,
};
