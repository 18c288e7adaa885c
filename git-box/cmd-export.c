#include "base/base.h"

#include "base/exit.h"
#include "box/export.h"
#include "cli/msg.h"
#include "git-box/proposal.h"
#include "git-box/verbs.h"
#include "sys/fd.h"
#include "wire/json.h"

#define EXPORT_SCHEMA 1

struct export_opts {
	const char *name;
	const char *out;
	bool force;
	bool json;
};

static const struct opt opts[] = {
	OPT_STRING('o', "out", struct export_opts, out, "DIR", COMPLETE_FILE,
		   "where to; its parent must be there; default: " EXPORT_DIR "/NAME"),
	OPT_FLAG('f', "force", struct export_opts, force, "replace an earlier export"),
	OPT_FLAG(0, "json", struct export_opts, json, "print JSON"),
	ARG_ONE("NAME", struct export_opts, name, COMPLETE_BOX, "the box, or the start of its id"),
	OPT_END,
};

static void answer_json(const struct box *b, const struct proposed *p,
			const struct export_result *r)
{
	JSON_AUTO *j = json_object();

	json_object_set_new(j, "box", json_text(b->m.name.data));
	json_object_set_new(j, "id", json_text(b->m.id));
	json_object_set_new(j, "dir", json_text(r->dir.data));
	proposal_counts_json(p, j);
	json_object_set_new(j, "patch_bytes", json_integer((json_int_t)r->patch_bytes));
	json_answer(j, EXPORT_SCHEMA);
}

static void answer(const struct app *app, const struct box *b, const struct proposed *p,
		   const struct export_result *r)
{
	BUF_AUTO dir = BUF_INIT;

	msg_clean(r->dir.data, r->dir.len, &dir);
	printf("exported %.12s of box %s to %s (%zu file%s, +%llu -%llu)\n", p->commit.data,
	       b->m.name.data, dir.data, p->files.len, p->files.len == 1 ? "" : "s",
	       (unsigned long long)p->files.added, (unsigned long long)p->files.deleted);
	if (p->report.flagged)
		msg_warning(app, "%zu finding%s to look at first, see report.md", p->report.flagged,
			    p->report.flagged == 1 ? "" : "s");
}

static int export(const struct app *app, const struct export_opts *o, const struct repo *repo,
		  struct box *b, struct error *err)
{
	FD_AUTO lock = proposed_hold(b, err);
	struct export_result result = { .dir = BUF_INIT };
	PROPOSED_AUTO p = PROPOSED_INIT;
	const struct export_request req = {
		.repo = repo, .box = b, .proposed = &p, .dir = o->out, .force = o->force
	};

	if (lock < 0 || proposed_read(repo, b, &p, err) < 0 || box_export(&req, &result, err) < 0)
		return -1;
	if (o->json)
		answer_json(b, &p, &result);
	else
		answer(app, b, &p, &result);
	buf_release(&result.dir);
	return 0;
}

static int run(struct app *app, void *opts_void)
{
	const struct export_opts *o = opts_void;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct box box;
	int code;

	box_init(&box);
	if (repo_discover(&repo, &err) < 0 || box_open(&repo, o->name, &box, &err) < 0)
		code = msg_fail(app, &err);
	else
		code = proposal_ensure(app, &repo, &box);
	if (code == EXIT_OK && export(app, o, &repo, &box, &err) < 0)
		code = msg_fail(app, &err);
	box_release(&box);
	return code;
}

const struct command cmd_export = {
	.name = "export",
	.summary = "write the proposal of a box as a patch with a report",
	.description =
		"Writes what the box proposed to a directory: patch.diff, which git apply --index "
		"--binary turns back into exactly the proposed tree; report.md for people, with "
		"the flagged files first; receipt.json for programs. A .gitignore keeps the "
		"directory out of git status. A box that has proposed nothing yet proposes "
		"first.\n"
		"\n"
		"A directory that is not empty is refused; with --force an earlier export is "
		"replaced, but never anything that no export wrote. The directory appears as a "
		"whole or not at all. What the box does meanwhile changes nothing: it is the "
		"recorded proposal that is exported.",
	.examples = "$ git box export fix-login\n"
		    "$ git box export fix-login --out /tmp/fix-login --json",
	.opts = opts,
	.opts_size = sizeof(struct export_opts),
	.run = run,
};
