/*
 * package.json: did anything change that npm or a hook manager runs? Just enough
 * JSON to find the top-level members and compare them byte by byte; whatever it
 * is not sure about has changed.
 */
#include "base/base.h"

#include "store/gate-parts.h"

/* Members that hold commands, or decide which program reads them. */
static const char *const keys[] = {
	"scripts",  "husky", "lint-staged", "pre-commit", "simple-git-hooks",
	"gitHooks", "bin",   "gypfile",	    "config",	  "packageManager"
};

struct scan {
	const char *p;
	const char *end;
};

static char peek(struct scan *s)
{
	while (s->p < s->end && *s->p && strchr(" \t\r\n", *s->p))
		s->p++;
	return s->p < s->end ? *s->p : '\0';
}

/* The text between quotes. */
static bool take_string(struct scan *s, struct gate_text *out)
{
	const char *start = ++s->p;

	while (s->p < s->end && *s->p != '"')
		s->p += 1 + (*s->p == '\\');
	if (s->p >= s->end)
		return false;
	*out = (struct gate_text){ start, (size_t)(s->p - start) };
	s->p++;
	return true;
}

/* One step of a value; depth follows brackets. */
static bool take_token(struct scan *s, size_t *depth)
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyzE0123456789+-.";
	struct gate_text ignored;
	char c = peek(s);

	if (c == '"')
		return take_string(s, &ignored);
	if (c == '\0' || !(strchr("{[]},:", c) || strchr(words, c)))
		return false;
	if (c == '{' || c == '[')
		++*depth;
	if ((c == '}' || c == ']') && (*depth)-- == 0)
		return false;
	s->p++;
	return true;
}

static bool take_value(struct scan *s, struct gate_text *out)
{
	size_t depth = 0;
	const char *start;
	char c = peek(s);

	start = s->p;
	while (depth || (c != ',' && c != '}')) {
		if (!take_token(s, &depth))
			return false;
		out->len = (size_t)(s->p - start);
		c = peek(s);
	}
	out->data = start;
	return s->p > start;
}

static bool is_text(struct gate_text t, const char *s)
{
	return t.len == strlen(s) && memcmp(t.data, s, t.len) == 0;
}

/* One "key": value; found holds the values of keys[]. An escaped key might be any of them. */
static bool take_member(struct scan *s, struct gate_text *found)
{
	struct gate_text key, value = { NULL, 0 };

	if (peek(s) != '"' || !take_string(s, &key) || memchr(key.data, '\\', key.len) ||
	    peek(s) != ':')
		return false;
	s->p++;
	if (!take_value(s, &value))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!is_text(key, keys[i]))
			continue;
		if (found[i].data)
			return false;
		found[i] = value;
	}
	return true;
}

static bool scan_all(struct gate_text text, struct gate_text *found)
{
	struct scan s = { text.data, text.data + text.len };

	if (peek(&s) != '{')
		return false;
	for (s.p++; peek(&s) != '}'; s.p++) {
		if (!take_member(&s, found))
			return false;
		if (peek(&s) == '}')
			break;
		if (peek(&s) != ',')
			return false;
	}
	s.p++;
	return peek(&s) == '\0' && s.p == s.end;
}

bool gate_package_same(struct gate_text old, struct gate_text now)
{
	struct gate_text before[ARRAY_SIZE(keys)] = { { NULL, 0 } };
	struct gate_text after[ARRAY_SIZE(keys)] = { { NULL, 0 } };

	if (!scan_all(old, before) || !scan_all(now, after))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (before[i].len != after[i].len || !before[i].data != !after[i].data)
			return false;
		if (before[i].len && memcmp(before[i].data, after[i].data, before[i].len) != 0)
			return false;
	}
	return true;
}
