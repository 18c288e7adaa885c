#include "base/base.h"

#include "base/alloc.h"
#include "base/buf.h"

const char buf_empty[1] = "";

void buf_release(struct buf *b)
{
	if (b->cap)
		free(b->data);
	*b = (struct buf)BUF_INIT;
}

void buf_reset(struct buf *b)
{
	buf_truncate(b, 0);
}

void buf_grow(struct buf *b, size_t extra)
{
	size_t need = size_add(size_add(b->len, extra), 1);
	size_t cap;

	if (need <= b->cap)
		return;
	cap = size_add(b->cap, b->cap / 2);
	if (cap < need)
		cap = need;
	if (cap < 64)
		cap = 64;
	b->data = xrealloc(b->cap ? b->data : NULL, cap);
	b->cap = cap;
	b->data[b->len] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (!len)
		return;
	buf_grow(b, len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(b, fmt, ap);
	va_end(ap);
}

void buf_vfmt(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n < 0)
		BUG("format '%s'", fmt);
	buf_grow(b, (size_t)n);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	va_end(again);
	b->len += (size_t)n;
}

void buf_pad(struct buf *b, char c, size_t n)
{
	if (!n)
		return;
	buf_grow(b, n);
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_truncate(struct buf *b, size_t len)
{
	if (len > b->len)
		BUG("truncate %zu bytes to %zu", b->len, len);
	b->len = len;
	if (b->cap)
		b->data[len] = '\0';
}

char *buf_detach(struct buf *b)
{
	char *s;

	buf_grow(b, 0);
	s = b->data;
	*b = (struct buf)BUF_INIT;
	return s;
}
