/*
 * index: reading git's index file (versions 2 and 3), as far as the mason
 * needs it: which paths are gitlinks, which are left out of the work tree, and what the files
 * looked like when git wrote or read them.
 */
#ifndef MASON_INDEX_H
#define MASON_INDEX_H

#include "mason/roster.h"

struct index_entry {
	const char *path; /* borrowed from the file's bytes; NUL-terminated */
	uint32_t mode;	  /* as in a tree: 0100644, 0160000, ... */
	bool skip;	  /* skip-worktree */
	struct sig sig;
	const unsigned char *oid; /* borrowed, hash_len bytes */
	size_t stat_at;		  /* where in the file its stat data begins */
};

struct index_bytes {
	const void *data; /* the whole file */
	size_t len;
	size_t hash_len; /* 20 or 32 */
};

/*
 * Calls visit for each entry, in order. Pure but for visit. Errors: corrupt (also for another
 * version).
 */
int index_each(const struct index_bytes *index,
	       void (*visit)(void *arg, const struct index_entry *e), void *arg, struct error *err);

#endif
