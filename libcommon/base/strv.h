/*
 * strv: growing vector of owned strings, always NULL-terminated, so .v is
 * usable as argv or envp.
 */
#ifndef BASE_STRV_H
#define BASE_STRV_H

#include "base/base.h"

struct strv {
	char **v; /* NULL only while len is 0 and nothing was added */
	size_t len;
	size_t cap;
};

#define STRV_INIT { .v = NULL, .len = 0, .cap = 0 }
#define STRV_AUTO __attribute__((cleanup(strv_release))) struct strv

void strv_release(struct strv *s);
void strv_add(struct strv *s, const char *str); /* copies */
void strv_addf(struct strv *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strv_take(struct strv *s, char *str);	      /* takes ownership */
void strv_add_all(struct strv *s, const char *const *strs); /* NULL-terminated; copies */
bool strv_has(const struct strv *s, const char *str);
void strv_sort(struct strv *s); /* bytewise */

/* .v for exec-like calls: never NULL. */
const char *const *strv_argv(const struct strv *s);

#endif
