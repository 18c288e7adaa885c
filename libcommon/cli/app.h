/*
 * app: what main() builds once and passes down; there are no globals.
 */
#ifndef CLI_APP_H
#define CLI_APP_H

#include "base/error.h"

struct command;

struct app {
	const char *tool;		       /* "git-box" */
	const char *summary;		       /* one line, for help and manual */
	const struct command *const *commands; /* NULL-terminated */
	const char *version;
	bool color_out;			       /* stdout is a terminal that wants colour */
	bool color_err;
	bool progress;			       /* stderr is a terminal */
	struct trace *trace;		       /* cli/trace.h; NULL: off */
};

#endif
