/*
 * inside: asking the box's own git. Its configuration, hooks and objects are
 * the box's, so it runs where commands of the box run, and what it says is
 * the box's claim.
 */
#ifndef BOX_INSIDE_H
#define BOX_INSIDE_H

#include "box/box.h"

struct inside_question {
	const char *label;	 /* for traces */
	const char *const *args; /* of git, NULL-terminated */
	const struct buf *in;	 /* its stdin; NULL: none */
	size_t max;		 /* bytes of the answer; more is an error */
};

/*
 * The answer is appended to out. In a tier that confines nothing git runs in the work tree as it
 * is. Errors: peer (git failed), limit, and those of session_run().
 */
int inside_ask(const struct box *b, const struct inside_question *q, struct buf *out,
	       struct error *err);

#endif
