#include "base/base.h"

#include <stdarg.h>

#include "base/alloc.h"
#include "base/exit.h"

NORETURN static void out_of_memory(void)
{
	static const char text[] = "fatal: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)ignored;
	_exit(EXIT_FATAL);
}

/* malloc(0) may give NULL, which would look like a failure. */
static void *checked(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	size_t all = size_mul(n, size);

	return checked(calloc(all ? all : 1, 1));
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t max)
{
	return checked(strndup(s, max));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory();
	return s;
}

size_t size_add(size_t a, size_t b)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		out_of_memory();
	return sum;
}

size_t size_mul(size_t a, size_t b)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		out_of_memory();
	return product;
}
