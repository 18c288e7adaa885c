/*
 * gitmodules: which submodules a commit registers. Its .gitmodules is foreign
 * text: git parses it, nothing that it names is executed, fetched or opened here.
 */
#ifndef STORE_GITMODULES_H
#define STORE_GITMODULES_H

#include "store/repo.h"

struct gitmodule {
	struct buf name;
	struct buf path; /* in the work tree of the commit */
	struct buf oid;	 /* the commit that the tree wants there, hex; "": no gitlink is there */
	const char *bad; /* why the entry cannot be used, static; NULL: it can */
};

struct gitmodules {
	struct gitmodule *v; /* in the order of the file */
	size_t len;
	size_t cap;
};
#define GITMODULES_INIT                       \
	{                                     \
		.v = NULL, .len = 0, .cap = 0 \
	}
#define GITMODULES_AUTO __attribute__((cleanup(gitmodules_release))) struct gitmodules
void gitmodules_release(struct gitmodules *m);

/* Where there are more, the rest is not looked at. */
#define GITMODULES_MAX 256

/*
 * True where name can be that of a directory below modules/: git's own rule (no ".." in it), and no
 * empty or "." component, no backslash and no control character either.
 */
bool gitmodule_name_ok(const char *name);
/* True where git takes the path from .gitmodules: it looks like no option; nor has it a control
 * character. */
bool gitmodule_path_ok(const char *path);

/*
 * What `git config -z --list` printed of a .gitmodules; ids stay empty. Of two entries with one
 * name or one path the first counts, as it does for git. Pure.
 */
void gitmodules_parse(const char *text, size_t len, struct gitmodules *out);

/*
 * What commit registers in the repository r: entries whose path is a gitlink, with bad set where it
 * is not to be used. out: initialised; empty where the commit has no .gitmodules. Errors: notfound
 * (r lacks the commit), corrupt (its .gitmodules cannot be read), peer, limit.
 */
int gitmodules_read(const struct repo *r, const char *commit, struct gitmodules *out,
		    struct error *err);

#endif
