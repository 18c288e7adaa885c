#include "base/base.h"

#include "base/exit.h"
#include "cli/msg.h"
#include "cli/table.h"
#include "git-box/doctor.h"
#include "git-box/verbs.h"
#include "wire/json.h"

#define DOCTOR_SCHEMA 1

struct doctor_opts {
	bool json;
	const char *name;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "json", struct doctor_opts, json, "print JSON"),
	ARG_MAYBE("NAME", struct doctor_opts, name, COMPLETE_BOX, "look at this box only"),
	OPT_END,
};

static void print_text(const struct app *app, const struct doctor *d)
{
	static const char *const head[] = { "STATE", "CHECK", "BOX", "DETAIL" };
	struct table t = { .head = head, .columns = ARRAY_SIZE(head), .cells = STRV_INIT };

	for (size_t i = 0; i < d->len; i++) {
		const struct doctor_check *c = &d->v[i];
		const char *const cells[] = { doctor_words[c->state], c->name,
					      c->box.len > 0 ? c->box.data : "-", c->detail.data };

		table_row(&t, cells);
	}
	table_print(app, &t);
	table_release(&t);
	for (size_t i = 0; i < d->len; i++) {
		if (d->v[i].fix.len > 0)
			msg_note(app, "%s: %s", d->v[i].name, d->v[i].fix.data);
	}
}

static void print_json(const struct doctor *d)
{
	JSON_AUTO *answer = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < d->len; i++) {
		const struct doctor_check *c = &d->v[i];
		json_t *obj = json_object();

		json_object_set_new(obj, "name", json_text(c->name));
		json_object_set_new(obj, "box",
				    c->box.len > 0 ? json_text(c->box.data) : json_null());
		json_object_set_new(obj, "state", json_text(doctor_words[c->state]));
		json_object_set_new(obj, "detail", json_text(c->detail.data));
		json_object_set_new(obj, "fix", json_text(c->fix.data));
		json_array_append_new(list, obj);
	}
	json_object_set_new(answer, "healthy", json_boolean(doctor_healthy(d)));
	json_object_set_new(answer, "checks", list);
	json_answer(answer, DOCTOR_SCHEMA);
}

static int run(struct app *app, void *opts_void)
{
	const struct doctor_opts *o = opts_void;
	struct doctor d = DOCTOR_INIT;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	int code;

	if (repo_discover(&repo, &err) < 0 || doctor_run(&repo, o->name, &d, &err) < 0)
		return msg_fail(app, &err);
	if (o->json)
		print_json(&d);
	else
		print_text(app, &d);
	code = doctor_healthy(&d) ? EXIT_OK : EXIT_NO;
	doctor_release(&d);
	return code;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "look for what is wrong with boxes, and say what to do",
	.description = "Checks git, the installation, whether this host confines, the box "
		       "directory, and for every box "
		       "whether its manifest and policy agree, its base is kept, its files are "
		       "there and what lives "
		       "in it; then what crashes left. Exit code 1 where a check fails.",
	.examples = "$ git box doctor\n$ git box doctor --json fix-login",
	.opts = opts,
	.opts_size = sizeof(struct doctor_opts),
	.run = run,
};
