/*
 * steps: a long operation as a table of steps that can be undone.
 */
#ifndef BOX_STEPS_H
#define BOX_STEPS_H

#include "base/error.h"
#include "cli/trace.h"

struct step {
	const char *name; /* "check out", for errors, progress and traces */
	int (*run)(void *arg, struct error *err);
	/* Takes back what run did, also where run failed half-way; must not fail. NULL: nothing to
	 * take back. */
	void (*undo)(void *arg);
};

struct steps {
	const char *operation; /* "create", the traces' category */
	const struct step *v;
	size_t len;
	void (*progress)(void *progress_arg, const char *step, size_t n,
			 size_t of); /* may be NULL */
	void *progress_arg;
	struct trace *trace;
};

/*
 * Runs every step in order with arg. Where one fails, it and all before it are undone in reverse,
 * and the error names it. INT, TERM, HUP and QUIT wait until a step ends; then everything is undone
 * (busy), and the signal takes its usual course. Errors: the step's.
 */
int steps_run(const struct steps *s, void *arg, struct error *err);

#endif
