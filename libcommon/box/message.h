/*
 * message: commit messages of proposals. What the host says and what the box
 * says stay apart: the box's own words are one cleaned line after the box's
 * name, and quoted text below, so none of them can look like a trailer.
 */
#ifndef BOX_MESSAGE_H
#define BOX_MESSAGE_H

#include "base/buf.h"
#include "box/manifest.h"

#define MESSAGE_MAX (16u << 10) /* bytes of a box's message that are looked at */

/*
 * own: the operator's text, taken as it is; NULL: the box's claim (len bytes, which may hold
 * anything) is quoted; with neither a plain sentence. Ends with the trailers "Box: <name> <id>" and
 * "Policy: <digest>". Appended. Pure.
 */
void message_make(const struct manifest *m, const char *own, const struct buf *claim,
		  struct buf *out);

/* True where the text is of a commit that was proposed for this box: it ends with its trailers.
 * Pure. */
bool message_is_ours(const struct manifest *m, const char *text);

#endif
