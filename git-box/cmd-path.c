#include "base/base.h"

#include "base/exit.h"
#include "box/box.h"
#include "cli/msg.h"
#include "git-box/verbs.h"

struct path_opts {
	const char *name;
};

static const struct opt opts[] = { ARG_ONE("NAME", struct path_opts, name, COMPLETE_BOX,
					   "the box, or the start of its id"),
				   OPT_END };

static int run(struct app *app, void *arg)
{
	const struct path_opts *o = arg;
	REPO_AUTO repo = REPO_INIT;
	struct error err = ERROR_INIT;
	struct box box;
	int code = EXIT_OK;

	box_init(&box);
	/* The bytes as they are: they are meant for a program, as in cd "$(git box path b)". */
	if (repo_discover(&repo, &err) || box_open(&repo, o->name, &box, &err))
		code = msg_fail(app, &err);
	else
		printf("%s/work\n", box.path.data);
	box_release(&box);
	return code;
}

const struct command cmd_path = {
	.name = "path",
	.summary = "print where the work tree of a box is",
	.description = "Prints the absolute path of the work tree on this machine. 'git status' "
		       "and 'git diff' work there: "
		       "its .git belongs to the host and runs nothing of the box. The files, and "
		       "whatever lies in "
		       "subdirectories, are the box's: look at them, but do not run git, prompts "
		       "or editors there.",
	.examples = "$ git -C \"$(git box path fix-login)\" diff\n"
		    "See what changed in the box.",
	.opts = opts,
	.opts_size = sizeof(struct path_opts),
	.run = run,
};
