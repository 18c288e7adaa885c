/*
 * create: making a box as a table of undoable steps.
 */
#ifndef BOX_CREATE_H
#define BOX_CREATE_H

#include "base/strv.h"
#include "box/manifest.h"
#include "cli/trace.h"
#include "store/repo.h"

struct create_request {
	const struct repo *repo;
	const char *name;
	const char *from;      /* NULL: HEAD */
	const char *profile;   /* NULL: git config box.profile, else "default" */
	const char *isolation; /* NULL: git config box.isolation, else auto */
	bool temporary;	       /* for one command: see struct manifest */
	void (*progress)(void *arg, const char *step, size_t n, size_t of); /* may be NULL */
	void *progress_arg;
	struct trace *trace;
};

struct create_notes {
	struct strv lines; /* for people: absent submodules, partial clone, ... Not sanitised. */
};

/*
 * out: initialised. On success it describes the box. On failure nothing is left: no directory, ref,
 * lock or process. Errors: exists, usage, notfound, refused, unsupported, busy, peer, limit, sys.
 */
int box_create(const struct create_request *req, struct manifest *out, struct create_notes *notes,
	       struct error *err);

#endif
