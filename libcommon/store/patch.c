#include "base/base.h"

#include "base/alloc.h"
#include "base/num.h"
#include "store/patch.h"

#define RAW_HEAD_MIN 14 /* ":100644 100644" */

/* git's stdio is the caller's. */
static int write_patch(const struct git_cmd *git, const char *base, const char *tree,
		       struct error *err)
{
	const char *const args[] = { "diff-tree",
				     "-p",
				     "--binary",
				     "--full-index",
				     "--no-renames",
				     "--no-color",
				     "--no-ext-diff",
				     "--no-textconv",
				     "--ignore-submodules=none",
				     "--submodule=short",
				     "--src-prefix=a/",
				     "--dst-prefix=b/",
				     "--unified=3",
				     "-O/dev/null", /* no order file of the operator's */
				     base,
				     tree,
				     "--",
				     NULL };
	struct git_cmd cmd = *git;

	cmd.args = args;
	return git_must(&cmd, err);
}

int patch_write(const struct git_cmd *git, const char *base, const char *tree, int fd,
		struct error *err)
{
	struct git_cmd cmd = *git;

	cmd.out_fd = &fd;
	return write_patch(&cmd, base, tree, err);
}

int patch_text(const struct git_cmd *git, const char *base, const char *tree, struct buf *out,
	       struct error *err)
{
	struct git_cmd cmd = *git;

	cmd.out = out;
	return write_patch(&cmd, base, tree, err);
}

void patch_list_release(struct patch_list *l)
{
	for (size_t i = 0; i < l->len; i++)
		buf_release(&l->v[i].path);
	free(l->v);
	*l = (struct patch_list)PATCH_LIST_INIT;
}

/* A position in NUL-terminated words. */
struct words {
	const char *p;
	const char *end;
};

/* The next word, or NULL. */
static const char *next(struct words *w)
{
	const char *word = w->p;
	const char *nul = word < w->end ? memchr(word, '\0', (size_t)(w->end - word)) : NULL;

	if (!nul)
		return NULL;
	w->p = nul + 1;
	return word;
}

/* ":100644 100755 <oid> <oid> M", then the path. */
static bool parse_raw(const char *head, const char *path, struct patch_list *l)
{
	struct patch_file f = { .path = BUF_INIT };
	const char *status = strrchr(head, ' ');

	if (!path || strlen(head) < RAW_HEAD_MIN || !git_mode_parse(head + 1, &f.old_mode) ||
	    head[7] != ' ' || !git_mode_parse(head + 8, &f.new_mode) ||
	    !strchr("ADMT", status[1]) || status[1] == '\0' || status[2] != '\0')
		return false;
	f.status = status[1];
	buf_str(&f.path, path);
	l->v = xrealloc(l->v, size_mul(size_add(l->len, 1), sizeof(*l->v)));
	l->v[l->len++] = f;
	return true;
}

static bool parse_count(const char *s, size_t len, uint64_t *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	buf_add(&text, s, len);
	return num_u64(text.data, 0, UINT64_MAX, out, &ignored) == 0;
}

static int by_path(const void *a, const void *b)
{
	const struct patch_file *one = a, *other = b;

	return strcmp(one->path.data, other->path.data);
}

static int to_path(const void *key, const void *elem)
{
	const struct patch_file *f = elem;

	return strcmp(key, f->path.data);
}

static struct patch_file *find(const struct patch_list *l, const char *path)
{
	return l->len ? bsearch(path, l->v, l->len, sizeof(*l->v), to_path) : NULL;
}

const struct patch_file *patch_find(const struct patch_list *l, const char *path)
{
	return find(l, path);
}

/* "12\t3\tpath", "-\t-\tpath" */
static bool parse_counts(const char *line, struct patch_list *l)
{
	const char *second = strchr(line, '\t');
	const char *path = second ? strchr(second + 1, '\t') : NULL;
	struct patch_file *f;

	f = path ? find(l, path + 1) : NULL;
	if (!f)
		return false;
	f->binary = line[0] == '-';
	if (f->binary)
		return true;
	if (!parse_count(line, (size_t)(second - line), &f->added) ||
	    !parse_count(second + 1, (size_t)(path - second - 1), &f->deleted))
		return false;
	l->added += f->added;
	l->deleted += f->deleted;
	return true;
}

static bool parse(struct words *w, struct patch_list *l)
{
	const char *word = next(w);

	for (; word && word[0] == ':'; word = next(w)) {
		if (!parse_raw(word, next(w), l))
			return false;
	}
	/* git sorts a directory as if its name ended in a slash. */
	if (l->len)
		qsort(l->v, l->len, sizeof(*l->v), by_path);
	for (; word; word = next(w)) {
		if (!parse_counts(word, l))
			return false;
	}
	return w->p == w->end;
}

int patch_list_parse(const char *text, size_t len, struct patch_list *out, struct error *err)
{
	struct patch_list l = PATCH_LIST_INIT;
	struct words w = { .p = text, .end = text + len };

	if (!parse(&w, &l)) {
		patch_list_release(&l);
		return error_set(err, ERR_CORRUPT,
				 "git diff-tree gave an answer that is not known");
	}
	*out = l;
	return 0;
}

int patch_list(const struct git_cmd *git, const char *base, const char *tree,
	       struct patch_list *out, struct error *err)
{
	const char *const args[] = { "diff-tree",
				     "-r",
				     "-z",
				     "--raw",
				     "--numstat",
				     "--no-renames",
				     "--no-abbrev",
				     "--no-ext-diff",
				     "--no-textconv",
				     "--ignore-submodules=none",
				     base,
				     tree,
				     "--",
				     NULL };
	struct git_cmd cmd = *git;
	BUF_AUTO text = BUF_INIT;

	cmd.args = args;
	cmd.out = &text;
	if (git_must(&cmd, err))
		return -1;
	return patch_list_parse(text.data, text.len, out, err);
}
