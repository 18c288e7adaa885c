#include "base/base.h"

#include "base/utf8.h"
#include "cli/opt.h"

#define LINE_MAX_COLUMNS 80
#define TERM_INDENT 4
#define TERM_COLUMNS 26 /* longer terms put their text on the next line */

static void add_option_item(const struct opt *o, struct strv *out)
{
	BUF_AUTO item = BUF_INIT;

	buf_char(&item, '[');
	if (o->short_name)
		buf_fmt(&item, "-%c", o->short_name);
	else
		buf_fmt(&item, "--%s", o->name);
	if (o->arg)
		buf_fmt(&item, " %s", o->arg);
	buf_char(&item, ']');
	if (o->kind == OPT_KIND_LIST)
		buf_str(&item, "...");
	strv_take(out, buf_detach(&item));
}

static void add_argument_item(const struct opt *o, struct strv *out)
{
	bool optional = o->flags & OPT_OPTIONAL;

	strv_addf(out, "%s%s%s%s%s", optional ? "[" : "", o->kind == OPT_KIND_REST ? "-- " : "",
		  o->name, o->kind == OPT_KIND_ARG ? "" : "...", optional ? "]" : "");
}

void opt_usage_items(const struct command *cmd, struct strv *out)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (!opt_is_argument(o) && !(o->flags & OPT_HIDDEN))
			add_option_item(o, out);
	}
	for (const struct opt *o = opt_next_argument(cmd->opts); o; o = opt_next_argument(o + 1))
		add_argument_item(o, out);
}

static void add_command_title(const struct app *app, const struct command *cmd, struct buf *out)
{
	app_title(app, out);
	if (cmd->name[0])
		buf_fmt(out, " %s", cmd->name);
}

void opt_usage_line(const struct app *app, const struct command *cmd, struct buf *out)
{
	STRV_AUTO items = STRV_INIT;

	add_command_title(app, cmd, out);
	opt_usage_items(cmd, &items);
	for (size_t i = 0; i < items.len; i++)
		buf_fmt(out, " %s", items.v[i]);
}

/* "usage: git box run [-q] ...", continued below its first item. */
static void add_usage(const struct app *app, const struct command *cmd, struct buf *out)
{
	STRV_AUTO items = STRV_INIT;
	size_t start = out->len;
	size_t indent, column;

	buf_str(out, "usage: ");
	add_command_title(app, cmd, out);
	indent = column = out->len - start;
	opt_usage_items(cmd, &items);
	for (size_t i = 0; i < items.len; i++) {
		size_t width = 1 + strlen(items.v[i]);

		if (column > indent && column + width > LINE_MAX_COLUMNS) {
			buf_char(out, '\n');
			buf_pad(out, ' ', indent);
			column = indent;
		}
		buf_fmt(out, " %s", items.v[i]);
		column += width;
	}
	buf_char(out, '\n');
}

void opt_term(const struct opt *o, struct buf *out)
{
	if (opt_is_argument(o)) {
		buf_fmt(out, "%s%s", o->name, o->kind == OPT_KIND_ARG ? "" : "...");
		return;
	}
	if (o->short_name)
		buf_fmt(out, "-%c", o->short_name);
	if (o->name)
		buf_fmt(out, "%s--%s", o->short_name ? ", " : "", o->name);
	if (o->arg)
		buf_fmt(out, " %s", o->arg);
}

/* Words of text from `column` on, continued at `indent`. */
static void add_wrapped(const char *text, size_t column, size_t indent, struct buf *out)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		size_t width = utf8_columns(text, len);

		if (!first && column + 1 + width > LINE_MAX_COLUMNS) {
			buf_char(out, '\n');
			buf_pad(out, ' ', indent);
			column = indent;
		} else if (!first) {
			buf_char(out, ' ');
			column++;
		}
		buf_add(out, text, len);
		column += width;
		first = false;
		text += len + strspn(text + len, " ");
	}
	buf_char(out, '\n');
}

static void add_row(const char *term, const char *text, struct buf *out)
{
	size_t columns = utf8_columns(term, strlen(term));
	const size_t indent = TERM_INDENT + TERM_COLUMNS;

	buf_pad(out, ' ', TERM_INDENT);
	buf_str(out, term);
	if (columns + 2 > TERM_COLUMNS) {
		buf_char(out, '\n');
		buf_pad(out, ' ', indent);
	} else {
		buf_pad(out, ' ', TERM_COLUMNS - columns);
	}
	add_wrapped(text, indent, indent, out);
}

static void add_opt_row(const struct opt *o, struct buf *out)
{
	BUF_AUTO term = BUF_INIT;
	BUF_AUTO text = BUF_INIT;

	opt_term(o, &term);
	buf_str(&text, o->help);
	if (o->choices) {
		buf_str(&text, ":");
		for (const char *const *c = o->choices; *c; c++)
			buf_fmt(&text, " %s%s", *c, c[1] ? "," : "");
	}
	add_row(term.data, text.data, out);
}

static void add_rows(const struct command *cmd, bool arguments, struct buf *out)
{
	bool any = false;

	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (opt_is_argument(o) != arguments || o->flags & OPT_HIDDEN)
			continue;
		if (!any)
			buf_char(out, '\n');
		any = true;
		add_opt_row(o, out);
	}
}

void opt_help(const struct app *app, const struct command *cmd, struct buf *out)
{
	add_usage(app, cmd, out);
	buf_fmt(out, "\n%s\n", cmd->summary);
	add_rows(cmd, true, out);
	add_rows(cmd, false, out);
}

void app_help(const struct app *app, struct buf *out)
{
	buf_str(out, "usage: ");
	app_title(app, out);
	buf_str(out, " VERB [ARGUMENT...]\n");
	buf_str(out, "   or: ");
	opt_usage_line(app, &command_top, out);
	buf_fmt(out, "\n\n%s\n\n", app->summary);
	for (const struct command *const *c = app->commands; *c; c++)
		add_row((*c)->name, (*c)->summary, out);
	add_rows(&command_top, false, out);
	buf_str(out, "\n'");
	app_title(app, out);
	buf_str(out, " VERB -h' explains a verb, '");
	app_title(app, out);
	buf_str(out, " --help' is the whole manual.\n");
}
