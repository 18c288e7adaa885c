/*
 * submodules: which submodules of a base can be checked out in a box from
 * clones that are here already. Nothing is fetched, and nothing of a clone is
 * changed or run: its objects are shown to the box read-only.
 */
#ifndef BOX_SUBMODULES_H
#define BOX_SUBMODULES_H

#include "store/facts.h"

struct submodule {
	struct buf parent_path; /* of the submodule in which it lies; "": none */
	struct buf parent_dir;	/* its git directory below git/ ("modules/a"); "": none */
	struct buf path;	/* in the parent */
	struct buf name;
	struct buf commit;
	struct buf clone;   /* git directory of the operator's clone */
	struct strv stores; /* of the clone: paths on the host */
};

/* One that stays an empty directory. */
struct submodule_absent {
	struct buf path;   /* as git quotes it */
	const char *why;   /* static */
	bool update_helps; /* git submodule update */
};

struct submodules {
	struct submodule *v; /* parents before what lies in them */
	size_t len, cap;
	struct submodule_absent *absent;
	size_t absent_len, absent_cap;
	const char
		*others; /* why a gitlink of the base that is in neither list is absent; static */
};
#define SUBMODULES_INIT                                                                          \
	{                                                                                        \
		.v = NULL, .len = 0, .cap = 0, .absent = NULL, .absent_len = 0, .absent_cap = 0, \
		.others = ""                                                                     \
	}
#define SUBMODULES_AUTO __attribute__((cleanup(submodules_release))) struct submodules
void submodules_release(struct submodules *s);

#define SUBMODULES_DEPTH_MAX 8

/*
 * Those that commit registers and, within them, those that they register. A clone is one of git's
 * own places: modules/<name> in a git directory, or an old <path>/.git; it belongs to the
 * repository's owner and no symlink leads to it. What cannot be read makes submodules absent, it is
 * no failure. objects: the stores that the box sees; those of clones are added.
 */
void submodules_find(const struct repo *r, const char *commit, struct strv *objects,
		     struct submodules *out);

/*
 * Their git directories, below that of the box (an open directory that nobody else writes), without
 * index; and that they are active, in the config of what they lie in. Errors: sys, limit.
 */
int submodules_write(const struct submodules *s, int git_fd, const struct strv *objects,
		     const struct repo_facts *f, struct error *err);

/* What the mason's `submodules` reads. Appended. */
void submodules_list(const struct submodules *s, struct buf *out);

/*
 * What the mason said: at checkout, and when it filled them. done: the paths of those that are
 * there; notes: a sentence for each that is absent, up to a number. Both appended.
 */
struct submodules_said {
	const struct buf *checkout;
	const struct buf *filled;
};
void submodules_result(const struct submodules *s, const struct submodules_said *said,
		       struct strv *done, struct strv *notes);

#endif
