#include "base/base.h"

#include "base/exit.h"
#include "box/remove.h"
#include "cli/msg.h"
#include "git-box/verbs.h"
#include "wire/json.h"

#define GC_SCHEMA 1

struct gc_opts {
	bool dry_run;
	bool json;
};

static const struct opt opts[] = {
	OPT_FLAG('n', "dry-run", struct gc_opts, dry_run, "only say what would be removed"),
	OPT_FLAG(0, "json", struct gc_opts, json, "print JSON"),
	OPT_END,
};

static const struct {
	const char *kind;
	const char *words;
} kinds[] = {
	{ "aborted", "aborted box" },
	{ "lock", "lock of a killed git" },
	{ "abandoned", "box of a command that was killed" },
	{ "unfinished", "what an interrupted create left of" },
	{ "removed", "what an interrupted removal left of" },
	{ "name", "name without a box" },
	{ "bundle", "expired bundle of" },
	{ "ref", "base without a box" },
	{ "quarantine", "objects that were being looked at:" },
	{ "cgroup", "cgroup of a session that was killed:" },
};

static const char *words_for(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].words;
	}
	BUG("gc reported '%s'", kind);
}

static void print_item(const struct gc_item *item, bool dry_run)
{
	printf("%s %s %s", dry_run ? "would remove" : "removed", words_for(item->kind),
	       item->what.data);
	if (item->restore.len > 0)
		printf("; its files are kept, this makes a branch of them:\n%s",
		       item->restore.data);
	puts("");
}

static void print_text(const struct app *app, const struct gc_report *report, bool dry_run)
{
	for (size_t i = 0; i < report->len; i++) {
		const struct gc_item *item = &report->v[i];

		if (item->err.kind == ERR_NONE)
			print_item(item, dry_run);
		else
			msg_warning(app, "cannot remove %s %s: %s", words_for(item->kind),
				    item->what.data, item->err.msg);
	}
	if (report->len == 0)
		msg_note(app, "nothing to remove");
}

static void print_json(const struct gc_report *report, bool dry_run)
{
	JSON_AUTO *answer = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < report->len; i++) {
		const struct gc_item *item = &report->v[i];
		bool fine = item->err.kind == ERR_NONE;
		json_t *obj = json_object();

		json_object_set_new(obj, "kind", json_text(item->kind));
		json_object_set_new(obj, "what", json_text(item->what.data));
		json_object_set_new(obj, "removed", json_boolean(fine && !dry_run));
		if (!fine)
			json_object_set_new(obj, "error", json_text(item->err.msg));
		if (item->restore.len > 0)
			json_object_set_new(obj, "restore", json_text(item->restore.data));
		json_array_append_new(list, obj);
	}
	json_object_set_new(answer, "dry_run", json_boolean(dry_run));
	json_object_set_new(answer, "items", list);
	json_answer(answer, GC_SCHEMA);
}

/* The code of the first thing that stayed. */
static int code_of(const struct gc_report *report)
{
	for (size_t i = 0; i < report->len; i++) {
		if (report->v[i].err.kind != ERR_NONE)
			return exit_for(report->v[i].err.kind);
	}
	return EXIT_OK;
}

static int run(struct app *app, void *opts_void)
{
	const struct gc_opts *o = opts_void;
	struct gc_report report = GC_REPORT_INIT;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	uint64_t keep_ms;
	int code;

	if (repo_discover(&repo, &err) < 0 || box_keep_ms(&repo, &keep_ms, &err) < 0)
		return msg_fail(app, &err);
	if (box_gc(&repo, keep_ms, o->dry_run, &report, &err) < 0) {
		code = msg_fail(app, &err);
	} else {
		code = code_of(&report);
		if (o->json)
			print_json(&report, o->dry_run);
		else
			print_text(app, &report, o->dry_run);
	}
	gc_report_release(&report);
	return code;
}

const struct command cmd_gc = {
	.name = "gc",
	.summary = "remove aborted boxes and what crashes left",
	.description = "Removes aborted boxes (their files are kept as bundles for "
		       "box.keepRemoved), what interrupted "
		       "creates and removals left, bundles whose time is over, and pins of bases "
		       "that nothing needs "
		       "any more. Boxes in use, and work that was not given up, are never touched.",
	.examples = "$ git box gc --dry-run\n$ git box gc",
	.opts = opts,
	.opts_size = sizeof(struct gc_opts),
	.run = run,
};
