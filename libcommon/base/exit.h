/*
 * exit: the one table of exit codes (DESIGN section 6; printed in the manuals).
 */
#ifndef BASE_EXIT_H
#define BASE_EXIT_H

#include "base/error.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_NO = 1,	      /* the answer is no */
	EXIT_REFUSED = 2,     /* refused by policy or host */
	EXIT_NOTFOUND = 3,    /* not found or ambiguous */
	EXIT_CONFLICT = 4,    /* conflict or busy */
	EXIT_QUARANTINED = 5, /* data quarantined */
	EXIT_WAITED = 6,      /* timed out waiting */
	EXIT_UNREACHABLE = 7, /* remote unreachable */
	EXIT_TIMEOUT = 124,   /* run: wall clock */
	EXIT_OURS = 125,      /* run: our failure, kind in --json */
	EXIT_CANNOT_EXEC = 126,
	EXIT_NO_COMMAND = 127,
	EXIT_FATAL = 128,
	EXIT_USAGE = 129
};

/* One row a code, for the manual and `--json` descriptions. */
struct exit_row {
	int code;
	const char *meaning;
};
extern const struct exit_row exit_table[];
extern const size_t exit_table_len;

/* The code for an error that ends a verb. */
int exit_for(enum error_kind kind);

#endif
