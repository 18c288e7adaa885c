/*
 * progress: one line on stderr for long work, only on a terminal, only after
 * 300 ms, erased at the end.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/app.h"

struct progress {
	bool on;
	bool shown;
	uint64_t next_us; /* not drawn before (monotonic) */
};

void progress_start(const struct app *app, struct progress *p);
/* "what (n/m)"; cheap to call often: draws at most ten times a second. */
void progress_step(struct progress *p, const char *what, size_t n, size_t of);
void progress_end(struct progress *p);

#endif
