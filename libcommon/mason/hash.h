/*
 * hash: object ids of files of the work tree, by git, many in one call.
 */
#ifndef MASON_HASH_H
#define MASON_HASH_H

#include "base/buf.h"
#include "base/error.h"
#include "store/git.h"

struct hash_list {
	struct buf paths; /* quoted, one a line; hash_add() */
	size_t len;
	struct buf oids; /* "<hex>\n" each, after hash_run() */
	size_t hex;	 /* length of one */
};
#define HASH_LIST_INIT                              \
	{                                           \
		.paths = BUF_INIT, .oids = BUF_INIT \
	}
#define HASH_LIST_AUTO __attribute__((cleanup(hash_release))) struct hash_list
void hash_release(struct hash_list *h);

/* path: relative to the call's cwd, or absolute. */
void hash_add(struct hash_list *h, const char *path);

enum hash_flags {
	HASH_WRITE = 1 << 0, /* store the blobs */
	HASH_RAW = 1 << 1    /* as they are, without end-of-line conversion */
};

/* hex: digits of an id. `git`: where; args and stdio are filled in here. Errors: peer. */
int hash_run(struct hash_list *h, const struct git_cmd *git, unsigned flags, size_t hex,
	     struct error *err);

/* The i-th id (not NUL-terminated). Borrowed. */
const char *hash_at(const struct hash_list *h, size_t i);

#endif
