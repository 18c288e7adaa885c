/*
 * left: work that stays in a box whatever is proposed, because it is in
 * submodules: a proposal has the files of this repository alone, and its
 * gitlinks are the base's.
 */
#ifndef BOX_LEFT_H
#define BOX_LEFT_H

#include "base/strv.h"
#include "box/box.h"

/*
 * Submodules of the box whose commit or files are not those of the base, outermost ones only, as
 * the box's own git says; paths are appended to out. Asks nothing where the box has no submodules.
 * Errors: those of inside_ask().
 */
int left_in_submodules(const struct box *b, struct strv *out, struct error *err);

#endif
