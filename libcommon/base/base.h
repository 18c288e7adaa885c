/*
 * base: the few things every file needs. Included first by every .c.
 *
 * Not a grab-bag: a helper belongs to a named module (buf, num, strv, ...).
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/banned.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define NORETURN __attribute__((noreturn))

/* A mistake of ours, never of the world's: says where, then abort(). */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
NORETURN void bug_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
