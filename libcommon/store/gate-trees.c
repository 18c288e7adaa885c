/*
 * Trees: what a tree object says that `diff-tree` does not show.
 */
#include "base/base.h"

#include <strings.h>

#include "base/alloc.h"
#include "store/gate-parts.h"

struct entry {
	const char *mode; /* as written, ends with a blank */
	const char *name;
	size_t key;		     /* offset of its folded name in dir.keys */
	const struct change *change; /* NULL: the base has the very same */
};

struct dir {
	const struct gate_tree *tree;
	struct gate_report *report;
	struct buf keys; /* NUL-terminated ones */
	struct entry *v;
	size_t len, cap;
	size_t fresh;
};

/* New, or of another kind than before. */
static bool is_fresh(const struct entry *e)
{
	return e->change && e->change->old_mode >> 12 != e->change->new_mode >> 12;
}

static void say(const struct dir *d, enum gate_rule rule, const char *name, const char *more)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "%s%s", d->tree->prefix, name);
	gate_add(d->report, rule, path.data, more);
}

/* What became of that path, where a file made room for a directory, too. */
static const struct change *find_new(const struct change_list *l, const char *path)
{
	const struct change *c = changes_find(l, path);

	if (!c || c->new_mode)
		return c;
	if (c > l->v && strcmp(c[-1].path, path) == 0)
		c--;
	else if (c + 1 < l->v + l->len && strcmp(c[1].path, path) == 0)
		c++;
	return c->new_mode ? c : NULL;
}

static void add(struct dir *d, const char *mode, const char *name)
{
	BUF_AUTO path = BUF_INIT;
	struct entry e = { .mode = mode, .name = name };

	buf_fmt(&path, "%s%s", d->tree->prefix, name);
	e.change = find_new(d->tree->changes, path.data);
	d->fresh += is_fresh(&e);
	if (d->len == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 64;
		d->v = xrealloc(d->v, size_mul(d->cap, sizeof(*d->v)));
	}
	d->v[d->len++] = e;
}

/* "<mode> <name>\0<id>", as often as it fits. */
static bool parse(struct dir *d)
{
	const char *p = d->tree->content.data;
	const char *end = p + d->tree->content.len;

	while (p < end) {
		const char *zero = memchr(p, '\0', (size_t)(end - p));
		const char *blank = zero ? memchr(p, ' ', (size_t)(zero - p)) : NULL;

		if (!blank || blank == p || (size_t)(end - zero - 1) < d->tree->hex / 2)
			return false;
		add(d, p, blank + 1);
		p = zero + 1 + d->tree->hex / 2;
	}
	return true;
}

static bool mode_is_known(const char *mode)
{
	static const char *const known[] = { "40000 ", "100644 ", "100755 ", "120000 ", "160000 " };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strncmp(mode, known[i], strlen(known[i])) == 0)
			return true;
	}
	return false;
}

static void check_entries(const struct dir *d)
{
	for (size_t i = 0; i < d->len; i++) {
		const struct entry *e = &d->v[i];

		if (strchr(e->name, '/') || !*e->name)
			say(d, RULE_NAME_PARTS, e->name, NULL);
		if (e->change && !mode_is_known(e->mode))
			say(d, RULE_MODE, e->name, NULL);
	}
}

static bool has(const struct dir *d, const char *name, bool *changed)
{
	for (size_t i = 0; i < d->len; i++) {
		if (strcasecmp(d->v[i].name, name) != 0)
			continue;
		*changed |= d->v[i].change != NULL;
		return true;
	}
	return false;
}

/* git takes a directory for a repository that has these; at the top .git comes first. */
static void check_repository(const struct dir *d)
{
	bool changed = false;
	bool found = has(d, "HEAD", &changed) &&
		     (has(d, "commondir", &changed) ||
		      (has(d, "objects", &changed) && has(d, "refs", &changed)));
	BUF_AUTO path = BUF_INIT;

	buf_str(&path, d->tree->prefix);
	if (!found || !changed || path.len == 0)
		return;
	buf_truncate(&path, path.len - 1);
	gate_add(d->report, RULE_FLAG_REPOSITORY, path.data, NULL);
}

static int by_key(const void *left, const void *right, void *keys)
{
	const struct entry *a = left, *b = right;
	const char *text = keys;
	int order = strcmp(text + a->key, text + b->key);

	return order ? order : strcmp(a->name, b->name);
}

/* A link or a submodule of that name would be what the other name leads through. */
static bool is_detour(const struct entry *e)
{
	return strncmp(e->mode, "12", 2) == 0 || strncmp(e->mode, "16", 2) == 0;
}

static void clash(const struct dir *d, const struct entry *a, const struct entry *b)
{
	const struct entry *fresh = is_fresh(b) ? b : a;
	const struct entry *other = fresh == b ? a : b;
	enum gate_rule rule = RULE_FLAG_CASE;
	BUF_AUTO more = BUF_INIT;

	if ((is_fresh(a) && is_fresh(b)) || is_detour(a) || is_detour(b))
		rule = RULE_NAME_CASE;
	if (strcmp(a->name, b->name) == 0)
		rule = RULE_NAME_TWICE;
	buf_fmt(&more, "the other is '%s'", other->name);
	say(d, rule, fresh->name, more.data);
}

/* Every fresh name against one other of its key; two of the base are the base's business. */
static void check_clashes(const struct dir *d)
{
	for (size_t i = 0, n; i < d->len; i += n) {
		const char *key = d->keys.data + d->v[i].key;
		size_t old = i;

		for (n = 1; i + n < d->len && strcmp(d->keys.data + d->v[i + n].key, key) == 0; n++)
			;
		while (old < i + n && is_fresh(&d->v[old]))
			old++;
		old = old < i + n ? old : i;
		for (size_t j = i; j < i + n; j++) {
			if (j != old && is_fresh(&d->v[j]))
				clash(d, &d->v[old], &d->v[j]);
		}
	}
}

static void find_clashes(struct dir *d)
{
	for (size_t i = 0; i < d->len; i++) {
		d->v[i].key = d->keys.len;
		gate_fold(d->v[i].name, &d->keys);
		buf_char(&d->keys, '\0');
	}
	qsort_r(d->v, d->len, sizeof(*d->v), by_key, d->keys.data);
	check_clashes(d);
}

void gate_tree_check(const struct gate_tree *t, struct gate_report *out)
{
	struct dir d = { .tree = t, .report = out, .keys = BUF_INIT };

	if (parse(&d)) {
		check_entries(&d);
		check_repository(&d);
		if (d.fresh)
			find_clashes(&d);
	} else {
		say(&d, RULE_TREE, "", NULL);
	}
	buf_release(&d.keys);
	free(d.v);
}
