/*
 * alloc: memory that cannot fail. Out of memory ends the process here, in one
 * place (message on stderr, exit 128), so callers never check.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "base/base.h"

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size); /* n * size is overflow-checked */
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t max);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2); /* caller frees */

/* n + extra and n * size with overflow ending the process. */
size_t size_add(size_t a, size_t b);
size_t size_mul(size_t a, size_t b);

#endif
