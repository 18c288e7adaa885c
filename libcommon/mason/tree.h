/*
 * tree: the files of the base commit, to be compared with a work tree.
 */
#ifndef MASON_TREE_H
#define MASON_TREE_H

#include "base/buf.h"
#include "base/error.h"

struct tree_entry {
	uint32_t mode;	  /* 0100644 0100755 0120000 0160000 */
	const char *oid;  /* hex, NUL-terminated; borrowed from the tree's text */
	const char *path; /* likewise */
	bool seen;	  /* found in the work tree, or to be kept though it is not there */
};

struct tree {
	struct buf text;
	struct tree_entry *v; /* sorted by path, bytewise */
	size_t len;
	size_t cap;
};
#define TREE_INIT                                                                                  \
	{                                                                                          \
		.text = BUF_INIT                                                                   \
	}
#define TREE_AUTO __attribute__((cleanup(tree_release))) struct tree
void tree_release(struct tree *t);

/* Takes over the text of `ls-tree -r -z`. Errors: corrupt. */
int tree_parse(struct buf *text, struct tree *out, struct error *err);

/* The entry of that very path, or NULL. */
struct tree_entry *tree_find(const struct tree *t, const char *path);

/* True where some entry lies below the directory path. */
bool tree_has_below(const struct tree *t, const char *path);

#endif
