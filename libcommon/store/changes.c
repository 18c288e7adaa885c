#include "base/base.h"

#include "base/alloc.h"
#include "store/changes.h"

void change_list_release(struct change_list *l)
{
	buf_release(&l->text);
	free(l->v);
	*l = (struct change_list)CHANGE_LIST_INIT;
}

static bool parse_oid(char *s, char end)
{
	size_t len = strspn(s, "0123456789abcdef");

	if ((len != 40 && len != 64) || s[len] != end)
		return false;
	s[len] = '\0';
	return true;
}

/* ":<mode> <mode> <oid> <oid> <status>" */
static bool parse_head(char *s, struct change *c)
{
	char *old_oid = s + 15, *new_oid;

	if (strlen(s) < 15 || s[0] != ':' || !git_mode_parse(s + 1, &c->old_mode) || s[7] != ' ' ||
	    !git_mode_parse(s + 8, &c->new_mode) || s[14] != ' ' || !parse_oid(old_oid, ' '))
		return false;
	new_oid = old_oid + strlen(old_oid) + 1;
	if (!parse_oid(new_oid, ' ') || strlen(new_oid) != strlen(old_oid))
		return false;
	c->old_oid = old_oid;
	c->new_oid = new_oid;
	c->status = new_oid[strlen(new_oid) + 1];
	return c->status && strchr("ADMTU", c->status) && !new_oid[strlen(new_oid) + 2];
}

static int by_path(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static bool parse(struct change_list *l)
{
	size_t cap = 0;
	char *end = l->text.data + l->text.len;

	for (char *p = l->text.data; p < end;) {
		struct change c;
		char *path = p + strlen(p) + 1;

		if (path >= end || !*path || !parse_head(p, &c))
			return false;
		c.path = path;
		p = path + strlen(path) + 1;
		if (l->len == cap) {
			cap = cap ? cap * 2 : 64;
			l->v = xrealloc(l->v, size_mul(cap, sizeof(*l->v)));
		}
		l->v[l->len++] = c;
	}
	/* git sorts a directory as if it ended in a slash. */
	if (l->len)
		qsort(l->v, l->len, sizeof(*l->v), by_path);
	return true;
}

int changes_parse(struct buf *text, struct change_list *out, struct error *err)
{
	out->text = *text;
	*text = (struct buf)BUF_INIT;
	if (!parse(out))
		return error_set(err, ERR_CORRUPT, "git listed changes in a form not known");
	return 0;
}

int changes_between(const struct git_cmd *git, const char *from, const char *to,
		    struct change_list *out, struct error *err)
{
	/* Whatever a .gitmodules says, a submodule that moved is listed. */
	const char *const args[] = { "diff-tree",
				     "-r",
				     "-z",
				     "--raw",
				     "--no-renames",
				     "--no-abbrev",
				     "--ignore-submodules=none",
				     from,
				     to,
				     NULL };
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = *git;

	cmd.args = args;
	cmd.out = &text;
	return git_must(&cmd, err) || changes_parse(&text, out, err) ? -1 : 0;
}

const struct change *changes_find(const struct change_list *l, const char *path)
{
	const struct change key = { .path = path };

	return l->len ? bsearch(&key, l->v, l->len, sizeof(*l->v), by_path) : NULL;
}
