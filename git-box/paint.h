/*
 * paint: a diff on a terminal. What git says holds bytes of the box's: every
 * line is cleaned, and the colours are ours.
 */
#ifndef GIT_BOX_PAINT_H
#define GIT_BOX_PAINT_H

#include "base/buf.h"

/* text: git's output without colour. Appended. */
void paint_diff(const char *text, size_t len, bool color, struct buf *out);

#endif
