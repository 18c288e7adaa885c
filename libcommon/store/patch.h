/*
 * patch: the difference of two trees, as a patch that git apply turns back into
 * exactly the second tree, and as a list. Nothing of the operator's settings or
 * of .gitattributes can run a program here or lose a byte.
 */
#ifndef STORE_PATCH_H
#define STORE_PATCH_H

#include "store/git.h"

/*
 * git says how to reach both trees (git_dir, env); the rest of it is filled in here. Renames are
 * written as a removal and a new file: only that is right for every pair of trees. Errors: peer,
 * limit (time), sys (the disk is full).
 */
int patch_write(const struct git_cmd *git, const char *base, const char *tree, int fd,
		struct error *err);

/* The same in memory. Appended. Errors: also limit (GIT_OUTPUT_MAX). */
int patch_text(const struct git_cmd *git, const char *base, const char *tree, struct buf *out,
	       struct error *err);

/* One changed path. */
struct patch_file {
	struct buf path;
	char status;		     /* A D M T */
	uint32_t old_mode, new_mode; /* 0 where there is none */
	bool binary;		     /* then there are no counts */
	uint64_t added, deleted;     /* lines */
};
struct patch_list {
	struct patch_file *v; /* sorted by path, bytewise */
	size_t len;
	uint64_t added, deleted;
};
#define PATCH_LIST_INIT                                       \
	{                                                     \
		.v = NULL, .len = 0, .added = 0, .deleted = 0 \
	}
#define PATCH_LIST_AUTO __attribute__((cleanup(patch_list_release))) struct patch_list
void patch_list_release(struct patch_list *l);

/* *out is filled anew. Errors: peer, limit, corrupt (git's answer makes no sense). */
int patch_list(const struct git_cmd *git, const char *base, const char *tree,
	       struct patch_list *out, struct error *err);
/* Pure: parses what `diff-tree -r -z --raw --numstat` prints. */
int patch_list_parse(const char *text, size_t len, struct patch_list *out, struct error *err);

/* Binary search; NULL where path is not changed. */
const struct patch_file *patch_find(const struct patch_list *l, const char *path);

#endif
