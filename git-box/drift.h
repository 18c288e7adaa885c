/*
 * drift: how far the branch that a box was made from has moved on.
 */
#ifndef GIT_BOX_DRIFT_H
#define GIT_BOX_DRIFT_H

#include "box/box.h"

enum drift_state {
	DRIFT_UNKNOWN, /* git gave no answer */
	DRIFT_DETACHED,
	DRIFT_UP_TO_DATE,
	DRIFT_BEHIND,
	DRIFT_DIVERGED,
	DRIFT_GONE
};

struct drift {
	enum drift_state state;
	uint64_t behind; /* commits that the branch has and the base has not */
	uint64_t ahead;  /* the other way round, where the branch was rewritten */
};

/*
 * One drift a box into out[len]; boxes of one base and branch share one question, and
 * all questions are asked at once. A box that git cannot answer for is UNKNOWN.
 */
void drift_find(const struct repo *repo, const struct box *const *boxes, size_t len,
		struct drift *out);

/* "behind 3". Appended. */
void drift_text(const struct drift *d, struct buf *out);
/* Stable word for --json: "behind". */
const char *drift_word(enum drift_state state);

#endif
