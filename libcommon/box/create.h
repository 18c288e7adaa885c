/*
 * create: making a box as a table of undoable steps.
 */
#ifndef BOX_CREATE_H
#define BOX_CREATE_H

#include "box/manifest.h"
#include "store/facts.h"

struct create_request {
	const struct repo *repo;
	const char *name;
	const char *from;      /* NULL: HEAD */
	const char *profile;   /* NULL: git config box.profile, else "default" */
	const char *isolation; /* NULL: auto */
	void (*progress)(void *arg, const char *step, size_t n, size_t of);
	void *progress_arg;
	struct trace *trace;
};

struct create_notes {
	struct strv lines; /* for people: absent submodules, partial clone, ... */
};

/*
 * On success *out describes the box. On failure nothing is left: no directory, ref, lock or process.
 * Errors: exists, usage, notfound, refused, unsupported, busy, sys.
 */
int box_create(const struct create_request *req, struct manifest *out, struct create_notes *notes, struct error *err);

#endif
