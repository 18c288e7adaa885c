/*
 * series: the commits that a box says it made, for a proposal that keeps them
 * apart: only their trees and messages are asked for, never their authors,
 * dates or parents.
 */
#ifndef BOX_SERIES_H
#define BOX_SERIES_H

#include "box/box.h"
#include "store/quarantine.h"

#define SERIES_MAX 200 /* commits */

struct series_step {
	struct buf tree;  /* hex */
	struct buf claim; /* the box's message, at most MESSAGE_MAX bytes of anything */
};
struct series {
	struct series_step *v; /* oldest first; no two neighbours have the same tree */
	size_t len;
};
#define SERIES_INIT                 \
	{                           \
		.v = NULL, .len = 0 \
	}
#define SERIES_AUTO __attribute__((cleanup(series_release))) struct series
void series_release(struct series *s);

/* Appends a step; tree and claim (may be NULL) are copied. */
void series_add(struct series *s, const char *tree, const struct buf *claim);

/*
 * The first-parent line from the base to the box's HEAD, without steps that change nothing. Errors:
 * peer (the box's git failed or spoke nonsense), limit.
 */
int series_ask(const struct box *b, struct series *out, struct error *err);

/* The box's answer, "<commit>\n<tree>\n<message>" NUL-terminated each. Pure. Errors: peer, limit.
 */
int series_parse(const struct buf *text, const struct manifest *m, struct series *out,
		 struct error *err);

/* Takes the objects of all trees of s from the box into q. Errors: as quarantine_take(), and
 * quarantine_check() for each tree. */
int series_fetch(const struct box *b, const struct series *s, struct quarantine *q,
		 struct error *err);

/* The message of the box's newest commit beyond the base; empty where it has none or cannot be
 * asked. */
void series_last_message(const struct box *b, struct buf *out);

#endif
