/*
 * scribe: what the work tree of a confined box holds, as the scribe says. What
 * it says is a claim: the objects of its pack are believed only after
 * store/quarantine.h has taken them.
 */
#ifndef BOX_SCRIBE_H
#define BOX_SCRIBE_H

#include "base/strv.h"
#include "box/box.h"

struct scribe_report {
	struct buf tree; /* hex, of the base's hash format */
	int pack_fd;	 /* objects that the base lacks; -1 where the tree is the base's */
	uint64_t special, dotgit, too_long, unreadable; /* files that were left out, by reason */
	struct strv repositories; /* directories that git would take for a repository, quoted */
	struct strv silent; /* files that changed without any trace in their metadata, quoted */
	struct strv lfs;    /* "<id> <bytes>" of objects of git-lfs in snap/lfs; frozen only */
};
#define SCRIBE_REPORT_INIT                                                                      \
	{                                                                                       \
		.tree = BUF_INIT, .pack_fd = -1, .repositories = STRV_INIT,                     \
		.silent = STRV_INIT, .lfs = STRV_INIT                                           \
	}
#define SCRIBE_REPORT_AUTO __attribute__((cleanup(scribe_report_release))) struct scribe_report
void scribe_report_release(struct scribe_report *r);

enum scribe_how {
	SCRIBE_GLANCE, /* as SCRIBE_LIVE, but only for the tree's id: there is no pack */
	SCRIBE_LIVE,   /* commands may run; what the stat cache knows is believed */
	SCRIBE_FROZEN  /* none run, the caller holds the box's lock alone: every file is read, and
			  made readable where that is needed */
};

/* One at a time for each box; others wait. Errors: busy, and those of mason_run(). */
int scribe_take(const struct box *b, enum scribe_how how, struct scribe_report *out,
		struct error *err);

/* What the scribe printed. Pure. *out (initialised) is filled but for pack_fd; *packed_out says
 * whether there is a pack. Errors: peer. */
int scribe_parse(const struct buf *text, size_t hex, struct scribe_report *out, bool *packed_out,
		 struct error *err);

#endif
