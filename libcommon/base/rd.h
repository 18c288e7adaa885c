/*
 * rd: a cursor over borrowed bytes from outside. Every read is bounds-checked;
 * the first failure sticks, later reads give zero, so callers may read a whole
 * record and ask rd_done() once.
 */
#ifndef BASE_RD_H
#define BASE_RD_H

#include "base/base.h"

struct rd {
	const unsigned char *p;
	size_t len; /* bytes left */
	bool bad;
};

struct rd rd_init(const void *data, size_t len);
uint8_t rd_u8(struct rd *r);
uint16_t rd_u16(struct rd *r); /* little endian, as all our frames */
uint32_t rd_u32(struct rd *r);
uint64_t rd_u64(struct rd *r);

/* n bytes, borrowed, or NULL (and bad) where fewer are left. */
const void *rd_bytes(struct rd *r, size_t n);

/* A NUL-terminated string of at most max bytes without its NUL; NULL and bad otherwise. */
const char *rd_cstring(struct rd *r, size_t max);

/* True where nothing failed and nothing is left: trailing bytes are an error. */
bool rd_done(const struct rd *r);

#endif
