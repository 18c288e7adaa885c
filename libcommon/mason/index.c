#include "base/base.h"

#include "base/rd.h"
#include "mason/index.h"

#define STAT_LEN 40 /* ctime, mtime, dev, ino, mode, uid, gid, size */
#define MODE_AT 24
#define INO_AT 20
#define SIZE_AT 36
#define FLAG_EXTENDED 0x4000
#define EXTENDED_SKIP 0x4000

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint64_t time_ns(const unsigned char *p)
{
	return (uint64_t)be32(p) * 1000000000u + be32(p + 4);
}

static int corrupt(struct error *err)
{
	return error_set(err, ERR_CORRUPT, "the index of the box cannot be read");
}

/* Entries are padded with 1 to 8 NULs to a multiple of eight bytes. */
static int read_entry(struct rd *r, size_t hash_len, struct index_entry *e)
{
	const unsigned char *start = r->p;
	const unsigned char *fixed = rd_bytes(r, STAT_LEN + hash_len + 2);
	const unsigned char *extended = NULL;
	size_t used;

	if (!fixed)
		return -1;
	if (be16(fixed + STAT_LEN + hash_len) & FLAG_EXTENDED) {
		extended = rd_bytes(r, 2);
		if (!extended)
			return -1;
	}
	e->mode = be32(fixed + MODE_AT);
	e->sig = (struct sig){ .size = be32(fixed + SIZE_AT),
			       .ino = be32(fixed + INO_AT),
			       .mtime_ns = time_ns(fixed + 8),
			       .ctime_ns = time_ns(fixed) };
	e->oid = fixed + STAT_LEN;
	e->skip = extended && (be16(extended) & EXTENDED_SKIP);
	e->path = (const char *)r->p;
	used = strnlen(e->path, r->len);
	if (used == r->len || used == 0)
		return -1;
	used += (size_t)(r->p - start);
	return rd_bytes(r, (used + 8) / 8 * 8 - (size_t)(r->p - start)) ? 0 : -1;
}

int index_each(const struct index_bytes *index,
	       void (*visit)(void *arg, const struct index_entry *e), void *arg, struct error *err)
{
	struct rd r = rd_init(index->data, index->len);
	const unsigned char *head = rd_bytes(&r, 12);
	struct index_entry e;

	if (!head || memcmp(head, "DIRC", 4) != 0 || (be32(head + 4) != 2 && be32(head + 4) != 3))
		return corrupt(err);
	for (uint32_t n = be32(head + 8); n > 0; n--) {
		e.stat_at = (size_t)(r.p - (const unsigned char *)index->data);
		if (read_entry(&r, index->hash_len, &e))
			return corrupt(err);
		visit(arg, &e);
	}
	return 0;
}
