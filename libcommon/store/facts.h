/*
 * facts: all that `create` must know of the user's repository, asked of git in
 * one go (overlapping calls).
 */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include "base/strv.h"
#include "store/git.h"
#include "store/repo.h"

struct repo_facts {
	struct buf commit; /* base, hex */
	struct buf tree;   /* its tree, hex */
	struct buf branch; /* short name of HEAD's branch; "" where detached, or where the base is
			      not HEAD */
	struct buf packed_refs; /* "<hex> <refname>" lines, sorted: heads, tags, remotes */
	struct strv objects;	/* absolute paths: the host's object store, then every store of its
				   alternates chain, flattened */
	struct strv config; /* "key=value", keys in lower case, later ones win: the copied keys only
			       (user.name, user.email, core.eol, core.autocrlf, core.safecrlf,
			       core.ignorecase, core.filemode, core.symlinks,
			       core.precomposeunicode, core.longpaths, core.sparsecheckout,
			       core.sparsecheckoutcone, core.quotepath, init.defaultbranch) */
	struct strv box; /* "key=value" of box.*: the operator's defaults; config_last() reads both
			    lists */
	struct strv filters_off; /* "key=" and "key=false" that switch off each filter driver of the
				    operator */
	struct strv drivers_off; /* "key=value" that makes each merge driver of the operator call
				    what it is asked to merge a conflict */
	bool sign;		 /* commit.gpgSign */
	bool shallow;		 /* common_dir/shallow exists */
	bool sparse;		 /* git_dir/info/sparse-checkout is in force */
	bool partial;		 /* a promisor remote is configured: blobs may be missing */
	bool bare;		 /* core.bare: the directory has no work tree of its own */
};
#define REPO_FACTS_INIT                                                                            \
	{                                                                                          \
		.commit = BUF_INIT, .tree = BUF_INIT, .branch = BUF_INIT, .packed_refs = BUF_INIT, \
		.objects = STRV_INIT, .config = STRV_INIT, .box = STRV_INIT,                       \
		.filters_off = STRV_INIT, .drivers_off = STRV_INIT                                 \
	}
#define REPO_FACTS_AUTO __attribute__((cleanup(repo_facts_release))) struct repo_facts
void repo_facts_release(struct repo_facts *f);

/* What git was asked; the answers are waited for apart. */
struct repo_questions {
	struct git_job commit, config;
};
#define REPO_QUESTIONS_INIT                                     \
	{                                                       \
		.commit = GIT_JOB_INIT, .config = GIT_JOB_INIT, \
	}
void repo_questions_release(struct repo_questions *q);

/* Absolute paths of the host's object store and of its alternates, flattened; without git. Errors:
 * sys, limit. */
int repo_stores(const struct repo *r, struct strv *stores, struct error *err);

/* rev NULL: HEAD. Errors: usage (option-like revision, range), notfound (no git), sys. */
int repo_facts_ask(const struct repo *r, const char *rev, struct repo_questions *q,
		   struct error *err);

/*
 * The answers: all but packed_refs, branch and objects; out may be half filled on failure. Errors:
 * notfound (no such revision, with a suggestion of a near branch), refused (unborn HEAD: says to
 * make a commit; bare), unsupported (git too old for this repository, e.g. reftable; names the
 * format), peer.
 */
int repo_facts_read(const struct repo *r, const char *rev, struct repo_questions *q,
		    struct repo_facts *out, struct error *err);

/* The rest, asked and answered apart, as nothing urgent waits for it. Errors: peer. */
int repo_refs_start(const struct repo *r, struct git_job *job, struct error *err);
int repo_refs_finish(const char *rev, struct git_job *refs, struct repo_facts *out,
		     struct error *err);

/* Last value of key in a "key=value" list, or NULL. Borrowed. */
const char *config_last(const struct strv *list, const char *key);

#endif
