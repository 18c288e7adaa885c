/*
 * app: what main() builds once and passes down; there are no globals.
 */
#ifndef CLI_APP_H
#define CLI_APP_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"

struct command;
struct trace;

/* What a word on the command line stands for, so that shells can complete it. */
enum opt_complete {
	COMPLETE_NONE,
	COMPLETE_BOX,
	COMPLETE_PROFILE,
	COMPLETE_TIER,
	COMPLETE_REV,
	COMPLETE_FILE,   /* left to the shell */
	COMPLETE_COMMAND /* left to the shell */
};

/* One entry of a list in the manual; a NULL term ends a table. */
struct manual_row {
	const char *term;
	const char *text;
};

/* What the manual says beside the tables of verbs, exit codes and variables. */
struct manual {
	const char *date;                /* of the release, "YYYY-MM-DD" */
	const char *description;         /* paragraphs separated by an empty line */
	const struct manual_row *config; /* keys of git config */
	const struct manual_row *files;
	const char *const *see_also; /* "git-worktree(1)", NULL-terminated */
};

struct app {
	const char *tool;                      /* "git-box" */
	const char *summary;                   /* one line, for help and manual */
	const struct command *const *commands; /* NULL-terminated */
	const char *version;
	const char *const *features; /* for `--version --json`, NULL-terminated */
	const struct manual *manual;
	/* Adds the words of a kind that the tool knows (boxes, profiles, ...); never fails. May be
	 * NULL. */
	void (*words)(enum opt_complete kind, struct strv *out);
	bool color_out; /* stdout is a terminal that wants colour */
	bool color_err;
	bool progress;       /* stderr is a terminal */
	bool json;           /* the verb was asked for JSON: a failure is an answer, too */
	struct trace *trace; /* cli/trace.h; NULL: off */
};

/* Fills color_out, color_err and progress from the terminal, NO_COLOR and TERM. */
void app_terminal(struct app *app);

/* The name as typed: "git box" for "git-box". Appended. */
void app_title(const struct app *app, struct buf *out);

/* The command of that name or alias, or NULL. */
const struct command *app_command(const struct app *app, const char *name);

#endif
