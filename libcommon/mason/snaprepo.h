/*
 * snaprepo: the repository of one snapshot: made new each time, with the
 * view's configuration and borrowed objects, and read by nobody but the mason.
 */
#ifndef MASON_SNAPREPO_H
#define MASON_SNAPREPO_H

#include "store/git.h"

struct snaprepo {
	struct buf dir;	   /* SNAPDIR/git */
	struct buf index;  /* SNAPDIR/index */
	struct buf links;  /* SNAPDIR/links, an empty directory */
	struct buf pack;   /* SNAPDIR/pack, not there yet */
	struct git_cmd
		git; /* a call in it, with the work tree; args and stdio are to be filled in */
};
#define SNAPREPO_INIT                                                                              \
	{                                                                                          \
		.dir = BUF_INIT, .index = BUF_INIT, .links = BUF_INIT, .pack = BUF_INIT          \
	}
void snaprepo_release(struct snaprepo *r);

/* What an earlier snapshot left is removed. work is borrowed. Errors: notfound (no view), sys. */
int snaprepo_make(const char *work, const char *snap_dir, struct snaprepo *out, struct error *err);

/*
 * index_info: changes to commit's tree as `update-index --index-info -z` takes them; empty: none.
 * Appends the line "tree ..." and, where the tree differs, "pack", and writes the pack then. Errors: peer.
 */
int snaprepo_commit(struct snaprepo *r, const char *commit, const struct buf *index_info,
		    struct buf *out, struct error *err);

#endif
