/*
 * facts: all that `create` must know of the user's repository, asked of git in
 * one go (overlapping calls).
 */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include "base/strv.h"
#include "store/repo.h"

struct repo_facts {
	struct buf commit;	  /* base, hex */
	struct buf tree;	  /* its tree, hex */
	struct buf branch;	  /* short name of HEAD's branch; "" where detached */
	struct buf object_format; /* "sha1" or "sha256" */
	struct buf packed_refs;	  /* content of a packed-refs file: heads, tags, remotes; peeled where git says */
	struct strv objects;	  /* absolute paths: the host's object store, then every store of its alternates chain, flattened */
	struct strv config;	  /* "key=value": the copied keys only (user.name, user.email, core.eol, core.autocrlf, core.safecrlf,
				     core.ignorecase, core.filemode, core.symlinks, core.precomposeunicode, core.longpaths,
				     core.sparseCheckout, core.sparseCheckoutCone, init.defaultBranch) */
	bool shallow;		  /* common_dir/shallow exists */
	bool sparse;		  /* info/sparse-checkout is in force */
	bool partial;		  /* a promisor remote is configured */
	struct strv submodules;	  /* paths of gitlinks in the base tree */
};

void repo_facts_init(struct repo_facts *f);
void repo_facts_release(struct repo_facts *f);

/*
 * rev NULL: HEAD. Errors: notfound (no such revision, with a suggestion of a near branch),
 * refused (unborn HEAD: says to make a commit; option-like revision), unsupported
 * (git too old for this repository, e.g. reftable; names the format), peer.
 */
int repo_facts_read(const struct repo *r, const char *rev, struct repo_facts *out, struct error *err);

#endif
