/*
 * trace: GIT_TRACE2_EVENT, GIT_TRACE2_PERF and GIT_TRACE2 of git's trace2 API
 * (Documentation/technical/api-trace2), so our steps show up in git's own
 * traces. For debugging only; never evidence, never secrets.
 *
 * All functions accept a NULL trace and cost nothing then.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "base/error.h"
#include "sys/proc.h"

struct trace;

/* NULL where no GIT_TRACE2* variable asks for a trace. Sends version, start, cmd_name. */
struct trace *trace_open(const char *tool, const char *version, int argc, const char *const *argv);
void trace_close(struct trace *t, int exit_code); /* exit, atexit; frees */

void trace_cmd_name(struct trace *t, const char *verb);
void trace_error(struct trace *t, const char *msg);
void trace_region_enter(struct trace *t, const char *category, const char *label);
void trace_region_leave(struct trace *t, const char *category, const char *label);
/* Returns the child id to give to trace_child_exit. */
int trace_child_start(struct trace *t, const char *child_class, const char *const *argv);
void trace_child_exit(struct trace *t, int child_id, pid_t pid, int code);

#endif
