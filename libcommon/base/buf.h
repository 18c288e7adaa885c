/*
 * buf: growing byte string for text that we make ourselves.
 *
 * Invariant: .data is never NULL and always NUL-terminated at .len; it may
 * hold NULs inside. For bytes from outside use base/rd.h, which has bounds.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/base.h"

struct buf {
	char *data;
	size_t len;
	size_t cap; /* 0: data points to a shared empty string */
};

extern const char buf_empty[1]; /* never written: cap is 0 */
#define BUF_INIT { .data = (char *)(uintptr_t)buf_empty, .len = 0, .cap = 0 }
#define BUF_AUTO __attribute__((cleanup(buf_release))) struct buf

void buf_release(struct buf *b); /* frees; b is usable again as BUF_INIT */
void buf_reset(struct buf *b);	 /* empties, keeps the memory */
void buf_grow(struct buf *b, size_t extra);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_fmt(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vfmt(struct buf *b, const char *fmt, va_list ap);
void buf_pad(struct buf *b, char c, size_t n); /* appends c n times */
void buf_truncate(struct buf *b, size_t len);

/* Hands the malloc'd string to the caller; b becomes BUF_INIT. */
char *buf_detach(struct buf *b);

#endif
