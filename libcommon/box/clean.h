/*
 * clean: the host's own knowledge that a work tree is that of the base, so that
 * looking at a box in which nothing happened starts no process at all. The
 * front looks at names and metadata (sys/stamp.h), reads no file and believes
 * nothing: it compares a keyed sum with the one it took when the scribe had
 * said "as the base", and asks the scribe again where they differ.
 *
 * Not for what decides: a proposal is made from what the scribe has read.
 */
#ifndef BOX_CLEAN_H
#define BOX_CLEAN_H

#include "box/box.h"
#include "crypto/keyed-sum.h"

struct clean {
	int64_t looked_ns;	     /* when, by the clock of change times */
	bool known;		     /* as the base */
	char key[KEYED_SUM_KEY + 1]; /* of this box, or a new one */
};

/* Looks. Never fails: what cannot be known is not known. */
void clean_look(const struct box *b, struct clean *out);

/* After the scribe has said that the tree is the base's: `before` was looked at before it began. */
void clean_learn(const struct box *b, const struct clean *before);

#endif
