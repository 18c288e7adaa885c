/*
 * transfer-parts: what get and put share.
 */
#ifndef BOX_TRANSFER_PARTS_H
#define BOX_TRANSFER_PARTS_H

#include "box/transfer.h"

/* Adds one; takes both strings over (they become BUF_INIT). */
struct transfer_file *transfer_add(struct transfer_list *l, struct buf *path, struct buf *outside);

/* Last component, borrowed. */
const char *transfer_name(const char *path);

/* An unnamed file in the box's own directory, for what goes through. The fd, or -1. */
int transfer_spool(const struct box *b, struct error *err);

/* Errors: usage (two of them have one name). outside: compare those, else the paths in the box. */
int transfer_check_names(const struct transfer_list *l, bool outside, struct error *err);

#endif
