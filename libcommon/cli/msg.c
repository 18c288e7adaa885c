#include "base/base.h"

#include <stdarg.h>

#include "base/exit.h"
#include "base/utf8.h"
#include "cli/msg.h"
#include "cli/trace.h"
#include "wire/json.h"

/* Controls of the Unicode bidirectional algorithm: they make text read other than it is. */
static bool is_bidi_control(uint32_t cp)
{
	return cp == 0x061C || cp == 0x200E || cp == 0x200F || (cp >= 0x202A && cp <= 0x202E) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

static bool is_dropped(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F) || is_bidi_control(cp);
}

void msg_clean(const char *s, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		uint32_t cp;
		size_t n = utf8_next(s + at, len - at, &cp);

		if (cp == UTF8_BAD)
			buf_str(out, "\xEF\xBF\xBD");
		else if (cp == '\t' || cp == '\n' || cp == '\r')
			buf_char(out, ' ');
		else if (!is_dropped(cp))
			buf_add(out, s + at, n);
		at += n;
	}
}

void msg_clean_block(const char *s, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		uint32_t cp;
		size_t n = utf8_next(s + at, len - at, &cp);

		if (cp != '\t' && cp != '\n' && (cp == UTF8_BAD || is_dropped(cp)))
			buf_str(out, "\xEF\xBF\xBD");
		else
			buf_add(out, s + at, n);
		at += n;
	}
}

/* One line: "git box: [label: ]text", the label in colour. */
static void add_line(const struct app *app, const char *color, const char *label, const char *text,
		     struct buf *out)
{
	app_title(app, out);
	buf_str(out, ": ");
	if (label) {
		if (app->color_err)
			buf_fmt(out, "\033[%sm%s:\033[m ", color, label);
		else
			buf_fmt(out, "%s: ", label);
	}
	msg_clean(text, strlen(text), out);
	buf_char(out, '\n');
}

/* One write a message, so that lines of several processes do not mix. Nothing helps where stderr is
 * gone. */
static void put(const struct buf *text)
{
	fflush(stdout);
	fwrite(text->data, 1, text->len, stderr);
	fflush(stderr);
}

int msg_fail(const struct app *app, const struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	add_line(app, "", NULL, err->msg, &text);
	if (err->hint[0])
		add_line(app, "33", "hint", err->hint, &text);
	put(&text);
	trace_error(app->trace, err->msg);
	if (app->json)
		json_answer_error(err, exit_for(err->kind));
	return exit_for(err->kind);
}

void msg_warning(const struct app *app, const char *fmt, ...)
{
	BUF_AUTO what = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&what, fmt, ap);
	va_end(ap);
	add_line(app, "35", "warning", what.data, &text);
	put(&text);
}

void msg_note(const struct app *app, const char *fmt, ...)
{
	BUF_AUTO what = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&what, fmt, ap);
	va_end(ap);
	add_line(app, "", NULL, what.data, &text);
	put(&text);
}
