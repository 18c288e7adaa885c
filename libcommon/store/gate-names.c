/*
 * Names: what one path component may be, and which two of them some file system
 * takes for one.
 */
#include "base/base.h"

#include "base/utf8.h"
#include "store/dotgit.h"
#include "store/gate-parts.h"

static bool is_dots(const char *s, size_t len)
{
	return len == 0 || (s[0] == '.' && (len == 1 || (len == 2 && s[1] == '.')));
}

/* Also between backslashes, which are slashes elsewhere; "a\b" alone is a name like any other. */
static bool has_dots(const char *name)
{
	size_t len = strcspn(name, "\\");

	if (!name[len])
		return is_dots(name, len);
	for (const char *p = name;; p += len + 1) {
		len = strcspn(p, "\\");
		if (len == 2 && is_dots(p, len))
			return true;
		if (!p[len])
			return false;
	}
}

static bool is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0x061C || cp == 0x200E ||
	       cp == 0x200F || (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069);
}

bool gate_has_control(const char *s, size_t len, bool text)
{
	for (size_t i = 0; i < len;) {
		uint32_t cp;
		size_t n = utf8_next(s + i, len - i, &cp);
		bool newline = cp == '\n' || (cp == '\r' && i + 1 < len && s[i + 1] == '\n');
		bool fine = text && (newline || cp == '\t');

		if (!fine && cp != UTF8_BAD && is_control(cp))
			return true;
		i += n;
	}
	return false;
}

static bool is_utf8(const char *s)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < len;) {
		uint32_t cp;

		i += utf8_next(s + i, len - i, &cp);
		if (cp == UTF8_BAD)
			return false;
	}
	return true;
}

enum gate_rule gate_path_rule(const char *path, const struct gate_limits *limits)
{
	size_t depth = 1;

	if (strlen(path) > limits->path_bytes)
		return RULE_PATH_LENGTH;
	for (const char *p = path; *p; p++)
		depth += *p == '/';
	return depth > limits->depth ? RULE_PATH_DEPTH : RULE_NONE;
}

/* Capitals, and how far their small letters are away; step 2: every other code point is one. */
struct letters {
	uint32_t first, last;
	unsigned step;
	int32_t distance;
};

static const struct letters capitals[] = {
	{ 0x0041, 0x005A, 1, 32 },    { 0x00C0, 0x00D6, 1, 32 },   { 0x00D8, 0x00DE, 1, 32 },
	{ 0x0100, 0x012E, 2, 1 },     { 0x0132, 0x0136, 2, 1 },	   { 0x0139, 0x0147, 2, 1 },
	{ 0x014A, 0x0176, 2, 1 },     { 0x0178, 0x0178, 1, -121 }, { 0x0179, 0x017D, 2, 1 },
	{ 0x017F, 0x017F, 1, -268 },  { 0x01CD, 0x01DB, 2, 1 },	   { 0x01DE, 0x01EE, 2, 1 },
	{ 0x01F8, 0x021E, 2, 1 },     { 0x0222, 0x0232, 2, 1 },	   { 0x0386, 0x0386, 1, 38 },
	{ 0x0388, 0x038A, 1, 37 },    { 0x038C, 0x038C, 1, 64 },   { 0x038E, 0x038F, 1, 63 },
	{ 0x0391, 0x03A1, 1, 32 },    { 0x03A3, 0x03AB, 1, 32 },   { 0x03C2, 0x03C2, 1, 1 },
	{ 0x03D8, 0x03EE, 2, 1 },     { 0x0400, 0x040F, 1, 80 },   { 0x0410, 0x042F, 1, 32 },
	{ 0x0460, 0x0480, 2, 1 },     { 0x048A, 0x04BE, 2, 1 },	   { 0x04C1, 0x04CD, 2, 1 },
	{ 0x04D0, 0x052E, 2, 1 },     { 0x0531, 0x0556, 1, 48 },   { 0x10A0, 0x10C5, 1, 7264 },
	{ 0x1E00, 0x1E94, 2, 1 },     { 0x1EA0, 0x1EFE, 2, 1 },	   { 0x212A, 0x212A, 1, -8383 },
	{ 0x212B, 0x212B, 1, -8262 }, { 0x2160, 0x216F, 1, 16 },   { 0x24B6, 0x24CF, 1, 26 },
	{ 0xFF21, 0xFF3A, 1, 32 },
};

static uint32_t to_small(uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_SIZE(capitals); i++) {
		const struct letters *l = &capitals[i];

		if (cp < l->first || cp > l->last)
			continue;
		return (cp - l->first) % l->step == 0 ? (uint32_t)((int32_t)cp + l->distance) : cp;
	}
	return cp;
}

/* A key need not be UTF-8: any form that keeps different code points apart will do. */
static void add_code_point(uint32_t cp, struct buf *out)
{
	if (cp >= 0x20 && cp < 0x80)
		buf_char(out, (char)cp);
	else
		buf_fmt(out, "\x01%x;", (unsigned)cp);
}

void gate_fold(const char *name, struct buf *out)
{
	size_t start = out->len;
	size_t len = strlen(name);

	for (size_t i = 0; i < len;) {
		uint32_t cp;
		size_t n = name_hfs_ignored(name + i);

		if (n) {
			i += n;
			continue;
		}
		n = utf8_next(name + i, len - i, &cp);
		if (cp == UTF8_BAD)
			buf_fmt(out, "\x02%02x", (unsigned char)name[i]);
		else
			add_code_point(to_small(cp), out);
		i += n;
	}
	/* NTFS drops these at the end. */
	while (out->len > start && strchr(". ", out->data[out->len - 1]))
		buf_truncate(out, out->len - 1);
}

/* Also for a file system that does what several others do. */
static bool is_git(const char *name)
{
	BUF_AUTO folded = BUF_INIT;

	gate_fold(name, &folded);
	return name_is_dotgit(name) || name_is_dotgit(folded.data);
}

enum gate_rule gate_name_rule(const char *name, const struct gate_limits *limits)
{
	bool utf8 = is_utf8(name);

	if (has_dots(name) || strchr(name, '/'))
		return RULE_NAME_PARTS;
	if (is_git(name))
		return RULE_NAME_GIT;
	if (gate_has_control(name, strlen(name), false))
		return RULE_NAME_CONTROL;
	if (!utf8 && !limits->any_bytes)
		return RULE_NAME_UTF8;
	if (strlen(name) > limits->name_bytes)
		return RULE_NAME_LENGTH;
	if (!utf8)
		return RULE_FLAG_UTF8;
	return strchr(name, '\\') ? RULE_FLAG_BACKSLASH : RULE_NONE;
}
