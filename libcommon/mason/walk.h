/*
 * walk: listing a work tree that something untrusted wrote: by descriptors,
 * beneath the top, following no symlink, entering nothing that git would take
 * for its own, reading no file.
 */
#ifndef MASON_WALK_H
#define MASON_WALK_H

#include "base/strv.h"
#include "mason/tree.h"
#include "store/git.h"

struct walk_file {
	char *path;    /* owned; relative to the top */
	uint32_t mode; /* 0100644 0100755 0120000 */
};

struct walk_result {
	struct walk_file *v;
	size_t len;
	size_t cap;
	uint64_t special;  /* FIFOs, sockets, devices: left out */
	uint64_t dotgit;   /* names that git would take for .git (or .gitmodules as a symlink): left
			      out */
	uint64_t unreadable; /* to their owner: left out */
	uint64_t too_long; /* paths longer than the system allows: left out */
};
#define WALK_RESULT_AUTO __attribute__((cleanup(walk_result_release))) struct walk_result
void walk_result_release(struct walk_result *w);

struct stat;
/* False for a file or directory that not even its owner may read. */
bool stat_readable(const struct stat *st);

/*
 * work_fd: the top. Files of base are listed whatever .gitignore says, others only where git (the
 * call `ignore`, whose args and stdio are filled in here) does not exclude them. Entries of base that are gitlinks are marked seen.
 * Errors: peer, sys.
 */
int walk_list(int work_fd, const struct tree *base, const struct git_cmd *ignore,
	      struct walk_result *out, struct error *err);

#endif
