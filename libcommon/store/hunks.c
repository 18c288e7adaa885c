#include "base/base.h"

#include "base/alloc.h"
#include "base/num.h"
#include "store/hunks.h"

static const char section_label[] = "diff --git ";

void hunk_list_release(struct hunk_list *l)
{
	for (size_t i = 0; i < l->len; i++) {
		buf_release(&l->v[i].path);
		free(l->v[i].v);
	}
	free(l->v);
	*l = (struct hunk_list)HUNK_LIST_INIT;
}

/* --- lines ------------------------------------------------------------------------------------ */

struct cursor {
	const char *p;
	const char *end;
};

/* The next line with its newline; length 0 at the end. Does not advance. */
static struct hunk_text peek(const struct cursor *c)
{
	size_t left = (size_t)(c->end - c->p);
	const char *nl = left ? memchr(c->p, '\n', left) : NULL;

	return (struct hunk_text){ c->p, nl ? (size_t)(nl - c->p) + 1 : left };
}

static bool starts(struct hunk_text line, const char *with)
{
	size_t len = strlen(with);

	return line.len >= len && memcmp(line.p, with, len) == 0;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool octal(const char *s, size_t len, unsigned *out)
{
	*out = 0;
	for (int i = 0; i < 3; i++) {
		if (len < 3 || s[i] < '0' || s[i] > '7')
			return false;
		*out = *out << 3 | (unsigned)(s[i] - '0');
	}
	return *out < 256;
}

/* The escape after a backslash: bytes that it takes, or 0. */
static size_t unescape(const char *s, size_t len, struct buf *out)
{
	static const char letters[] = "abtnvfr\"\\";
	static const char values[] = "\a\b\t\n\v\f\r\"\\";
	const char *at = len && *s ? strchr(letters, *s) : NULL;
	unsigned value;

	if (at) {
		buf_char(out, values[at - letters]);
		return 1;
	}
	if (!octal(s, len, &value))
		return 0;
	buf_char(out, (char)value);
	return 3;
}

size_t hunks_unquote(const char *s, size_t len, struct buf *out)
{
	size_t at = 1;

	if (len < 2 || s[0] != '"')
		return 0;
	while (at < len && s[at] != '"') {
		size_t n;

		if (s[at] != '\\') {
			buf_char(out, s[at++]);
			continue;
		}
		n = unescape(s + at + 1, len - at - 1, out);
		if (n == 0)
			return 0;
		at += n + 1;
	}
	return at < len ? at + 1 : 0;
}

/* "a/x b/x\n" after the label: both names are the same, as nothing is renamed. */
static bool parse_names(struct hunk_text line, struct buf *path)
{
	const char *s = line.p + strlen(section_label);
	size_t len = line.len - strlen(section_label);
	BUF_AUTO name = BUF_INIT;

	if (len == 0 || s[len - 1] != '\n')
		return false;
	len--;
	if (s[0] == '"') {
		if (hunks_unquote(s, len, &name) == 0)
			return false;
	} else {
		if (len % 2 == 0)
			return false;
		buf_add(&name, s, len / 2);
		if (s[len / 2] != ' ' || memcmp(name.data + 1, s + len / 2 + 2, len / 2 - 1) != 0)
			return false;
	}
	if (name.len < 3 || memcmp(name.data, "a/", 2) != 0)
		return false;
	buf_add(path, name.data + 2, name.len - 2);
	return true;
}

/* --- hunks ------------------------------------------------------------------------------------ */

static bool number(const char **p, const char *end, uint64_t *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	while (*p < end && **p >= '0' && **p <= '9')
		buf_char(&text, *(*p)++);
	return text.len && num_u64(text.data, 0, INT32_MAX, out, &ignored) == 0;
}

/* "-12,3" or "-12" */
static bool range(const char **p, const char *end, uint64_t *at, uint64_t *lines)
{
	*lines = 1;
	if (!number(p, end, at))
		return false;
	if (*p < end && **p == ',') {
		(*p)++;
		return number(p, end, lines);
	}
	return true;
}

static bool parse_head(struct hunk_text line, struct hunk *h)
{
	const char *p = line.p + 4, *end = line.p + line.len;

	if (!starts(line, "@@ -") || !range(&p, end, &h->old_at, &h->old_lines) || end - p < 2 ||
	    p[0] != ' ' || p[1] != '+')
		return false;
	p += 2;
	return range(&p, end, &h->new_at, &h->new_lines) && end - p >= 3 &&
	       memcmp(p, " @@", 3) == 0;
}

/* By the counts of its head, as its lines may look like anything. */
static bool skip_lines(struct cursor *c, const struct hunk *h)
{
	uint64_t old = h->old_lines, new = h->new_lines;

	while (old || new) {
		struct hunk_text line = peek(c);
		bool minus = starts(line, "-"), plus = starts(line, "+"), both = starts(line, " ");

		if (both && old && new) {
			old--;
			new --;
		} else if (minus && old) {
			old--;
		} else if (plus && new) {
			new --;
		} else if (!starts(line, "\\ ")) {
			return false;
		}
		c->p += line.len;
	}
	if (starts(peek(c), "\\ "))
		c->p += peek(c).len;
	return true;
}

static void add_hunk(struct hunk_file *f, const struct hunk *h)
{
	f->v = xrealloc(f->v, size_mul(size_add(f->len, 1), sizeof(*f->v)));
	f->v[f->len++] = *h;
}

static bool parse_hunks(struct cursor *c, struct hunk_file *f)
{
	while (starts(peek(c), "@@ -")) {
		struct hunk h = { .kind = HUNK_LINES, .text = { .p = c->p } };

		if (!parse_head(peek(c), &h))
			return false;
		c->p += peek(c).len;
		if (!skip_lines(c, &h))
			return false;
		h.text.len = (size_t)(c->p - h.text.p);
		add_hunk(f, &h);
	}
	return true;
}

/* --- sections --------------------------------------------------------------------------------- */

/* What the lines before the first @@ say. */
struct header {
	bool whole;	       /* new, removed or binary */
	struct hunk_text mode; /* "old mode" and "new mode" lines */
};

static struct header read_header(struct cursor *c)
{
	struct header h = { .whole = false };
	struct hunk_text line;

	for (line = peek(c); line.len && !starts(line, "@@ -") && !starts(line, section_label);
	     line = peek(c)) {
		if (starts(line, "new file mode") || starts(line, "deleted file mode") ||
		    starts(line, "GIT binary patch"))
			h.whole = true;
		if (starts(line, "old mode "))
			h.mode.p = line.p;
		if (h.mode.p && starts(line, "new mode "))
			h.mode.len = (size_t)(line.p + line.len - h.mode.p);
		c->p += line.len;
	}
	return h;
}

static bool parse_file(struct cursor *c, struct hunk_file *f)
{
	const char *start = c->p;
	struct header h;

	if (!starts(peek(c), section_label) || !parse_names(peek(c), &f->path))
		return false;
	c->p += peek(c).len;
	h = read_header(c);
	f->head = (struct hunk_text){ start, (size_t)(c->p - start) };
	if (h.mode.len && !h.whole)
		add_hunk(f, &(struct hunk){ .kind = HUNK_MODE, .text = h.mode });
	if (!parse_hunks(c, f))
		return false;
	if (!h.whole)
		return f->len > 0;
	free(f->v);
	f->v = NULL;
	f->len = 0;
	f->head.len = (size_t)(c->p - start);
	add_hunk(f, &(struct hunk){ .kind = HUNK_WHOLE, .text = f->head });
	return true;
}

/* A change of type is a removal and a new file, which stand together: one cannot be had alone. */
static void join_sections(struct hunk_list *l)
{
	struct hunk_file *last = &l->v[l->len - 1], *before = last - 1;

	if (l->len < 2 || strcmp(last->path.data, before->path.data) != 0)
		return;
	before->head.len += last->head.len;
	before->v[0].text = before->head;
	buf_release(&last->path);
	free(last->v);
	l->len--;
}

int hunks_parse(const char *text, size_t len, struct hunk_list *out, struct error *err)
{
	struct cursor c = { .p = text, .end = text + len };
	struct hunk_list l = HUNK_LIST_INIT;

	while (c.p < c.end) {
		l.v = xrealloc(l.v, size_mul(size_add(l.len, 1), sizeof(*l.v)));
		l.v[l.len] = (struct hunk_file){ .path = BUF_INIT };
		l.len++;
		if (!parse_file(&c, &l.v[l.len - 1])) {
			hunk_list_release(&l);
			return error_set(err, ERR_CORRUPT,
					 "git diff-tree gave a patch that is not known");
		}
		join_sections(&l);
	}
	*out = l;
	return 0;
}

/* --- the other way ---------------------------------------------------------------------------- */

static bool any_taken(const struct hunk_file *f, enum hunk_kind kind)
{
	for (size_t i = 0; i < f->len; i++) {
		if (f->v[i].kind == kind && f->v[i].taken)
			return true;
	}
	return false;
}

/* The header without what was left: mode lines, or those that promise hunks. */
static void put_head(const struct hunk_file *f, bool mode, bool lines, struct buf *out)
{
	struct cursor c = { .p = f->head.p, .end = f->head.p + f->head.len };
	struct hunk_text line;

	for (line = peek(&c); line.len; line = peek(&c)) {
		bool of_mode = starts(line, "old mode ") || starts(line, "new mode ");
		bool of_lines = starts(line, "index ") || starts(line, "--- ") ||
				starts(line, "+++ ");

		if ((mode || !of_mode) && (lines || !of_lines))
			buf_add(out, line.p, line.len);
		c.p += line.len;
	}
}

/* Where lines come to lie depends on what was left above: git starts its search there. */
static void put_lines(const struct hunk *h, int64_t shift, struct buf *out)
{
	const char *rest = memchr(h->text.p, '\n', h->text.len);

	buf_fmt(out, "@@ -%llu,%llu +%lld,%llu @@", (unsigned long long)h->old_at,
		(unsigned long long)h->old_lines, (long long)((int64_t)h->new_at - shift),
		(unsigned long long)h->new_lines);
	buf_add(out, rest, (size_t)(h->text.p + h->text.len - rest));
}

static void put_file(const struct hunk_file *f, struct buf *out)
{
	bool lines = any_taken(f, HUNK_LINES), mode = any_taken(f, HUNK_MODE);
	int64_t shift = 0;

	if (any_taken(f, HUNK_WHOLE)) {
		buf_add(out, f->head.p, f->head.len);
		return;
	}
	if (!lines && !mode)
		return;
	put_head(f, mode, lines, out);
	for (size_t i = 0; i < f->len; i++) {
		const struct hunk *h = &f->v[i];

		if (h->kind != HUNK_LINES)
			continue;
		if (h->taken)
			put_lines(h, shift, out);
		else
			shift += (int64_t)h->new_lines - (int64_t)h->old_lines;
	}
}

void hunks_taken(const struct hunk_list *l, struct buf *out)
{
	for (size_t i = 0; i < l->len; i++)
		put_file(&l->v[i], out);
}
