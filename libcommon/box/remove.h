/*
 * remove: rm, gc, and what they keep.
 *
 * A removal in this order, so that a crash leaves a whole box or a remainder that
 * gc finishes: the work is bundled below removed/, manifest.json becomes
 * manifest.removed (from here on there is no such box), the name is freed, the
 * base is unpinned (where no bundle needs it), the mason empties what the box could
 * write, the directory goes.
 */
#ifndef BOX_REMOVE_H
#define BOX_REMOVE_H

#include "box/box.h"

/* git config box.keepRemoved, a duration; 14 days where unset; 0: keep nothing. Errors: usage,
 * peer. */
int box_keep_ms(const struct repo *repo, uint64_t *out, struct error *err);

struct remove_request {
	const struct repo *repo;
	const char *name;
	bool force; /* remove although the box holds work, or is damaged */
	uint64_t keep_ms; /* box_keep_ms() */
};

struct remove_result {
	struct buf name;
	bool had_work;     /* files differ from the base, or the box says that it made commits, or
				that there is work in submodules */
	uint64_t commits;  /* claimed by the box; their history is not kept, only its outcome */
	struct buf bundle; /* absolute path of what was kept, "" where there was nothing to keep */
	struct buf ref;    /* tip inside the bundle */
	struct buf commit;
};
void remove_result_init(struct remove_result *r);
void remove_result_release(struct remove_result *r);

/* Shell command that brings a kept bundle back as branch box/<name>. Appended. */
void remove_restore_command(const struct remove_result *r, struct buf *out);

/*
 * *out is initialised and released by the caller. Errors: refused (holds work and no force: says
 * what and how), corrupt (damaged and no force), busy, notfound, sys.
 */
int box_remove(const struct remove_request *req, struct remove_result *out, struct error *err);

/* Leftovers of crashed creates and removes, expired bundles, orphaned base refs, aborted boxes. */
struct gc_item {
	/*
	 * "aborted", "abandoned", "unfinished", "removed", "name", "bundle", "ref", "lock",
	 * "cgroup", "quarantine"
	 */
	const char *kind;
	struct buf what;    /* name, id, file or ref */
	struct buf restore; /* of a box with work: remove_restore_command(); else "" */
	struct error
		err; /* why it could not be removed; kind ERR_NONE where it was (or would be) */
};
struct gc_report {
	struct gc_item *v;
	size_t len;
};
#define GC_REPORT_INIT                                                                             \
	{                                                                                          \
		.v = NULL, .len = 0                                                                \
	}
void gc_report_release(struct gc_report *r);

/* One item that fails does not stop the rest. Errors: only where nothing could be looked at. */
int box_gc(const struct repo *repo, uint64_t keep_ms, bool dry_run, struct gc_report *out,
	   struct error *err);

#endif
