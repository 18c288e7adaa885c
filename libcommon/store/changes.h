/*
 * changes: the paths in which two trees differ, by git diff-tree. No rename
 * detection, no attributes, no program but git.
 */
#ifndef STORE_CHANGES_H
#define STORE_CHANGES_H

#include "store/git.h"

struct change {
	uint32_t old_mode, new_mode;   /* as in a tree; 0: not there */
	const char *old_oid, *new_oid; /* hex, NUL-terminated; zeros where not there, or (of a work
					  tree) not known; borrowed from the list's text */
	const char *path;	       /* likewise */
	char status;		       /* 'A' 'D' 'M' 'T'; of an index also 'U', unmerged */
};

struct change_list {
	struct buf text;
	struct change *v; /* sorted by path, bytewise */
	size_t len;
};
#define CHANGE_LIST_INIT                              \
	{                                             \
		.text = BUF_INIT, .v = NULL, .len = 0 \
	}
#define CHANGE_LIST_AUTO __attribute__((cleanup(change_list_release))) struct change_list
void change_list_release(struct change_list *l);

/*
 * What `to` has otherwise than `from` (trees or commits). git: the call, args and stdio are filled
 * in here. out: CHANGE_LIST_INIT. Errors: peer, corrupt.
 */
int changes_between(const struct git_cmd *git, const char *from, const char *to,
		    struct change_list *out, struct error *err);

/* Takes over text, the output of `diff-tree -r -z --raw --no-renames --no-abbrev` and its like.
 * Errors: corrupt. */
int changes_parse(struct buf *text, struct change_list *out, struct error *err);

/* The change of that very path, or NULL. */
const struct change *changes_find(const struct change_list *l, const char *path);

#endif
