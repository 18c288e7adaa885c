#include "base/base.h"

#include "base/exit.h"
#include "box/remove.h"
#include "cli/msg.h"
#include "git-box/verbs.h"
#include "wire/json.h"

#define RM_SCHEMA 1

struct rm_opts {
	bool force;
	bool json;
	struct strv names;
};

static const struct opt opts[] = {
	OPT_FLAG('f', "force", struct rm_opts, force,
		 "remove although the box holds work, or is damaged"),
	OPT_FLAG(0, "json", struct rm_opts, json, "print JSON"),
	ARG_MANY("NAME", struct rm_opts, names, COMPLETE_BOX, "the boxes"),
	OPT_END,
};

static void say(const struct app *app, const struct remove_result *r)
{
	BUF_AUTO restore = BUF_INIT;

	if (r->bundle.len == 0) {
		msg_note(app, "removed box '%s'", r->name.data);
		return;
	}
	msg_note(app, "removed box '%s'; its files are kept, this makes a branch of them:",
		 r->name.data);
	remove_restore_command(r, &restore);
	puts(restore.data);
}

static json_t *result_json(const struct remove_result *r)
{
	json_t *obj = json_object();
	BUF_AUTO restore = BUF_INIT;

	json_object_set_new(obj, "name", json_text(r->name.data));
	json_object_set_new(obj, "removed", json_true());
	json_object_set_new(obj, "had_work", json_boolean(r->had_work));
	if (r->bundle.len == 0)
		return obj;
	remove_restore_command(r, &restore);
	json_object_set_new(obj, "bundle", json_text(r->bundle.data));
	json_object_set_new(obj, "ref", json_text(r->ref.data));
	json_object_set_new(obj, "commit", json_text(r->commit.data));
	json_object_set_new(obj, "restore", json_text(restore.data));
	return obj;
}

static json_t *failure_json(const char *name, const struct error *err)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "name", json_text(name));
	json_object_set_new(obj, "removed", json_false());
	json_object_set_new(obj, "kind", json_text(error_kind_name(err->kind)));
	json_object_set_new(obj, "error", json_text(err->msg));
	json_object_set_new(obj, "hint", json_text(err->hint));
	return obj;
}

/* Exit code for one box; its answer goes to list where JSON is wanted. */
static int remove_one(const struct app *app, const struct remove_request *req, json_t *list)
{
	struct error err = ERROR_INIT;
	struct remove_result result;
	int code = EXIT_OK;

	remove_result_init(&result);
	if (box_remove(req, &result, &err) < 0) {
		if (list)
			json_array_append_new(list, failure_json(req->name, &err));
		code = msg_fail(app, &err);
	} else if (list) {
		json_array_append_new(list, result_json(&result));
	} else {
		say(app, &result);
	}
	remove_result_release(&result);
	return code;
}

static int run(struct app *app, void *opts_void)
{
	const struct rm_opts *o = opts_void;
	JSON_AUTO *answer = o->json ? json_object() : NULL;
	json_t *list = o->json ? json_array() : NULL;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct remove_request req = { .repo = &repo, .force = o->force };
	int code = EXIT_OK;

	json_object_set_new(answer, "boxes", list);
	if (repo_discover(&repo, &err) < 0 || box_keep_ms(&repo, &req.keep_ms, &err) < 0)
		return msg_fail(app, &err);
	app->json = false; /* failures are part of the answer from here on */
	/* One that cannot be removed does not keep the others. */
	for (size_t i = 0; i < o->names.len; i++) {
		int one;

		req.name = o->names.v[i];
		one = remove_one(app, &req, list);
		if (code == EXIT_OK)
			code = one;
	}
	if (answer)
		json_answer(answer, RM_SCHEMA);
	return code;
}

const struct command cmd_rm = {
	.name = "rm",
	.alias = "remove",
	.summary = "remove boxes",
	.description = "A box whose files differ from its base, or which says that it has commits "
		       "of its own, is only "
		       "removed with --force. Its files are then kept as a bundle for "
		       "box.keepRemoved (14 days), and "
		       "the command that makes a branch of them is printed; 0 keeps nothing. The "
		       "history of commits made inside is not kept. A bundle lies in "
		       "$GIT_COMMON_DIR/box/removed/, beside a file that says of which box it is.\n"
		       "\n"
		       "A box in which commands live is never removed; git box abort ends them.",
	.examples = "$ git box rm fix-login\n$ git box rm --force fix-login",
	.opts = opts,
	.opts_size = sizeof(struct rm_opts),
	.run = run,
};
