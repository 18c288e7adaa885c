/*
 * table: aligned columns on stdout for people. Cells are sanitised here.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/buf.h"
#include "base/strv.h"
#include "cli/app.h"

struct table {
	const char *const *head; /* column titles */
	size_t columns;          /* at least 1 */
	struct strv cells;       /* row by row */
};

/* Adds one row: `columns` strings, copied and sanitised. */
void table_row(struct table *t, const char *const *cells);
/* Head and rows with widths by display column; dims the head where `color`. Appended. */
void table_text(const struct table *t, bool color, struct buf *out);
/* table_text() to stdout, in colour where stdout is a terminal. */
void table_print(const struct app *app, const struct table *t);
void table_release(struct table *t);

#endif
