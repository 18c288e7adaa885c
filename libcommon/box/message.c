#include "base/base.h"

#include "box/message.h"
#include "cli/msg.h"

#define SUBJECT_MAX 100 /* bytes of the box's line */
#define LINES_MAX 64

/* Length of s cut to at most max bytes, not inside a UTF-8 sequence. */
static size_t cut(const char *s, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)s[max] & 0xc0) == 0x80)
		max--;
	return max;
}

/* One line of the box's, cleaned, without blanks at its ends. */
static void clean_line(const char *s, size_t len, struct buf *out)
{
	BUF_AUTO clean = BUF_INIT;
	size_t start;

	msg_clean(s, len, &clean);
	while (clean.len > 0 && clean.data[clean.len - 1] == ' ')
		buf_truncate(&clean, clean.len - 1);
	start = strspn(clean.data, " ");
	buf_add(out, clean.data + start, clean.len - start);
}

/* The first line that holds anything; *rest_out is where the next one starts. */
static void first_line(const struct buf *claim, struct buf *out, size_t *rest_out)
{
	size_t at = 0;

	while (at < claim->len && out->len == 0) {
		const char *line = claim->data + at;
		const char *end = memchr(line, '\n', claim->len - at);
		size_t len = end ? (size_t)(end - line) : claim->len - at;

		clean_line(line, len, out);
		at += len + (end != NULL);
	}
	*rest_out = at;
}

/* All lines of it, each behind a quotation mark, empty ones at the end left out. */
static void quote(const struct buf *claim, struct buf *out)
{
	size_t kept = out->len;
	size_t lines = 0;

	for (size_t at = 0; at < claim->len && lines < LINES_MAX; lines++) {
		const char *line = claim->data + at;
		const char *end = memchr(line, '\n', claim->len - at);
		size_t len = end ? (size_t)(end - line) : claim->len - at;
		BUF_AUTO clean = BUF_INIT;

		clean_line(line, len, &clean);
		buf_fmt(out, ">%s%s\n", clean.len > 0 ? " " : "", clean.data);
		if (clean.len > 0)
			kept = out->len;
		at += len + (end != NULL);
	}
	buf_truncate(out, kept);
}

static void add_claim(const struct manifest *m, const struct buf *claim, struct buf *out)
{
	BUF_AUTO subject = BUF_INIT;
	size_t rest = 0, shown;

	if (claim)
		first_line(claim, &subject, &rest);
	if (subject.len == 0) {
		buf_fmt(out, "Work of box %s\n", m->name.data);
		return;
	}
	shown = cut(subject.data, subject.len, SUBJECT_MAX);
	buf_fmt(out, "%s: %.*s%s\n", m->name.data, (int)shown, subject.data,
		shown < subject.len ? "..." : "");
	buf_str(out, "\nThe box says:\n");
	quote(claim, out);
}

static void add_trailers(const struct manifest *m, struct buf *out)
{
	buf_fmt(out, "\nBox: %s %s\nPolicy: %s\n", m->name.data, m->id, m->policy_digest);
}

void message_make(const struct manifest *m, const char *own, const struct buf *claim,
		  struct buf *out)
{
	if (own && own[strspn(own, " \t\n")] != '\0') {
		size_t len = strlen(own);

		while (own[len - 1] == '\n')
			len--;
		buf_add(out, own, len);
		buf_char(out, '\n');
	} else {
		add_claim(m, claim, out);
	}
	add_trailers(m, out);
}

bool message_is_ours(const struct manifest *m, const char *text)
{
	BUF_AUTO box = BUF_INIT;
	const char *at = strstr(text, "\nBox: ");

	/* The last one counts: an operator's own text may quote another. */
	for (const char *next; at && (next = strstr(at + 1, "\nBox: ")) != NULL;)
		at = next;
	buf_fmt(&box, " %s\nPolicy: ", m->id);
	return at && strstr(at, box.data) != NULL;
}
