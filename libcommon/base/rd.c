#include "base/base.h"

#include "base/rd.h"

struct rd rd_init(const void *data, size_t len)
{
	return (struct rd){ .p = data, .len = len };
}

const void *rd_bytes(struct rd *r, size_t n)
{
	const unsigned char *at = r->p;

	if (r->bad || n > r->len) {
		r->bad = true;
		return NULL;
	}
	r->p += n;
	r->len -= n;
	return at;
}

static uint64_t little_endian(struct rd *r, size_t n)
{
	const unsigned char *p = rd_bytes(r, n);
	uint64_t value = 0;

	for (size_t i = 0; p && i < n; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

uint8_t rd_u8(struct rd *r)
{
	return (uint8_t)little_endian(r, 1);
}

uint16_t rd_u16(struct rd *r)
{
	return (uint16_t)little_endian(r, 2);
}

uint32_t rd_u32(struct rd *r)
{
	return (uint32_t)little_endian(r, 4);
}

uint64_t rd_u64(struct rd *r)
{
	return little_endian(r, 8);
}

const char *rd_cstring(struct rd *r, size_t max)
{
	size_t look = r->len < max ? r->len : max + 1;
	const unsigned char *end = NULL;

	if (look > r->len)
		look = r->len;
	if (!r->bad && look)
		end = memchr(r->p, '\0', look);
	if (!end) {
		r->bad = true;
		return NULL;
	}
	return rd_bytes(r, (size_t)(end - r->p) + 1);
}

bool rd_done(const struct rd *r)
{
	return !r->bad && r->len == 0;
}
