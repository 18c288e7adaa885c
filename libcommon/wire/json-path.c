#include "base/base.h"

#include "wire/json.h"

#define PATH_TEXT_MAX (3 * 4096) /* PATH_MAX bytes, each as %XX */

static bool stays(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '%';
}

json_t *json_path(const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	BUF_AUTO text = BUF_INIT;

	for (const char *p = path; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (stays(c)) {
			buf_char(&text, (char)c);
			continue;
		}
		buf_char(&text, '%');
		buf_char(&text, digits[c >> 4]);
		buf_char(&text, digits[c & 15]);
	}
	return json_text(text.data);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Strict: exactly what json_path() writes, so that two texts never mean one path. */
static bool decode(const char *text, struct buf *out)
{
	for (const char *p = text; *p; p++) {
		int c = (unsigned char)*p;

		if (c == '%') {
			int high = hex_value(p[1]);
			int low = high < 0 ? -1 : hex_value(p[2]);

			if (low < 0)
				return false;
			c = high << 4 | low;
			if (c == 0 || stays((unsigned char)c))
				return false;
			p += 2;
		} else if (!stays((unsigned char)c)) {
			return false;
		}
		buf_char(out, (char)c);
	}
	return true;
}

int json_path_get(const json_t *obj, const char *key, struct buf *out, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	const char *text;

	if (json_str(obj, key, PATH_TEXT_MAX, &text, err) < 0)
		return -1;
	if (!decode(text, &path))
		return error_set(err, ERR_CORRUPT, "'%s' is not an encoded path", key);
	buf_reset(out);
	buf_add(out, path.data, path.len);
	return 0;
}

json_t *json_pathv(const struct strv *paths)
{
	json_t *list = json_array();

	for (size_t i = 0; i < paths->len; i++)
		json_array_append_new(list, json_path(paths->v[i]));
	return list;
}

int json_pathv_get(const json_t *obj, const char *key, struct strv *out, struct error *err)
{
	STRV_AUTO texts = STRV_INIT;
	STRV_AUTO paths = STRV_INIT;

	if (json_strv(obj, key, &texts, err) < 0)
		return -1;
	for (size_t i = 0; i < texts.len; i++) {
		BUF_AUTO path = BUF_INIT;

		if (!decode(texts.v[i], &path))
			return error_set(err, ERR_CORRUPT,
					 "'%s' holds something that is not an encoded path", key);
		strv_add(&paths, path.data);
	}
	strv_add_all(out, strv_argv(&paths));
	return 0;
}
