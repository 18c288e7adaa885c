/*
 * choose: asking hunk by hunk what is taken, as git add -p does.
 */
#ifndef GIT_BOX_CHOOSE_H
#define GIT_BOX_CHOOSE_H

#include "cli/app.h"
#include "store/hunks.h"

/* A section as it is shown: cleaned, coloured, without the bytes of binary files. Appended. */
void choose_show(struct hunk_text text, bool color, struct buf *out);

/*
 * Shows each hunk of the files, in the order of `order` (indices, l->len of them), asks on stdout
 * and reads the answer from stdin; sets hunk.taken. The end of stdin is 'q': nothing more is taken.
 * Returns how many were taken.
 */
size_t choose_hunks(const struct app *app, struct hunk_list *l, const size_t *order);

#endif
