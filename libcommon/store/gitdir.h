/*
 * gitdir: writing the two git directories of a box as plain files, without
 * starting git.
 *
 * The *view* (box/b/<id>/work/.git) is what the host's own git finds below
 * work/: own config (hooksPath=/dev/null, fsmonitor=false, no filter, no
 * include), HEAD detached at the base, the host's objects as alternate. The
 * *private* directory (box/b/<id>/git) is what the box sees in its place: own
 * objects, refs, index, alternates at /run/box/objects/N.
 */
#ifndef STORE_GITDIR_H
#define STORE_GITDIR_H

#include "store/facts.h"

#define GITDIR_OBJECTS "/run/box/objects" /* where the private directory expects the host's stores: .../0, .../1 */

/* Writes into an existing empty directory dirfd. Errors: sys. */
int gitdir_write_view(int dirfd, const struct repo *r, const struct repo_facts *f, struct error *err);

/* branch: short name that HEAD points to inside ("box/<name>"), made at the base. Errors: sys. */
int gitdir_write_private(int dirfd, const struct repo *r, const struct repo_facts *f, const char *branch,
			 struct error *err);

#endif
