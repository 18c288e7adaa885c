/*
 * compare: the proposals of several boxes beside each other.
 */
#ifndef BOX_COMPARE_H
#define BOX_COMPARE_H

#include "base/strv.h"
#include "box/proposed.h"

/* A path that more than one of them changes. */
struct compare_overlap {
	struct buf path;
	struct strv boxes; /* names */
};

/* Two of them. */
struct compare_pair {
	size_t a, b;
	struct strv conflicts; /* paths that do not merge; none: they merge */
};

struct compare_box {
	struct box box;
	struct proposed proposed;
};

struct compare {
	struct compare_box *v;
	size_t len;
	struct compare_overlap *overlaps; /* sorted by path */
	size_t overlaps_len;
	struct compare_pair *pairs; /* every two */
	size_t pairs_len;
	bool bases_differ;
};
#define COMPARE_INIT                                                                     \
	{                                                                                \
		.v = NULL, .len = 0, .overlaps = NULL, .overlaps_len = 0, .pairs = NULL, \
		.pairs_len = 0, .bases_differ = false                                    \
	}
#define COMPARE_AUTO __attribute__((cleanup(compare_release))) struct compare
void compare_release(struct compare *c);

/*
 * names: at least two, NULL-terminated. *out (COMPARE_INIT) may be half filled on failure. Errors:
 * usage (the same box twice), those of box_open() and proposed_read(), peer.
 */
int box_compare(const struct repo *repo, const char *const *names, struct compare *out,
		struct error *err);

#endif
