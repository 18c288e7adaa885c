#include "base/base.h"

#include "base/alloc.h"
#include "mason/roster.h"
#include "store/git.h"

#define CHAINS_MIN 256u

void roster_release(struct roster *t)
{
	buf_release(&t->names);
	free(t->v);
	free(t->chains);
	*t = (struct roster)ROSTER_INIT;
}

void picks_release(struct picks *p)
{
	free(p->v);
	*p = (struct picks)PICKS_INIT;
}

void picks_add(struct picks *p, uint32_t i)
{
	if (p->len == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		p->v = xrealloc(p->v, size_mul(p->cap, sizeof(*p->v)));
	}
	p->v[p->len++] = i;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool oid_parse(const char *hex, size_t oid_len, unsigned char *out)
{
	for (size_t i = 0; i < oid_len; i++) {
		int high = digit(hex[2 * i]);
		int low = high < 0 ? -1 : digit(hex[2 * i + 1]);

		if (low < 0)
			return false;
		out[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

void oid_hex(const unsigned char *oid, size_t oid_len, struct buf *out)
{
	static const char digits[] = "0123456789abcdef";

	buf_grow(out, 2 * oid_len);
	for (size_t i = 0; i < oid_len; i++) {
		buf_char(out, digits[oid[i] >> 4]);
		buf_char(out, digits[oid[i] & 15]);
	}
}

static uint32_t hash_of(const char *path)
{
	uint32_t h = 2166136261u;

	for (const unsigned char *p = (const unsigned char *)path; *p; p++)
		h = (h ^ *p) * 16777619u;
	return h;
}

void roster_index(struct roster *t)
{
	uint32_t want = CHAINS_MIN;

	while (want < t->len)
		want *= 2;
	free(t->chains);
	t->chains = xcalloc(want, sizeof(*t->chains));
	t->chains_len = want;
	memset(t->chains, 0xff, want * sizeof(*t->chains));
	for (uint32_t i = 0; i < t->len; i++) {
		uint32_t *head = &t->chains[t->v[i].hash & (want - 1)];

		t->v[i].next = *head;
		*head = i;
	}
}

const char *roster_path(const struct roster *t, uint32_t i)
{
	return t->names.data + t->v[i].path;
}

const char *roster_name(const struct roster *t, uint32_t i)
{
	const char *path = roster_path(t, i);
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t find_hashed(const struct roster *t, const char *path, uint32_t hash)
{
	uint32_t i = t->chains[hash & (t->chains_len - 1)];

	while (i != ROSTER_NONE && (t->v[i].hash != hash || strcmp(roster_path(t, i), path) != 0))
		i = t->v[i].next;
	return i;
}

uint32_t roster_find(const struct roster *t, const char *path)
{
	return find_hashed(t, path, hash_of(path));
}

void roster_reserve(struct roster *t, uint32_t len)
{
	if (len <= t->cap)
		return;
	t->cap = len;
	t->v = xrealloc(t->v, size_mul(t->cap, sizeof(*t->v)));
}

uint32_t roster_get(struct roster *t, const char *path, uint32_t parent)
{
	uint32_t hash = hash_of(path);
	uint32_t i = find_hashed(t, path, hash);

	if (i != ROSTER_NONE)
		return i;
	if (t->len == t->cap)
		roster_reserve(t, t->cap ? t->cap * 2 : CHAINS_MIN);
	i = t->len++;
	memset(&t->v[i], 0, sizeof(t->v[i]));
	t->v[i].path = (uint32_t)t->names.len;
	t->v[i].parent = parent;
	t->v[i].hash = hash;
	buf_add(&t->names, path, strlen(path) + 1);
	t->changed = true;
	if (t->len > t->chains_len) {
		roster_index(t);
	} else {
		t->v[i].next = t->chains[hash & (t->chains_len - 1)];
		t->chains[hash & (t->chains_len - 1)] = i;
	}
	return i;
}

void roster_begin(const char *base_tree, struct roster *out)
{
	struct entry *root;

	*out = (struct roster)ROSTER_INIT;
	out->oid_len = strlen(base_tree) / 2;
	roster_index(out);
	(void)roster_get(out, "", ROSTER_ROOT);
	root = &out->v[ROSTER_ROOT];
	root->flags = ENTRY_DIR | ENTRY_TAKEN;
	root->base_mode = root->mode = MODE_DIR;
	(void)oid_parse(base_tree, out->oid_len, root->base);
	memcpy(root->oid, root->base, sizeof(root->oid));
}

void roster_set(struct roster *t, uint32_t i, uint32_t mode, const unsigned char *oid)
{
	struct entry *e = &t->v[i];

	if (e->mode == mode && (!mode || memcmp(e->oid, oid, t->oid_len) == 0))
		return;
	e->mode = mode;
	memset(e->oid, 0, sizeof(e->oid));
	if (mode)
		memcpy(e->oid, oid, t->oid_len);
	t->changed = true;
	while (i != ROSTER_ROOT) {
		i = t->v[i].parent;
		if (t->v[i].flags & ENTRY_DIRTY)
			break;
		t->v[i].flags |= ENTRY_DIRTY;
	}
}

/* The directory of path, which ls-tree -t has named before. */
static uint32_t parent_of(const struct roster *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	BUF_AUTO dir = BUF_INIT;

	if (!slash)
		return ROSTER_ROOT;
	buf_add(&dir, path, (size_t)(slash - path));
	return roster_find(t, dir.data);
}

/* "<mode> <type> <oid>\t<path>" */
static bool add_line(struct roster *t, const char *line)
{
	const char *tab = strchr(line, '\t');
	const char *oid = tab ? tab - 2 * t->oid_len : NULL;
	unsigned char id[ROSTER_OID_MAX] = { 0 };
	struct entry *e;
	uint32_t mode, parent, i;

	if (!tab || oid < line + 9 || oid[-1] != ' ' || !tab[1] || !git_mode_parse(line, &mode) ||
	    line[6] != ' ' || !oid_parse(oid, t->oid_len, id))
		return false;
	parent = parent_of(t, tab + 1);
	if (parent == ROSTER_NONE)
		return false;
	i = roster_get(t, tab + 1, parent);
	e = &t->v[i];
	e->base_mode = e->mode = mode;
	memcpy(e->base, id, sizeof(id));
	memcpy(e->oid, id, sizeof(id));
	if (mode == MODE_DIR)
		e->flags = ENTRY_DIR;
	return true;
}

int roster_add_base(struct roster *t, const struct buf *text, struct error *err)
{
	for (size_t at = 0; at < text->len; at += strlen(text->data + at) + 1) {
		if (!add_line(t, text->data + at))
			return error_set(err, ERR_CORRUPT,
					 "git listed a tree in a form that is not known");
	}
	return 0;
}
