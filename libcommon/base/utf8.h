/*
 * utf8: walking text that may not be UTF-8, and how wide it is on a terminal.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/base.h"

#define UTF8_BAD UINT32_MAX

/*
 * Decodes the character at s (len > 0 bytes left) into *cp; returns the bytes
 * it takes. An invalid, overlong or surrogate sequence gives UTF8_BAD and 1.
 */
size_t utf8_next(const char *s, size_t len, uint32_t *cp);

/* Columns of one character: 0, 1 or 2. Its own small table: no locale is ever loaded. */
unsigned utf8_width(uint32_t cp);

/* Columns of a whole string. */
size_t utf8_columns(const char *s, size_t len);

#endif
