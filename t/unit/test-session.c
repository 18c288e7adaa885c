/* session: the exit code of `run` for each way in which a command can end. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "base/exit.h"
#include "box/session.h"

Test(session, exit_codes)
{
	static const struct {
		struct session_result result;
		int code;
	} rows[] = {
		{ { .end = SESSION_EXITED, .code = 0 }, 0 },
		{ { .end = SESSION_EXITED, .code = 1 }, 1 },
		{ { .end = SESSION_EXITED, .code = 255 }, 255 },
		/* what belongs to other ends does not matter */
		{ { .end = SESSION_EXITED, .code = 3, .signal = 9, .sys = ENOENT }, 3 },
		{ { .end = SESSION_SIGNALED, .signal = SIGHUP }, 129 },
		{ { .end = SESSION_SIGNALED, .signal = SIGKILL, .code = 7 }, 137 },
		{ { .end = SESSION_SIGNALED, .signal = SIGTERM }, 143 },
		{ { .end = SESSION_TIMED_OUT, .signal = SIGTERM, .code = 5 }, 124 },
		{ { .end = SESSION_MEMORY }, 137 },
		{ { .end = SESSION_CANNOT_EXEC, .sys = ENOENT }, 127 },
		{ { .end = SESSION_CANNOT_EXEC, .sys = EACCES }, 126 },
		{ { .end = SESSION_CANNOT_EXEC, .sys = ENOEXEC }, 126 },
		{ { .end = SESSION_CANNOT_EXEC, .sys = ENOTDIR }, 126 },
		{ { .end = SESSION_CANNOT_ENTER, .sys = ENOENT }, 125 },
		{ { .end = SESSION_ENDED, .code = 0, .signal = SIGKILL }, 125 },
		/* a number that we do not know is never taken for success */
		{ { .end = (enum session_end)9999, .code = 0 }, 125 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(session_exit_code(&rows[i].result), rows[i].code, "row %zu: %d", i,
			     session_exit_code(&rows[i].result));
}
