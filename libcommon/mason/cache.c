#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "mason/cache.h"
#include "sys/fd.h"
#include "sys/file.h"

#define CACHE_FILE "cache"
#define CACHE_TEMP "cache.tmp"
#define CACHE_MAX (1u << 30)

struct head {
	char magic[8];
	uint32_t entry_size; /* another layout is another version */
	uint32_t oid_len;
	uint64_t sum; /* of all that follows the head */
	uint64_t trusted_before;
	uint64_t objects;
	uint32_t entries;
	uint32_t names;
	unsigned char packed[ROSTER_OID_MAX];
	char commit[72];
};

static const char magic[8] = "BOXSNAP";

void cache_release(struct cache *c)
{
	roster_release(&c->roster);
}

/* Against torn files, not against somebody: nobody else writes here. */
static uint64_t add_sum(uint64_t sum, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 29;
	}
	for (; len > 0; p++, len--)
		sum = (sum ^ *p) * 0x9e3779b97f4a7c15u;
	return sum;
}

static bool entry_ok(const struct roster *t, uint32_t i)
{
	const struct entry *e = &t->v[i];

	return e->path < t->names.len && (i == ROSTER_ROOT ? e->parent == 0 : e->parent < i) &&
	       !(e->flags & ~(uint32_t)ENTRY_STORED);
}

static bool parse(const struct buf *text, const char *commit, const char *base_tree,
		  struct cache *out)
{
	struct roster *t = &out->roster;
	struct head h;
	size_t entries;

	if (text->len < sizeof(h))
		return false;
	memcpy(&h, text->data, sizeof(h));
	entries = (size_t)h.entries * sizeof(struct entry);
	if (memcmp(h.magic, magic, sizeof(magic)) != 0 || h.entry_size != sizeof(struct entry) ||
	    h.oid_len != strlen(base_tree) / 2 || strlen(commit) >= sizeof(h.commit) ||
	    memcmp(h.commit, commit, strlen(commit) + 1) != 0 || h.entries == 0 || h.names == 0 ||
	    text->len != sizeof(h) + entries + h.names ||
	    add_sum(0, text->data + sizeof(h), text->len - sizeof(h)) != h.sum)
		return false;
	roster_begin(base_tree, t);
	buf_reset(&t->names);
	buf_add(&t->names, text->data + sizeof(h) + entries, h.names);
	roster_reserve(t, h.entries);
	memcpy(t->v, text->data + sizeof(h), entries);
	t->len = h.entries;
	for (uint32_t i = 0; i < t->len; i++) {
		if (!entry_ok(t, i))
			return false;
	}
	roster_index(t);
	t->changed = false;
	out->trusted_before = h.trusted_before;
	out->objects = h.objects;
	memcpy(out->packed, h.packed, sizeof(out->packed));
	return t->names.data[t->names.len - 1] == '\0';
}

bool cache_read(int snap_fd, const char *commit, const char *base_tree, struct cache *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	*out = (struct cache)CACHE_INIT;
	if (file_read(snap_fd, CACHE_FILE, CACHE_MAX, &text, &ignored) == 0 &&
	    parse(&text, commit, base_tree, out))
		return true;
	cache_release(out);
	*out = (struct cache)CACHE_INIT;
	return false;
}

static int write_temp(int snap_fd, const struct head *h, const struct roster *t, struct error *err)
{
	FD_AUTO fd = openat(snap_fd, CACHE_TEMP,
			    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_sys(err, errno, "cannot make " CACHE_TEMP);
	if (fd_write_full(fd, h, sizeof(*h), err) ||
	    fd_write_full(fd, t->v, t->len * sizeof(*t->v), err))
		return -1;
	return fd_write_full(fd, t->names.data, t->names.len, err);
}

int cache_write(int snap_fd, const char *commit, const struct cache *c, struct error *err)
{
	const struct roster *t = &c->roster;
	struct head h = { .entry_size = sizeof(struct entry),
			  .oid_len = (uint32_t)t->oid_len,
			  .trusted_before = c->trusted_before,
			  .objects = c->objects,
			  .entries = t->len,
			  .names = (uint32_t)t->names.len };

	memcpy(h.magic, magic, sizeof(magic));
	memcpy(h.packed, c->packed, sizeof(h.packed));
	(void)snprintf(h.commit, sizeof(h.commit), "%s", commit);
	for (uint32_t i = 0; i < t->len; i++)
		t->v[i].flags &= ENTRY_STORED;
	h.sum = add_sum(add_sum(0, t->v, t->len * sizeof(*t->v)), t->names.data, t->names.len);
	if (write_temp(snap_fd, &h, t, err))
		return -1;
	return renameat(snap_fd, CACHE_TEMP, snap_fd, CACHE_FILE) ?
		       error_sys(err, errno, "cannot give " CACHE_TEMP " its name") :
		       0;
}

bool cache_trusts(const struct cache *c, const struct sig *stored, const struct sig *now)
{
	return stored->size == now->size && stored->ino == now->ino &&
	       stored->mtime_ns == now->mtime_ns && stored->ctime_ns == now->ctime_ns &&
	       now->ctime_ns < c->trusted_before && now->mtime_ns < c->trusted_before;
}
