#include "base/base.h"

#include <ctype.h>

#include "base/env.h"
#include "base/exit.h"
#include "cli/opt.h"

#define FILL_COLUMNS 76 /* of the source, so that it stays readable */

/*
 * One byte of text. Hyphens and quotes must come out as typed, because people
 * copy options and commands from manuals.
 */
static void add_char(char c, struct buf *out)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {
		{ '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" }, { '`', "\\(ga" },
		{ '^', "\\(ha" }, { '~', "\\(ti" }, { '"', "\\(dq" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(special); i++) {
		if (special[i].c == c) {
			buf_str(out, special[i].roff);
			return;
		}
	}
	buf_char(out, c);
}

static void add_chars(const char *s, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++)
		add_char(s[i], out);
}

static void add_text(const char *s, struct buf *out)
{
	add_chars(s, strlen(s), out);
}

/* A dot at the start of a line would be a request. */
static void guard(char first, struct buf *out)
{
	if (first == '.')
		buf_str(out, "\\&");
}

/* Words up to `end`, filled into lines; ends with a newline. */
static void add_filled(const char *s, const char *end, struct buf *out)
{
	size_t line = out->len;

	while (s < end) {
		size_t len = 0;

		while (s + len < end && !isspace((unsigned char)s[len]))
			len++;
		if (len > 0 && out->len > line) {
			bool full = out->len - line + len > FILL_COLUMNS;

			buf_char(out, full ? '\n' : ' ');
			line = full ? out->len : line;
		}
		if (len > 0 && out->len == line)
			guard(s[0], out);
		add_chars(s, len, out);
		s += len;
		while (s < end && isspace((unsigned char)*s))
			s++;
	}
	buf_char(out, '\n');
}

/* Paragraphs separated by empty lines. The first follows a heading and needs no macro of its own.
 */
static void add_paragraphs(const char *s, bool first, struct buf *out)
{
	while (*s) {
		const char *end = strstr(s, "\n\n");

		if (!end)
			end = s + strlen(s);
		if (!first)
			buf_str(out, ".PP\n");
		add_filled(s, end, out);
		first = false;
		s = end + strspn(end, "\n");
	}
}

/* Lines as they are. */
static void add_verbatim(const char *s, struct buf *out)
{
	buf_str(out, ".RS 4\n.nf\n");
	while (*s) {
		size_t len = strcspn(s, "\n");

		if (len == 0)
			buf_str(out, "\\&");
		guard(s[0], out);
		add_chars(s, len, out);
		buf_char(out, '\n');
		s += len + (s[len] == '\n');
	}
	buf_str(out, ".fi\n.RE\n");
}

static void add_row(const char *term, const char *text, struct buf *out)
{
	buf_str(out, ".TP\n\\fB");
	add_text(term, out);
	buf_str(out, "\\fR\n");
	add_filled(text, text + strlen(text), out);
}

static void add_header(const struct app *app, const struct command *cmd, struct buf *out)
{
	BUF_AUTO name = BUF_INIT;

	buf_str(&name, app->tool);
	if (cmd)
		buf_fmt(&name, "-%s", cmd->name);
	buf_str(out, ".\\\" Made from the tables of the program; do not edit.\n.TH ");
	for (size_t i = 0; i < name.len; i++)
		add_char((char)toupper((unsigned char)name.data[i]), out);
	buf_fmt(out, " 1 %s \"%s %s\" \"Git Manual\"\n.SH NAME\n", app->manual->date, app->tool,
		app->version);
	add_text(name.data, out);
	buf_str(out, " \\- ");
	add_text(cmd ? cmd->summary : app->summary, out);
	buf_char(out, '\n');
}

/* One call, its parts unbroken. */
static void add_usage(const struct app *app, const struct command *cmd, struct buf *out)
{
	STRV_AUTO items = STRV_INIT;
	BUF_AUTO title = BUF_INIT;

	app_title(app, &title);
	if (cmd->name[0])
		buf_fmt(&title, " %s", cmd->name);
	buf_str(out, ".B ");
	add_text(title.data, out);
	buf_char(out, '\n');
	opt_usage_items(cmd, &items);
	for (size_t i = 0; i < items.len; i++) {
		guard(items.v[i][0], out);
		for (const char *c = items.v[i]; *c; c++) {
			if (*c == ' ')
				buf_str(out, "\\ ");
			else
				add_char(*c, out);
		}
		/* Else the last dot of "NAME..." ends a sentence and gets more blanks. */
		buf_str(out, out->data[out->len - 1] == '.' ? "\\&\n" : "\n");
	}
}

static void add_opt_term(const struct opt *o, struct buf *out)
{
	if (opt_is_argument(o)) {
		buf_str(out, "\\fI");
		add_text(o->name, out);
		buf_str(out, o->kind == OPT_KIND_ARG ? "\\fR\n" : "\\fR...\n");
		return;
	}
	if (o->short_name) {
		buf_str(out, "\\fB\\-");
		add_char(o->short_name, out);
		buf_str(out, o->name ? "\\fR, " : "\\fR");
	}
	if (o->name) {
		buf_str(out, "\\fB\\-\\-");
		add_text(o->name, out);
		buf_str(out, "\\fR");
	}
	if (o->arg) {
		buf_str(out, " \\fI");
		add_text(o->arg, out);
		buf_str(out, "\\fR");
	}
	buf_char(out, '\n');
}

static void add_opt(const struct opt *o, struct buf *out)
{
	BUF_AUTO text = BUF_INIT;

	buf_str(out, ".TP\n");
	add_opt_term(o, out);
	buf_str(&text, o->help);
	if (o->choices) {
		buf_str(&text, "; one of");
		for (const char *const *c = o->choices; *c; c++)
			buf_fmt(&text, " %s%s", *c, c[1] ? "," : "");
	}
	if (o->kind == OPT_KIND_LIST)
		buf_str(&text, "; may be given more than once");
	add_filled(text.data, text.data + text.len, out);
}

static void add_opts(const struct command *cmd, bool arguments, struct buf *out)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (opt_is_argument(o) == arguments && !(o->flags & OPT_HIDDEN))
			add_opt(o, out);
	}
}

static void add_command(const struct app *app, const struct command *cmd, struct buf *out)
{
	buf_str(out, ".SS ");
	add_text(cmd->name, out);
	buf_char(out, '\n');
	add_usage(app, cmd, out);
	if (cmd->alias) {
		BUF_AUTO alias = BUF_INIT;

		buf_fmt(&alias, "%s is another name of %s.", cmd->alias, cmd->name);
		add_paragraphs(alias.data, false, out);
	}
	add_paragraphs(cmd->description, false, out);
	add_opts(cmd, true, out);
	add_opts(cmd, false, out);
	if (cmd->examples) {
		buf_str(out, ".PP\n");
		add_verbatim(cmd->examples, out);
	}
}

static void add_exit_status(struct buf *out)
{
	buf_str(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < exit_table_len; i++) {
		char code[16];

		snprintf(code, sizeof(code), "%d", exit_table[i].code);
		add_row(code, exit_table[i].meaning, out);
	}
}

static void add_environment(struct buf *out)
{
	buf_str(out, ".SH ENVIRONMENT\n");
	for (size_t i = 0; i < env_table_len; i++)
		add_row(env_table[i].name, env_table[i].meaning, out);
}

static void add_rows(const char *title, const struct manual_row *rows, struct buf *out)
{
	buf_fmt(out, ".SH %s\n", title);
	for (; rows->term; rows++)
		add_row(rows->term, rows->text, out);
}

/* ".BR git-worktree (1)," a line. */
static void add_see_also(const char *const *pages, struct buf *out)
{
	buf_str(out, ".SH SEE ALSO\n");
	for (; *pages; pages++) {
		size_t name = strcspn(*pages, "(");

		buf_str(out, ".BR ");
		add_chars(*pages, name, out);
		buf_fmt(out, " %s%s\n", *pages + name, pages[1] ? "," : "");
	}
}

static void add_synopsis(const struct app *app, struct buf *out)
{
	buf_str(out, ".SH SYNOPSIS\n");
	for (const struct command *const *c = app->commands; *c; c++) {
		add_usage(app, *c, out);
		buf_str(out, ".br\n");
	}
	add_usage(app, &command_top, out);
}

void man_page(const struct app *app, struct buf *out)
{
	static const char common[] = "Long options may be shortened as far as they stay unique, "
				     "and a flag is taken back by "
				     "--no-NAME. Options and arguments may be mixed; -- ends the "
				     "options. Every verb explains "
				     "itself with -h.";

	add_header(app, NULL, out);
	add_synopsis(app, out);
	buf_str(out, ".SH DESCRIPTION\n");
	add_paragraphs(app->manual->description, true, out);
	buf_str(out, ".SH OPTIONS\n");
	add_filled(common, common + strlen(common), out);
	add_opts(&command_top, false, out);
	buf_str(out, ".SH COMMANDS\n");
	for (const struct command *const *c = app->commands; *c; c++)
		add_command(app, *c, out);
	add_exit_status(out);
	add_environment(out);
	add_rows("CONFIGURATION", app->manual->config, out);
	add_rows("FILES", app->manual->files, out);
	add_see_also(app->manual->see_also, out);
}

void man_page_command(const struct app *app, const struct command *cmd, struct buf *out)
{
	add_header(app, cmd, out);
	buf_str(out, ".SH SYNOPSIS\n");
	add_usage(app, cmd, out);
	buf_str(out, ".SH DESCRIPTION\n");
	add_paragraphs(cmd->description, true, out);
	if (cmd->opts->kind != OPT_KIND_END)
		buf_str(out, ".SH OPTIONS\n");
	add_opts(cmd, true, out);
	add_opts(cmd, false, out);
	if (cmd->examples) {
		buf_str(out, ".SH EXAMPLES\n");
		add_verbatim(cmd->examples, out);
	}
	buf_str(out, ".SH SEE ALSO\n.BR ");
	add_text(app->tool, out);
	buf_str(out, " (1)\n");
}
