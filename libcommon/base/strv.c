#include "base/base.h"

#include <stdarg.h>

#include "base/alloc.h"
#include "base/strv.h"

void strv_release(struct strv *s)
{
	for (size_t i = 0; i < s->len; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct strv)STRV_INIT;
}

void strv_take(struct strv *s, char *str)
{
	if (s->cap < size_add(s->len, 2)) {
		s->cap = size_add(size_mul(s->cap, 2), 8);
		s->v = xrealloc(s->v, size_mul(s->cap, sizeof(*s->v)));
	}
	s->v[s->len++] = str;
	s->v[s->len] = NULL;
}

void strv_add(struct strv *s, const char *str)
{
	strv_take(s, xstrdup(str));
}

void strv_addf(struct strv *s, const char *fmt, ...)
{
	va_list ap;
	char *str;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&str, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("format '%s'", fmt);
	strv_take(s, str);
}

void strv_add_all(struct strv *s, const char *const *strs)
{
	for (; *strs; strs++)
		strv_add(s, *strs);
}

bool strv_has(const struct strv *s, const char *str)
{
	for (size_t i = 0; i < s->len; i++)
		if (strcmp(s->v[i], str) == 0)
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	const char *const *left = a;
	const char *const *right = b;

	return strcmp(*left, *right);
}

void strv_sort(struct strv *s)
{
	if (s->len)
		qsort(s->v, s->len, sizeof(*s->v), compare);
}

const char *const *strv_argv(const struct strv *s)
{
	static const char *const none[] = { NULL };

	return s->v ? (const char *const *)s->v : none;
}
