/*
 * mason: whatever reads, writes or deletes inside a directory that a box can
 * write is done by git-box-mason in a confinement of its own (policy/lower.h:
 * lower_mason). This is how the front has it done.
 */
#ifndef BOX_MASON_H
#define BOX_MASON_H

#include "base/buf.h"
#include "policy/lower.h"

#define MASON_PATH "/run/box/bin/git-box-mason" /* inside */

/*
 * Runs argv (NULL-terminated, argv[0] MASON_PATH or a program of /usr) in the mason's confinement
 * of the box and collects its stdout (may be NULL). Not while commands of the box run. A failure
 * carries the first line that it wrote to stderr. Errors: peer (exit code not 0), limit (time), and
 * those of session_run().
 */
int mason_run(const struct lower_box *box, const char *const *argv, struct buf *out,
	      struct error *err);

/* What the caller does while the confinement is being built; called once at most. */
struct mason_meanwhile {
	void (*run)(void *arg);
	void *arg;
};

/* As mason_run(); meanwhile may be NULL. */
int mason_run_meanwhile(const struct lower_box *box, const char *const *argv, struct buf *out,
			const struct mason_meanwhile *meanwhile, struct error *err);

#endif
