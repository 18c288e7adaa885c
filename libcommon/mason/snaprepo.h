/*
 * snaprepo: the repository of a box's snapshots, SNAPDIR/git: with the view's
 * configuration and borrowed objects, used by nobody but the scribe.
 */
#ifndef MASON_SNAPREPO_H
#define MASON_SNAPREPO_H

#include "store/git.h"

struct snaprepo {
	int snap_fd;
	struct buf dir;	  /* SNAPDIR/git */
	struct buf links; /* SNAPDIR/links, an empty directory */
	bool converts;	  /* settings of it may make a blob differ from its file */
	struct git_cmd
		git; /* a call in it, with the work tree; args and stdio are to be filled in */
};
#define SNAPREPO_INIT                                             \
	{                                                         \
		.snap_fd = -1, .dir = BUF_INIT, .links = BUF_INIT \
	}
void snaprepo_release(struct snaprepo *r);

/*
 * anew: all that earlier snapshots left is removed first. Else the repository must be there. work
 * is borrowed. Errors: notfound (no view), sys.
 */
int snaprepo_open(const char *work, const char *snap_dir, bool anew, struct snaprepo *out,
		  struct error *err);

/*
 * SNAPDIR/pack becomes a pack of the listed objects ("<hex> <path>" a line), thin against commit.
 * Errors: peer, sys.
 */
int snaprepo_pack(const struct snaprepo *r, const char *commit, const struct buf *objects,
		  struct error *err);

/* Where nothing is to be packed. */
void snaprepo_no_pack(const struct snaprepo *r);

#endif
