/*
 * gitdir: writing the two git directories of a box as plain files, without
 * starting git.
 *
 * The *view* (box/b/<id>/work/.git) is what the host's own git finds below
 * work/: own config (hooksPath=/dev/null, fsmonitor=false, the operator's
 * filters switched off, no include), HEAD detached at the base, the host's
 * objects as alternate. The *private* directory (box/b/<id>/git) is what the
 * box sees in its place: own objects, refs, index, alternates at
 * /run/box/objects/N. Modes do not depend on the umask, because the mason may
 * run under another uid.
 */
#ifndef STORE_GITDIR_H
#define STORE_GITDIR_H

#include <sys/types.h>

#include "store/facts.h"

#define GITDIR_OBJECTS                                                                            \
	"/run/box/objects" /* where the private directory expects the host's stores: .../0, .../1 \
			    */

/* Into an existing empty directory dirfd: what is known before git has answered. store: the host's
 * own; it names its alternates itself. Errors: sys. */
int gitdir_begin_view(int dirfd, const char *store, struct error *err);

/* The rest; needs no refs. Errors: sys, limit. */
int gitdir_write_view(int dirfd, const struct repo *r, const struct repo_facts *f,
		      struct error *err);

/*
 * branch: short name that HEAD points to inside ("box/<name>"), made at the base; refs of the
 * host that could not live beside it are left out. An index may be there already. Errors: sys,
 * limit.
 */
int gitdir_write_private(int dirfd, const struct repo *r, const struct repo_facts *f,
			 const char *branch, struct error *err);

/* The host's refs as a packed-refs file for a private directory with that branch. Appended. */
void gitdir_packed_refs(const struct repo_facts *f, const char *branch, struct buf *out);

/* The private git directory of a submodule, within that of the box. */
struct gitdir_module {
	const char *commit;   /* HEAD, detached; hex */
	const char *worktree; /* relative to the directory */
	const char *clone;    /* git directory on the host whose `shallow` and info/ are copied */
	const char *alternates; /* lines of objects/info/alternates */
};

/*
 * Into an existing empty directory dirfd. Settings are those of f, the box's, but for the sparse
 * checkout; neither commands nor URLs nor refs of the clone. Errors: sys, limit.
 */
int gitdir_write_module(int dirfd, const struct gitdir_module *m, const struct repo_facts *f,
			struct error *err);

/* Settings at the end of a `config` that was written here. Errors: sys. */
int gitdir_add_config(int dirfd, const struct buf *lines, struct error *err);

/* Gives dirfd and all below it to uid and gid; for a directory that nobody else writes yet. Errors:
 * sys. */
int gitdir_give(int dirfd, uid_t uid, gid_t gid, struct error *err);

/* One `key = value` setting ("core.eol", "filter.x.y.clean") as git-config(1) reads it back.
 * Appended. */
void gitdir_config_line(const char *key, const char *value, struct buf *out);

/* One line of objects/info/alternates for an absolute path. Appended. */
void gitdir_alternate_line(const char *path, struct buf *out);

#endif
