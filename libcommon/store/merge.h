/*
 * merge: two commits merged as trees, by git's own machinery and without a work
 * tree being written: `git merge-tree --write-tree`, which needs git 2.38. The
 * result is that of `git merge` for the same commits, but for the operator's own
 * merge drivers: programs that would run on what a box wrote. What they are
 * asked to merge is a conflict (repo_facts.drivers_off).
 */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include "store/git.h"

/* How a commit stands to the one that it is to be merged into. */
enum merge_relation {
	MERGE_CONTAINED, /* it is in there already */
	MERGE_FORWARD,	 /* it has all of the other: nothing needs to be merged */
	MERGE_DIVERGED
};

/*
 * git: the call (repository, settings); args and stdio are filled in here. ours, theirs: commits,
 * hex. Errors: peer.
 */
int merge_relate(const struct git_cmd *git, const char *ours, const char *theirs,
		 enum merge_relation *out, struct error *err);

struct merge_conflict {
	struct buf path;
	struct buf kind; /* git's word: "contents", "modify/delete", "binary", ... */
};

struct merge_result {
	struct buf tree; /* hex; with conflicts, files have markers in it */
	struct merge_conflict *v;
	size_t len;
};
#define MERGE_RESULT_INIT                             \
	{                                             \
		.tree = BUF_INIT, .v = NULL, .len = 0 \
	}
#define MERGE_RESULT_AUTO __attribute__((cleanup(merge_result_release))) struct merge_result
void merge_result_release(struct merge_result *r);

/*
 * Merges two commits; their best common ancestor is found by git. git: as above; work_tree and cwd
 * must be the top of the work tree whose .gitattributes count, as in `git merge`. Objects are
 * written, nothing else. Conflicts are no error: they are listed in out, each path once. out:
 * MERGE_RESULT_INIT. Errors: unsupported (git too old), peer (no common history), corrupt.
 */
int merge_trees(const struct git_cmd *git, const char *ours, const char *theirs,
		struct merge_result *out, struct error *err);

/* The answer of `merge-tree --write-tree -z --messages`. Pure. Errors: corrupt. */
int merge_parse(const struct buf *text, struct merge_result *out, struct error *err);

struct merge_commit {
	const char *tree;
	const char *const *parents; /* NULL-terminated */
	const char *message;	    /* bytes as they are to be stored */
	const char
		*author; /* commit whose author it gets, as in a cherry-pick; NULL: the operator */
	bool sign;	 /* by the operator's own gpg.program: the only one that this starts */
};

/*
 * Writes a commit by the operator; no hook runs. Its id is appended to out. Errors: refused (no
 * identity, or it cannot be signed), peer.
 */
int merge_write_commit(const struct git_cmd *git, const struct merge_commit *c, struct buf *out,
		       struct error *err);

#endif
