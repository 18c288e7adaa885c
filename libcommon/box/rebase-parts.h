/*
 * rebase-parts: the halves of rebase, for rebase*.c only: what the box's files
 * are to be, and making them so.
 */
#ifndef BOX_REBASE_PARTS_H
#define BOX_REBASE_PARTS_H

#include "box/intake.h"
#include "box/rebase-journal.h"
#include "box/rebase.h"
#include "store/facts.h"

/* State of one rebase, passed from step to step. */
struct rebase {
	const struct rebase_request *req;
	struct rebase_result *out;
	struct box box;
	int lock;
	struct repo_facts facts; /* of the new base, and the host's refs */
	struct intake intake;
	struct rebase_journal journal;
	struct buf old_manifest;
	bool finishing; /* what an earlier call left */
	bool done;	/* there is nothing (more) to do */
	bool stuck;	/* what was written could not be taken back */
};

/*
 * Steps; arg is a struct rebase. Fills out->merge and journal.from and .to; the quarantine has the
 * objects of both trees. done is set at conflicts that are not wanted.
 */
int rebase_merge(void *arg, struct error *err);
/* Writes REBASE_DATA: the host's refs and the objects of both trees. */
int rebase_write_data(void *arg, struct error *err);

#endif
