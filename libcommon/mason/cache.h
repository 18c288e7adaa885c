/*
 * cache: the roster of the last snapshot, kept in SNAPDIR so that files that
 * have not changed since need not be read again. A convenience: one that is
 * missing, torn or of another base is no error.
 */
#ifndef MASON_CACHE_H
#define MASON_CACHE_H

#include "mason/roster.h"

struct cache {
	struct roster roster;
	uint64_t trusted_before; /* ns: what has an older ctime and mtime was not written since */
	uint64_t objects;	 /* that were written since the repository was made */
	unsigned char packed[ROSTER_OID_MAX]; /* tree whose objects are in SNAPDIR/pack; or zeros */
};
#define CACHE_INIT                    \
	{                             \
		.roster = ROSTER_INIT \
	}
#define CACHE_AUTO __attribute__((cleanup(cache_release))) struct cache
void cache_release(struct cache *c);

/* False where there is none for that base. base_tree, commit: hex. *out is filled anew. */
bool cache_read(int snap_fd, const char *commit, const char *base_tree, struct cache *out);

/* Appears whole or not at all, but may be lost with the machine. Errors: sys. */
int cache_write(int snap_fd, const char *commit, const struct cache *c, struct error *err);

/* Whether a file with that sig is known to be what it was. */
bool cache_trusts(const struct cache *c, const struct sig *stored, const struct sig *now);

#endif
