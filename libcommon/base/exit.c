#include "base/base.h"

#include "base/exit.h"

const struct exit_row exit_table[] = {
	{ EXIT_OK, "success" },
	{ EXIT_NO, "the answer is no" },
	{ EXIT_REFUSED, "refused by policy, or this host cannot enforce it" },
	{ EXIT_NOTFOUND, "not found, or ambiguous" },
	{ EXIT_CONFLICT, "conflict, already there, or busy" },
	{ EXIT_QUARANTINED, "data quarantined" },
	{ EXIT_WAITED, "timed out waiting" },
	{ EXIT_UNREACHABLE, "remote unreachable" },
	{ EXIT_TIMEOUT, "run: the wall clock limit ended the command" },
	{ EXIT_OURS, "run: git box itself failed" },
	{ EXIT_CANNOT_EXEC, "run: the command cannot be executed" },
	{ EXIT_NO_COMMAND, "run: there is no such command" },
	{ EXIT_FATAL, "any other failure" },
	{ EXIT_USAGE, "wrong usage" },
};
const size_t exit_table_len = ARRAY_SIZE(exit_table);

int exit_for(enum error_kind kind)
{
	static const int codes[ERR_KIND_MAX] = {
		[ERR_NONE] = EXIT_OK,
		[ERR_USAGE] = EXIT_USAGE,
		[ERR_NOTFOUND] = EXIT_NOTFOUND,
		[ERR_EXISTS] = EXIT_CONFLICT,
		[ERR_BUSY] = EXIT_CONFLICT,
		[ERR_REFUSED] = EXIT_REFUSED,
		[ERR_UNSUPPORTED] = EXIT_REFUSED,
		[ERR_CORRUPT] = EXIT_FATAL,
		[ERR_PEER] = EXIT_FATAL,
		[ERR_LIMIT] = EXIT_FATAL,
		[ERR_SYS] = EXIT_FATAL,
	};

	if ((unsigned int)kind >= ERR_KIND_MAX)
		BUG("error kind %d", (int)kind);
	return codes[kind];
}
