#include "base/base.h"

#include "cli/msg.h"
#include "git-box/paint.h"

/* Tabs are part of source text; the sanitiser for one-line messages would make blanks of them. */
static void clean(const char *line, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		const char *tab = memchr(line + at, '\t', len - at);
		size_t n = tab ? (size_t)(tab - line) - at : len - at;

		msg_clean(line + at, n, out);
		if (tab)
			buf_char(out, '\t');
		at += n + (tab != NULL);
	}
}

static bool starts(const char *line, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && memcmp(line, with, n) == 0;
}

/* The SGR code of a line, or NULL; *hunk says whether we are below a hunk's head. */
static const char *color_of(const char *line, size_t len, bool *hunk)
{
	if (starts(line, len, "diff --git "))
		*hunk = false;
	else if (starts(line, len, "@@ "))
		*hunk = true;
	if (starts(line, len, "@@ "))
		return "36";
	if (starts(line, len, "diff --git ") ||
	    (!*hunk && (starts(line, len, "--- ") || starts(line, len, "+++ "))))
		return "1";
	if (!*hunk || len == 0)
		return NULL;
	return line[0] == '+' ? "32" : line[0] == '-' ? "31" : NULL;
}

void paint_diff(const char *text, size_t len, bool color, struct buf *out)
{
	bool hunk = false;

	for (size_t at = 0; at < len;) {
		const char *line = text + at;
		const char *end = memchr(line, '\n', len - at);
		size_t n = end ? (size_t)(end - line) : len - at;
		const char *code = color ? color_of(line, n, &hunk) : NULL;

		if (code)
			buf_fmt(out, "\033[%sm", code);
		clean(line, n, out);
		buf_str(out, code ? "\033[m\n" : "\n");
		at += n + 1;
	}
}
