#include "base/base.h"

#include "wire/json.h"

/* Our files nest three or four deep; more is an attack on the stack of whoever walks it. */
#define DEPTH_MAX 16

#define ERROR_SCHEMA 1

void json_auto_release(json_t **j)
{
	json_decref(*j);
	*j = NULL;
}

static bool too_deep(const json_t *j, unsigned int depth)
{
	json_t *container = (json_t *)(uintptr_t)j; /* iterators lack a const */
	const char *key;
	json_t *value;
	size_t i;

	if (!json_is_object(j) && !json_is_array(j))
		return false;
	if (depth == 0)
		return true;
	json_object_foreach(container, key, value) if (too_deep(value, depth - 1)) return true;
	json_array_foreach(container, i, value) if (too_deep(value, depth - 1)) return true;
	return false;
}

json_t *json_parse(const char *text, size_t len, size_t max, struct error *err)
{
	JSON_AUTO *j = NULL;
	json_error_t why;

	if (len > max) {
		error_set(err, ERR_CORRUPT, "JSON of more than %zu bytes", max);
		return NULL;
	}
	j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!j)
		error_set(err, ERR_CORRUPT, "not JSON: line %d: %s", why.line, why.text);
	else if (!json_is_object(j))
		error_set(err, ERR_CORRUPT, "JSON, but not an object");
	else if (too_deep(j, DEPTH_MAX))
		error_set(err, ERR_CORRUPT, "JSON nested deeper than %d", DEPTH_MAX);
	else
		return json_incref(j);
	return NULL;
}

static int wrong(struct error *err, const char *key, const char *what)
{
	return error_set(err, ERR_CORRUPT, "key '%s' is not %s", key, what);
}

/* Borrowed text of a string value, or NULL. */
static const char *text_of(const json_t *j, size_t max)
{
	const char *s = json_string_value(j);

	if (!s || json_string_length(j) > max || strlen(s) != json_string_length(j))
		return NULL;
	return s;
}

int json_str(const json_t *obj, const char *key, size_t max, const char **out, struct error *err)
{
	const char *s = text_of(json_object_get(obj, key), max);

	if (!s)
		return error_set(err, ERR_CORRUPT, "key '%s' is not a string of at most %zu bytes",
				 key, max);
	*out = s;
	return 0;
}

int json_u64(const json_t *obj, const char *key, uint64_t *out, struct error *err)
{
	const json_t *j = json_object_get(obj, key);

	if (!json_is_integer(j) || json_integer_value(j) < 0)
		return wrong(err, key, "a natural number");
	*out = (uint64_t)json_integer_value(j);
	return 0;
}

int json_flag(const json_t *obj, const char *key, bool *out, struct error *err)
{
	const json_t *j = json_object_get(obj, key);

	if (!json_is_boolean(j))
		return wrong(err, key, "true or false");
	*out = json_is_true(j);
	return 0;
}

int json_strv(const json_t *obj, const char *key, struct strv *out, struct error *err)
{
	const json_t *array = json_object_get(obj, key);
	const json_t *item;
	size_t i;

	if (!json_is_array(array))
		return wrong(err, key, "a list of strings");
	json_array_foreach(array, i, item) if (!text_of(item, SIZE_MAX)) return wrong(
		err, key, "a list of strings");
	json_array_foreach(array, i, item) strv_add(out, json_string_value(item));
	return 0;
}

static bool in_range(unsigned char c, unsigned char low, unsigned char high)
{
	return c >= low && c <= high;
}

/* Length of the UTF-8 character at p (NUL-terminated); 0 where it is none. RFC 3629, section 4. */
static size_t utf8_len(const unsigned char *p)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (in_range(p[0], 0xc2, 0xdf))
		len = 2;
	else if (in_range(p[0], 0xe0, 0xef))
		len = 3;
	else if (in_range(p[0], 0xf0, 0xf4))
		len = 4;
	else
		return 0;
	if (p[0] == 0xe0) /* no overlong forms, no surrogates, nothing above U+10FFFF */
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (!in_range(p[1], low, high))
		return 0;
	for (size_t i = 2; i < len; i++)
		if (!in_range(p[i], 0x80, 0xbf))
			return 0;
	return len;
}

json_t *json_text(const char *s)
{
	BUF_AUTO clean = BUF_INIT;
	json_t *j;

	while (*s) {
		size_t len = utf8_len((const unsigned char *)s);

		if (len)
			buf_add(&clean, s, len);
		else
			buf_str(&clean, "\xef\xbf\xbd");
		s += len ? len : 1;
	}
	j = json_stringn(clean.data, clean.len);
	if (!j)
		BUG("cannot make a JSON string of %zu bytes", clean.len);
	return j;
}

static int append(const char *data, size_t len, void *buf)
{
	buf_add(buf, data, len);
	return 0;
}

void json_canonical(const json_t *j, struct buf *out)
{
	if (json_dump_callback(j, append, out, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY) < 0)
		BUG("cannot write JSON");
}

void json_answer(json_t *j, int schema)
{
	JSON_AUTO *answer = json_pack("{s:i}", "schema", schema);
	BUF_AUTO text = BUF_INIT;

	if (!answer || json_object_update(answer, j) < 0 ||
	    json_dump_callback(answer, append, &text, JSON_INDENT(2)) < 0)
		BUG("cannot write JSON");
	buf_char(&text, '\n');
	fwrite(text.data, 1, text.len, stdout);
}

json_t *json_failure(const struct error *err, int exit_code)
{
	json_t *j = json_object();
	json_t *what = json_object();

	json_object_set_new(what, "kind", json_text(error_kind_name(err->kind)));
	json_object_set_new(what, "message", json_text(err->msg));
	json_object_set_new(what, "hint", err->hint[0] ? json_text(err->hint) : json_null());
	json_object_set_new(j, "error", what);
	json_object_set_new(j, "exit_code", json_integer(exit_code));
	return j;
}

void json_answer_error(const struct error *err, int exit_code)
{
	JSON_AUTO *j = json_failure(err, exit_code);

	json_answer(j, ERROR_SCHEMA);
}
