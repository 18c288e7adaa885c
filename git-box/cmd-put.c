#include "base/base.h"

#include "base/exit.h"
#include "cli/msg.h"
#include "git-box/transfer-report.h"
#include "git-box/verbs.h"

#define PUT_SCHEMA 1

struct put_opts {
	bool force;
	bool json;
	uint64_t max;
	const char *name;
	struct strv files;
};

static const struct opt opts[] = {
	OPT_FLAG('f', "force", struct put_opts, force, "replace files that are in the box"),
	OPT_SIZE(0, "max", struct put_opts, max, "SIZE", "refuse larger files; default: 512M"),
	OPT_FLAG(0, "json", struct put_opts, json, "print JSON"),
	ARG_ONE("NAME", struct put_opts, name, COMPLETE_BOX, "the box, or the start of its id"),
	ARG_MANY("FILE", struct put_opts, files, COMPLETE_FILE,
		 "files of this machine; of several words the last is a directory of the box"),
	OPT_END,
};

static int put(const struct put_opts *o, const struct put_request *req, struct error *err)
{
	TRANSFER_LIST_AUTO done = TRANSFER_LIST_INIT;

	if (box_put(req, &done, err) < 0)
		return -1;
	if (o->json) {
		JSON_AUTO *answer = transfer_json(req->box, &done);

		json_answer(answer, PUT_SCHEMA);
	}
	return 0;
}

static int run(struct app *app, void *opts_void)
{
	struct put_opts *o = opts_void;
	char *dir = transfer_take_last(&o->files);
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct box box;
	const struct put_request req = {
		.repo = &repo,
		.box = &box,
		.files = strv_argv(&o->files),
		.dir = dir,
		.force = o->force,
		.max = o->max ? o->max : TRANSFER_MAX_DEFAULT,
	};
	int code = EXIT_OK;

	box_init(&box);
	if (repo_discover(&repo, &err) < 0 || box_open(&repo, o->name, &box, &err) < 0 ||
	    put(o, &req, &err) < 0)
		code = msg_fail(app, &err);
	box_release(&box);
	free(dir);
	return code;
}

const struct command cmd_put = {
	.name = "put",
	.summary = "copy single files into a box",
	.description =
		"Copies regular files into the box's work tree: into the directory of the box "
		"given last, or into the one that corresponds to the current directory. It must be "
		"there; a path of the box means the same as outside. A file that is in the box is "
		"only replaced with --force.\n"
		"\n"
		"No symlink is followed, here or there; of the mode only the executable bit is "
		"taken over. Not while commands run in the box.",
	.examples = "$ git box put fix-login ~/crash.log\n"
		    "$ git box put fix-login sample.json tests/data",
	.opts = opts,
	.opts_size = sizeof(struct put_opts),
	.run = run,
};
