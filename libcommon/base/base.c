#include "base/base.h"

#include <stdarg.h>

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	/* The one place besides alloc where the library speaks: there is nobody left to tell. */
	fprintf(stderr, "BUG: %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
