#include "base/base.h"

#include "base/exit.h"
#include "box/box.h"
#include "box/session.h"
#include "cli/msg.h"
#include "git-box/verbs.h"
#include "sys/fd.h"
#include "wire/json.h"

#define ABORT_SCHEMA 1
#define STOP_WAIT_MS 10000
#define LOCK_WAIT_MS 5000

struct abort_opts {
	bool json;
	struct strv names;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "json", struct abort_opts, json, "print JSON"),
	ARG_MANY("NAME", struct abort_opts, names, COMPLETE_BOX, "the boxes"),
	OPT_END,
};

/* The manifest is read again under the lock: it may have changed since. */
static int set_aborted(struct box *b, struct error *err)
{
	FD_AUTO lock = box_lock(b, true, LOCK_WAIT_MS, err);
	struct manifest now;
	int rc;

	if (lock < 0)
		return -1;
	manifest_init(&now);
	rc = manifest_read(b->fd, &now, err);
	if (rc == 0 && now.state == BOX_APPLIED)
		rc = error_set(err, ERR_REFUSED, "box '%s' is applied already", now.name.data);
	now.state = BOX_ABORTED;
	if (rc == 0)
		rc = manifest_write(b->fd, &now, err);
	manifest_release(&now);
	return rc;
}

static int abort_box(const struct repo *repo, const char *name, size_t *stopped, struct error *err)
{
	struct box b;
	int rc;

	box_init(&b);
	if (box_open(repo, name, &b, err) < 0)
		return -1;
	rc = session_stop_all(b.fd, STOP_WAIT_MS, stopped, err);
	if (rc == 0)
		rc = set_aborted(&b, err);
	if (rc < 0)
		error_wrap(err, "box '%s'", b.m.name.data);
	box_release(&b);
	return rc;
}

static json_t *answer_json(const char *name, size_t stopped, const struct error *err)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "name", json_text(name));
	json_object_set_new(obj, "aborted", json_boolean(err->kind == ERR_NONE));
	json_object_set_new(obj, "stopped", json_integer((json_int_t)stopped));
	if (err->kind == ERR_NONE)
		return obj;
	json_object_set_new(obj, "kind", json_text(error_kind_name(err->kind)));
	json_object_set_new(obj, "error", json_text(err->msg));
	json_object_set_new(obj, "hint", json_text(err->hint));
	return obj;
}

static int abort_one(const struct app *app, const struct repo *repo, const char *name, json_t *list)
{
	struct error err = ERROR_INIT;
	size_t stopped = 0;
	int rc = abort_box(repo, name, &stopped, &err);

	if (list)
		json_array_append_new(list, answer_json(name, stopped, &err));
	if (rc < 0)
		return msg_fail(app, &err);
	if (!list)
		msg_note(app,
			 "box '%s' is aborted (%zu command%s ended); git box rm or git box gc "
			 "removes it",
			 name, stopped, stopped == 1 ? "" : "s");
	return EXIT_OK;
}

static int run(struct app *app, void *opts_void)
{
	const struct abort_opts *o = opts_void;
	JSON_AUTO *answer = o->json ? json_object() : NULL;
	json_t *list = o->json ? json_array() : NULL;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	int code = EXIT_OK;

	json_object_set_new(answer, "boxes", list);
	if (repo_discover(&repo, &err) < 0)
		return msg_fail(app, &err);
	app->json = false; /* failures are part of the answer from here on */
	for (size_t i = 0; i < o->names.len; i++) {
		int one = abort_one(app, &repo, o->names.v[i], list);

		if (code == EXIT_OK)
			code = one;
	}
	if (answer)
		json_answer(answer, ABORT_SCHEMA);
	return code;
}

const struct command cmd_abort = {
	.name = "abort",
	.summary = "end the commands of boxes and give the boxes up",
	.description = "Ends every command that lives in the box and marks it as aborted: nothing "
		       "runs in it any more. "
		       "Its files stay until git box rm, or git box gc, which keeps them as a "
		       "bundle.",
	.examples = "$ git box abort fix-login",
	.opts = opts,
	.opts_size = sizeof(struct abort_opts),
	.run = run,
};
