/*
 * bundle: a git bundle that the host writes of a quarantined tree.
 */
#ifndef BOX_BUNDLE_H
#define BOX_BUNDLE_H

#include "store/quarantine.h"

#define BUNDLE_REF "refs/heads/box/snapshot" /* the tip in it */

/*
 * Writes to fd a bundle with one commit of tree, child of parent, which is its prerequisite. The
 * commit is made in the quarantine. Errors: peer, sys.
 */
int bundle_write(const struct quarantine *q, const char *tree, const char *parent, int fd,
		 struct error *err);

#endif
