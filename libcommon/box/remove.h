/*
 * remove: rm, and what it keeps.
 */
#ifndef BOX_REMOVE_H
#define BOX_REMOVE_H

#include "box/box.h"

struct remove_request {
	const struct repo *repo;
	const char *name;
	bool force;	      /* remove although work was not proposed */
	uint64_t keep_ms;     /* box.keepRemoved; 0: keep nothing */
};

struct remove_result {
	bool had_work;
	struct buf bundle; /* absolute path of what was kept, "" where there was nothing to keep */
	struct buf commit; /* tip inside the bundle */
};

/*
 * Errors: refused (work that was not proposed and no force: says what and how), busy, notfound, sys. A crash
 * at any point leaves either the whole box or a remainder that gc removes.
 */
int box_remove(const struct remove_request *req, struct remove_result *out, struct error *err);

/* Leftovers of crashed creates and removes, expired bundles, orphaned base refs, aborted boxes. */
struct gc_report {
	struct strv lines; /* what was removed */
};
int box_gc(const struct repo *repo, uint64_t keep_ms, bool dry_run, struct gc_report *out, struct error *err);

#endif
