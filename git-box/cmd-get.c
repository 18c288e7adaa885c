#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/exit.h"
#include "cli/msg.h"
#include "git-box/transfer-report.h"
#include "git-box/verbs.h"
#include "sys/fd.h"

#define GET_SCHEMA 1
#define SHOWN_MAX (16u << 20) /* of what goes to a terminal */

struct get_opts {
	bool force;
	bool json;
	uint64_t max;
	const char *name;
	struct strv paths;
};

static const struct opt opts[] = {
	OPT_FLAG('f', "force", struct get_opts, force, "replace files that are there"),
	OPT_SIZE(0, "max", struct get_opts, max, "SIZE", "refuse larger files; default: 512M"),
	OPT_FLAG(0, "json", struct get_opts, json, "print JSON"),
	ARG_ONE("NAME", struct get_opts, name, COMPLETE_BOX, "the box, or the start of its id"),
	ARG_MANY("PATH", struct get_opts, paths, COMPLETE_FILE,
		 "files of its work tree; of several words the last is where they go"),
	OPT_END,
};

/* A terminal obeys what it is sent, so it gets the text without controls. */
static int show(const struct app *app, int fd, struct error *err)
{
	BUF_AUTO bytes = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	ssize_t n;

	buf_grow(&bytes, SHOWN_MAX);
	n = pread(fd, bytes.data, SHOWN_MAX, 0);
	if (n < 0)
		return error_sys(err, errno, "cannot read the file back");
	msg_clean_block(bytes.data, (size_t)n, &text);
	if (text.len != (size_t)n || memcmp(text.data, bytes.data, text.len) != 0)
		msg_warning(app, "not shown as it is: control characters are replaced; "
				 "redirect the output to get the bytes");
	if ((size_t)n == SHOWN_MAX)
		msg_warning(app, "only the first 16 MiB are shown");
	fwrite(text.data, 1, text.len, stdout);
	return 0;
}

static int get_to_stdout(const struct app *app, struct get_request *req, struct transfer_list *got,
			 struct error *err)
{
	FD_AUTO shown = -1;

	fflush(stdout);
	if (!isatty(STDOUT_FILENO)) {
		req->out = STDOUT_FILENO;
		return box_get(req, got, err);
	}
	shown = memfd_create("git-box-get", MFD_CLOEXEC);
	if (shown < 0)
		return error_sys(err, errno, "cannot make a memory file");
	req->out = shown;
	if (box_get(req, got, err) < 0)
		return -1;
	return show(app, shown, err);
}

static int get(const struct app *app, const struct get_opts *o, struct get_request *req,
	       struct error *err)
{
	TRANSFER_LIST_AUTO got = TRANSFER_LIST_INIT;
	bool to_stdout = req->dest && strcmp(req->dest, "-") == 0;

	if (to_stdout && o->json)
		return error_set(err, ERR_USAGE,
				 "--json and the contents cannot both go to stdout");
	if ((to_stdout ? get_to_stdout(app, req, &got, err) : box_get(req, &got, err)) < 0)
		return -1;
	if (o->json) {
		JSON_AUTO *answer = transfer_json(req->box, &got);

		json_answer(answer, GET_SCHEMA);
	}
	return 0;
}

static int run(struct app *app, void *opts_void)
{
	struct get_opts *o = opts_void;
	char *dest = transfer_take_last(&o->paths);
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct box box;
	struct get_request req = {
		.repo = &repo,
		.box = &box,
		.paths = strv_argv(&o->paths),
		.dest = dest,
		.out = -1,
		.force = o->force,
		.max = o->max ? o->max : TRANSFER_MAX_DEFAULT,
	};
	int code = EXIT_OK;

	box_init(&box);
	if (repo_discover(&repo, &err) < 0 || box_open(&repo, o->name, &box, &err) < 0 ||
	    get(app, o, &req, &err) < 0)
		code = msg_fail(app, &err);
	box_release(&box);
	free(dest);
	return code;
}

const struct command cmd_get = {
	.name = "get",
	.summary = "copy single files out of a box",
	.description =
		"Copies regular files of the box's work tree to the directory given last, or "
		"to the current one; a single file may be given a new name, or '-' for "
		"stdout. A path means the same as outside: relative to the current "
		"directory, or absolute below the top of the repository.\n"
		"\n"
		"No symlink is followed, in the box or in the repository; nothing but the "
		"executable bit of the mode is taken over; what is there is only replaced "
		"with --force. Works while commands run in the box.\n"
		"\n"
		"What comes out this way is what the box wrote, and nobody looked at it: "
		"git box propose is the way for changes.",
	.examples = "$ git box get fix-login build/report.html /tmp\n"
		    "$ git box get fix-login core.log - | less",
	.opts = opts,
	.opts_size = sizeof(struct get_opts),
	.run = run,
};
