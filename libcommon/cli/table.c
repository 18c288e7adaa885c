#include "base/base.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "cli/msg.h"
#include "cli/table.h"

#define GAP 2 /* blanks between columns */

void table_row(struct table *t, const char *const *cells)
{
	for (size_t i = 0; i < t->columns; i++) {
		BUF_AUTO clean = BUF_INIT;

		msg_clean(cells[i], strlen(cells[i]), &clean);
		strv_take(&t->cells, buf_detach(&clean));
	}
}

static void widen(size_t *width, const char *cell)
{
	size_t columns = utf8_columns(cell, strlen(cell));

	if (columns > *width)
		*width = columns;
}

/* The last column is not padded: no blanks at line ends. */
static void add_row(const struct table *t, const size_t *widths, const char *const *cells,
		    struct buf *out)
{
	for (size_t i = 0; i < t->columns; i++) {
		buf_str(out, cells[i]);
		if (i + 1 < t->columns)
			buf_pad(out, ' ',
				widths[i] + GAP - utf8_columns(cells[i], strlen(cells[i])));
	}
}

void table_text(const struct table *t, bool color, struct buf *out)
{
	const char *const *cells = (const char *const *)t->cells.v;
	size_t *widths;

	if (t->columns == 0)
		BUG("a table without columns");
	widths = xcalloc(t->columns, sizeof(*widths));
	for (size_t i = 0; i < t->columns; i++)
		widen(&widths[i], t->head[i]);
	for (size_t i = 0; i < t->cells.len; i++)
		widen(&widths[i % t->columns], cells[i]);
	if (color)
		buf_str(out, "\033[2m");
	add_row(t, widths, t->head, out);
	buf_str(out, color ? "\033[m\n" : "\n");
	for (size_t i = 0; i < t->cells.len; i += t->columns) {
		add_row(t, widths, cells + i, out);
		buf_char(out, '\n');
	}
	free(widths);
}

void table_print(const struct app *app, const struct table *t)
{
	BUF_AUTO text = BUF_INIT;

	table_text(t, app->color_out, &text);
	fwrite(text.data, 1, text.len, stdout);
}

void table_release(struct table *t)
{
	strv_release(&t->cells);
}
