/*
 * walk: listing a work tree that something untrusted wrote: by descriptors,
 * beneath the top, following no symlink, entering nothing that git would take
 * for its own, reading no file.
 */
#ifndef MASON_WALK_H
#define MASON_WALK_H

#include "base/strv.h"
#include "mason/cache.h"
#include "store/git.h"

struct stat;
/* False for a file or directory that not even its owner may read. */
bool stat_readable(const struct stat *st);

/* One file whose content has to be looked at. */
struct walk_file {
	uint32_t entry;
	uint32_t mode; /* 0100644 0100755 0120000 */
};

struct walk_result {
	struct walk_file *v;
	size_t len;
	size_t cap;
	struct picks attributes; /* every .gitattributes */
	uint64_t special;    /* FIFOs, sockets, devices: left out */
	uint64_t dotgit;     /* names that git would take for .git (or .gitmodules as a symlink):
				left out */
	uint64_t too_long;   /* paths longer than the system allows: left out */
	uint64_t unreadable; /* to their owner: what the base has there stays as it was */
	struct strv repositories; /* directories that git would take for one; the first few */
};
#define WALK_RESULT_AUTO __attribute__((cleanup(walk_result_release))) struct walk_result
void walk_result_release(struct walk_result *w);

struct walk_how {
	int work_fd;		      /* the top */
	const struct git_cmd *ignore; /* how to ask git; args and stdio are filled in here */
	bool trust; /* signs and answers that the roster has from before are believed */
};

/*
 * Brings c->roster up to the names that are there now; out->v gets the files of which the roster
 * does not know the content. Files of the base are listed whatever .gitignore says, others only
 * where git does not exclude them. Directories of submodules are not entered. What is gone gets
 * mode 0. A changed .gitignore (.gitattributes) makes older answers (contents) be asked for again.
 * Errors: peer, sys.
 */
int walk_update(const struct walk_how *how, struct cache *c, struct walk_result *out,
		struct error *err);

#endif
