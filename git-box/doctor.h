/*
 * doctor: is everything in order here, and what to do where it is not.
 */
#ifndef GIT_BOX_DOCTOR_H
#define GIT_BOX_DOCTOR_H

#include "box/box.h"

enum doctor_state { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };
extern const char *const doctor_words[]; /* "ok", "warn", "fail" */

struct doctor_check {
	const char *name; /* stable: "git", "bare-repositories", "installation", "confinement",
			     "directory", "box", "base", "files", "sessions", "leftovers" */
	struct buf box;   /* name of the box that it is about, or "" */
	enum doctor_state state;
	struct buf detail;
	struct buf fix; /* "" where nothing is to be done */
};
struct doctor {
	struct doctor_check *v;
	size_t len;
};
#define DOCTOR_INIT                                                                                \
	{                                                                                          \
		.v = NULL, .len = 0                                                                \
	}
void doctor_release(struct doctor *d);

/*
 * Looks at the host, the box directory and every box, or the one named. Errors: only where there is
 * no such box or nothing could be looked at; what is wrong is in *out.
 */
int doctor_run(const struct repo *repo, const char *name, struct doctor *out, struct error *err);

/* True where nothing failed. */
bool doctor_healthy(const struct doctor *d);

#endif
