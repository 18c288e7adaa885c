/*
 * stamp: what a whole directory tree looks like from outside, as a stream of
 * bytes: names and metadata of everything in it. Nothing is opened but
 * directories, beneath the top, following no symlink and entering no mount; a
 * name is never interpreted, so it does not matter who wrote the tree.
 */
#ifndef SYS_STAMP_H
#define SYS_STAMP_H

#include "base/base.h"

struct stamp_sink {
	void (*add)(void *arg, const void *data, size_t len);
	void *arg;
};

struct stamp_seen {
	bool whole;	   /* everything there could be looked at */
	int64_t newest_ns; /* latest change (st_ctim) of anything seen */
};

/*
 * Two streams that are equal mean that nothing was changed in between, except by who changes files
 * without their change time moving (within one tick of the kernel's clock; through a mapping that
 * was made before). The order is the directories' own: after a change it may differ for what did
 * not change.
 */
void stamp_tree(int dirfd, const struct stamp_sink *sink, struct stamp_seen *out);

#endif
