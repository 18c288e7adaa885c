/*
 * trace: GIT_TRACE2, GIT_TRACE2_PERF and GIT_TRACE2_EVENT of git's trace2 API
 * (Documentation/technical/api-trace2), so our steps show up in git's own
 * traces. Targets as git's: "1" or "true" (stderr), a descriptor 2..9, an
 * absolute path of a file or of a directory that gets one file a process.
 * Sockets are not served. For debugging only; never evidence, never secrets:
 * the values of NAME=VALUE words are left out.
 *
 * All functions accept a NULL trace and cost nothing then. A trace that cannot
 * be written is dropped without a word, as git does.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <sys/types.h>

#include "base/error.h"

struct trace;

/*
 * NULL where no GIT_TRACE2* variable names a target that can be written. Sends
 * version and start, and sets GIT_TRACE2_PARENT_SID for what is started later.
 * argv: NULL-terminated.
 */
struct trace *trace_open(const char *tool, const char *version, const char *const *argv);
void trace_close(struct trace *t, int exit_code); /* exit, atexit; frees */

void trace_cmd_name(struct trace *t, const char *verb);
void trace_error(struct trace *t, const char *msg);
void trace_region_enter(struct trace *t, const char *category, const char *label);
void trace_region_leave(struct trace *t, const char *category, const char *label);
/* Returns the child id to give to trace_child_exit, which takes -1 too. */
int trace_child_start(struct trace *t, const char *child_class, const char *const *argv);
/* pid -1: unknown here. */
void trace_child_exit(struct trace *t, int child_id, pid_t pid, int code);

#endif
