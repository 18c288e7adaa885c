#include "base/base.h"

#include <fcntl.h>
#include <sys/auxv.h>

#include "base/exit.h"
#include "cli/opt.h"
#include "git-box/verbs.h"
#include "git-box/words.h"

static const struct command *const verbs[] = {
	&cmd_create, &cmd_run,	  &cmd_ls,     &cmd_status, &cmd_path,	  &cmd_diff, &cmd_propose,
	&cmd_review, &cmd_apply,  &cmd_rebase, &cmd_export, &cmd_compare, &cmd_rm,   &cmd_abort,
	&cmd_gc,     &cmd_doctor, &cmd_probe,  &cmd_get,    &cmd_put,	  NULL,
};

static const struct manual_row config_rows[] = {
	{ "box.profile", "profile of new boxes where create names none; default: default" },
	{ "box.isolation", "tier of new boxes where create names none; default: auto" },
	{ "box.uid", "user id under which commands run where the operator is root; "
		     "default: 1879048192 (0x70000000)" },
	{ "box.branchPrefix", "what the branches of proposals start with; default: box/" },
	{ "box.keepRemoved", "how long the work of a removed box can be restored; default: 14d" },
	{ NULL, NULL },
};

static const struct manual_row file_rows[] = {
	{ "$GIT_COMMON_DIR/box/",
	  "everything about the boxes of a repository; readable by its owner "
	  "only, never shown to a box as a whole" },
	{ "$GIT_COMMON_DIR/box/b/ID/work/", "the work tree of a box" },
	{ "$GIT_COMMON_DIR/box/b/ID/home/", "its HOME" },
	{ "$GIT_COMMON_DIR/box/removed/",
	  "bundles of removed work, until box.keepRemoved is over" },
	{ "$GIT_COMMON_DIR/box/quarantine/", "objects of a box that is being looked at" },
	{ "refs/heads/box/NAME", "the proposal of a box (box.branchPrefix)" },
	{ "refs/box/base/ID", "keeps the commit from which a box was made" },
	{ NULL, NULL },
};

static const char *const see_also[] = { "git(1)", "git-worktree(1)", "git-config(1)", NULL };

static const struct manual manual = {
	.date = "2026-11-30",
	.description =
		"A box is a work tree of this repository for a coding agent, with a git directory, "
		"a HOME and a /tmp of its own, in which commands run confined: they see the work "
		"tree, the system's programs and what the profile of the box grants, read-only, "
		"and have no network. Nothing else of the host can be read or changed from inside, "
		"and nothing that a box writes is executed or believed outside. The tier "
		"'workspace' is the exception: it confines nothing, and only who asks for it gets "
		"it.\n"
		"\n"
		"Agents commit, branch and rebase inside as in any clone. The history of the "
		"repository is there; its branches, hooks and configuration cannot be reached.\n"
		"\n"
		"Without a verb, git box lists the boxes of the repository.",
	.config = config_rows,
	.files = file_rows,
	.see_also = see_also,
};

static const char *const features[] = { "process", "workspace", NULL };

/*
 * A closed standard stream would become the next file that we open, and a
 * message would be written into it.
 */
static int open_standard_streams(void)
{
	bool all = true;
	int fd = -1;

	for (int std = STDIN_FILENO; std <= STDERR_FILENO; std++)
		all = all && fcntl(std, F_GETFD) >= 0;
	if (all)
		return 0;
	while (fd <= STDERR_FILENO) {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return -1;
	}
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct app app = {
		.tool = "git-box",
		.summary = "confined work trees for coding agents",
		.commands = verbs,
		.version = BOX_VERSION,
		.features = features,
		.manual = &manual,
		.words = complete_from_repository,
	};

	(void)argc;
	if (open_standard_streams())
		return EXIT_FATAL;
	/* All that we read is the caller's: it must not steer somebody else's rights. */
	if (getauxval(AT_SECURE)) {
		fputs("git box: must not be setuid, setgid or have file capabilities\n", stderr);
		return EXIT_FATAL;
	}
	return command_main(&app, &cmd_ls, (const char *const *)argv);
}
