#include "base/base.h"

#include "base/alloc.h"
#include "mason/tree.h"

void tree_release(struct tree *t)
{
	buf_release(&t->text);
	free(t->v);
	t->v = NULL;
	t->len = t->cap = 0;
}

static bool parse_mode(const char *s, uint32_t *out)
{
	uint32_t mode = 0;

	for (int i = 0; i < 6; i++) {
		if (s[i] < '0' || s[i] > '7')
			return false;
		mode = mode << 3 | (uint32_t)(s[i] - '0');
	}
	*out = mode;
	return s[6] == ' ';
}

/* "<mode> <type> <oid>\t<path>", with NULs put where the oid ends. */
static bool parse_entry(char *line, struct tree_entry *e)
{
	char *tab = strchr(line, '\t');
	char *type = tab && parse_mode(line, &e->mode) ? line + 7 : NULL;
	char *oid = type ? strchr(type, ' ') : NULL;

	if (!oid || oid > tab || !tab[1])
		return false;
	*tab = '\0';
	e->oid = oid + 1;
	e->path = tab + 1;
	e->seen = false;
	return true;
}

static void add(struct tree *t, const struct tree_entry *e)
{
	if (t->len == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 256;
		t->v = xrealloc(t->v, size_mul(t->cap, sizeof(*t->v)));
	}
	t->v[t->len++] = *e;
}

int tree_parse(struct buf *text, struct tree *out, struct error *err)
{
	struct tree_entry e;

	out->text = *text;
	*text = (struct buf)BUF_INIT;
	for (size_t at = 0, next; at < out->text.len; at = next) {
		char *line = out->text.data + at;

		next = at + strlen(line) + 1;
		if (!parse_entry(line, &e) ||
		    (out->len && strcmp(out->v[out->len - 1].path, e.path) >= 0))
			return error_set(err, ERR_CORRUPT,
					 "git listed a tree in a form that is not known");
		add(out, &e);
	}
	return 0;
}

/* Index of the first entry that is not before path. */
static size_t lower_bound(const struct tree *t, const char *path)
{
	size_t low = 0, high = t->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(t->v[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct tree_entry *tree_find(const struct tree *t, const char *path)
{
	size_t i = lower_bound(t, path);

	return i < t->len && !strcmp(t->v[i].path, path) ? &t->v[i] : NULL;
}

bool tree_has_below(const struct tree *t, const char *path)
{
	BUF_AUTO dir = BUF_INIT;
	size_t i;

	buf_fmt(&dir, "%s/", path);
	i = lower_bound(t, dir.data);
	return i < t->len && !strncmp(t->v[i].path, dir.data, dir.len);
}
