#include "base/base.h"

#include "base/exit.h"
#include "box/finding.h"
#include "cli/msg.h"
#include "git-box/intake-report.h"

#define SHOWN 10

static void note_count(const struct app *app, uint64_t n, const char *one, const char *many)
{
	if (n == 1)
		msg_note(app, "1 %s is not part of it", one);
	else if (n > 1)
		msg_note(app, "%llu %s are not part of it", (unsigned long long)n, many);
}

/* The paths are quoted, so each is one printable word. */
static void note_paths(const struct app *app, const struct strv *paths, const char *what)
{
	for (size_t i = 0; i < paths->len && i < SHOWN; i++)
		msg_warning(app, "%s %s", paths->v[i], what);
	if (paths->len > SHOWN)
		msg_warning(app, "and %zu more like these", paths->len - SHOWN);
}

static void note_finding(const struct app *app, const struct gate_finding *f)
{
	BUF_AUTO text = BUF_INIT;

	finding_text(f, &text);
	msg_warning(app, "%s %s", f->severity == GATE_REFUSED ? "refused:" : "look at", text.data);
}

void intake_notes(const struct app *app, const struct intake *in)
{
	const struct scribe_report *r = &in->scribe;

	/* All of them: one that is not named could be the one that matters. */
	for (size_t i = 0; i < in->gate.len; i++)
		note_finding(app, &in->gate.v[i]);

	note_count(app, r->special, "FIFO, socket or device", "FIFOs, sockets and devices");
	note_count(app, r->dotgit, "file that git would take for its own",
		   "files that git would take for its own");
	note_count(app, r->too_long, "directory with too long a path",
		   "directories with too long paths");
	note_count(app, r->unreadable, "file that its owner may not read",
		   "files that their owner may not read");
	note_paths(app, &r->repositories,
		   "is a repository that the box made: do not run git in it");
	note_paths(app, &r->silent, "changed without a trace in its size and times");
}

static json_t *list(const struct strv *paths)
{
	json_t *out = json_array();

	for (size_t i = 0; i < paths->len; i++)
		json_array_append_new(out, json_text(paths->v[i]));
	return out;
}

json_t *intake_rules(const struct intake *in, const char *path)
{
	json_t *out = json_array();

	for (size_t i = 0; i < in->gate.len; i++) {
		if (strcmp(in->gate.v[i].path.data, path) == 0)
			json_array_append_new(out, json_text(in->gate.v[i].rule));
	}
	return out;
}

void intake_json(const struct intake *in, json_t *obj)
{
	const struct scribe_report *r = &in->scribe;
	json_t *skipped = json_object();

	json_object_set_new(skipped, "special", json_integer((json_int_t)r->special));
	json_object_set_new(skipped, "git", json_integer((json_int_t)r->dotgit));
	json_object_set_new(skipped, "too_long", json_integer((json_int_t)r->too_long));
	json_object_set_new(skipped, "unreadable", json_integer((json_int_t)r->unreadable));
	json_object_set_new(obj, "tree", json_text(r->tree.data));
	json_object_set_new(obj, "gate", finding_report_json(&in->gate));
	json_object_set_new(obj, "skipped", skipped);
	json_object_set_new(obj, "repositories", list(&r->repositories));
	json_object_set_new(obj, "silent", list(&r->silent));
}

int intake_refused(const struct app *app, const struct intake *in, const char *name)
{
	intake_notes(app, in);
	msg_warning(app, "box '%s' is not proposed: %zu finding%s above must go first", name,
		    in->gate.refused, in->gate.refused == 1 ? "" : "s");
	return EXIT_REFUSED;
}

int intake_fail(const struct app *app, const struct intake *in, const struct error *err)
{
	struct app said = *app;

	if (err->kind != ERR_CORRUPT || in->q.parent_fd < 0)
		return msg_fail(app, err);
	if (app->json)
		json_answer_error(err, EXIT_QUARANTINED);
	said.json = false;
	(void)msg_fail(&said, err);
	return EXIT_QUARANTINED;
}
