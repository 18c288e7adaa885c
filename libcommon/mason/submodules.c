#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "base/strv.h"
#include "mason/checkout.h"
#include "mason/mason.h"
#include "sys/fd.h"
#include "sys/file.h"

/* Where one submodule is, and the call that works there. */
struct place {
	struct buf path;    /* in WORK */
	struct buf git_dir; /* absolute */
	struct buf index;
	struct buf work_tree;
	struct buf alternates; /* variable */
	const char *env[2];
	struct git_cmd git;
};
#define PLACE_INIT                                                                               \
	{                                                                                        \
		.path = BUF_INIT, .git_dir = BUF_INIT, .index = BUF_INIT, .work_tree = BUF_INIT, \
		.alternates = BUF_INIT                                                           \
	}
#define PLACE_AUTO __attribute__((cleanup(place_release))) struct place

static void place_release(struct place *p)
{
	buf_release(&p->path);
	buf_release(&p->git_dir);
	buf_release(&p->index);
	buf_release(&p->work_tree);
	buf_release(&p->alternates);
}

/* "a/b", or what is there of it. */
static void join(const char *a, const char *b, struct buf *out)
{
	buf_fmt(out, "%s%s%s", a, *a && *b ? "/" : "", b);
}

/* The box's own alternates are paths that are there only inside, so the stores come by variable. */
static void fill_place(const char *work, const char *path, const char *dir, const char *alternates,
		       struct place *p)
{
	buf_str(&p->path, path);
	buf_fmt(&p->work_tree, "%s%s%s", work, *path ? "/" : "", path);
	buf_fmt(&p->git_dir, "%s/../git%s%s", work, *dir ? "/" : "", dir);
	buf_fmt(&p->index, "%s/index", p->git_dir.data);
	buf_fmt(&p->alternates, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s", alternates);
	p->env[0] = p->alternates.data;
	p->env[1] = NULL;
	p->git = (struct git_cmd){ .git_dir = p->git_dir.data,
				   .work_tree = p->work_tree.data,
				   .index_file = p->index.data,
				   .cwd = p->work_tree.data,
				   .env = p->env };
}

static void place_of(const char *work, const struct mason_submodule *m, struct place *p)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO dir = BUF_INIT;

	join(m->parent_path, m->path, &path);
	join(m->parent_dir, "modules/", &dir);
	buf_str(&dir, m->name);
	fill_place(work, path.data, dir.data, m->alternates, p);
}

/* An empty directory, that the checkout of the parent made. */
static int check_empty(int work_fd, const char *path, struct error *err)
{
	FD_AUTO fd = file_open_beneath(work_fd, path, O_RDONLY | O_DIRECTORY, 0, err);

	if (fd < 0 && err->kind == ERR_NOTFOUND)
		return error_set(err, ERR_NOTFOUND, "the sparse checkout leaves it out");
	return fd < 0 ? -1 : 0;
}

/* Relative, so that it leads to the view's directory on the host: there is no such repository. */
static int write_link(int work_fd, const struct place *p, const struct mason_submodule *m,
		      struct error *err)
{
	BUF_AUTO file = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO dir = BUF_INIT;

	buf_fmt(&file, "%s/.git", p->path.data);
	join(m->parent_dir, "modules/", &dir);
	buf_str(&text, "gitdir: ");
	for (const char *s = file.data; (s = strchr(s, '/')) != NULL; s++)
		buf_str(&text, "../");
	buf_fmt(&text, ".git/%s%s\n", dir.data, m->name);
	return file_create(work_fd, file.data, (struct file_content){ text.data, text.len, 0644 },
			   err);
}

static int fill_one(int work_fd, const struct place *p, const struct mason_submodule *m,
		    struct buf *out, struct error *err)
{
	BUF_AUTO prefix = BUF_INIT;
	struct checkout_seen seen = { .out = out };

	buf_fmt(&prefix, "%s/", p->path.data);
	seen.prefix = prefix.data;
	if (check_empty(work_fd, p->path.data, err) ||
	    checkout_commit(&p->git, m->commit, &seen, err))
		return -1;
	return write_link(work_fd, p, m, err);
}

static void empty_again(const struct place *p)
{
	struct error ignored = ERROR_INIT;

	(void)mason_remove(p->work_tree.data, &ignored);
	(void)mason_remove(p->git_dir.data, &ignored);
}

static void answer(const char *word, const char *path, const char *why, struct buf *out)
{
	buf_fmt(out, "%s ", word);
	git_quote(path, out);
	buf_fmt(out, "%s%.*s\n", *why ? " " : "", (int)strcspn(why, "\n"), why);
}

struct filling {
	const char *work;
	int work_fd;
	const struct mason_submodule *v;
	size_t len;
	struct strv done; /* paths in WORK */
};

/* One that fails does not keep the others. */
static void fill(struct filling *f, const struct mason_submodule *m, struct buf *out)
{
	PLACE_AUTO p = PLACE_INIT;
	BUF_AUTO lines = BUF_INIT;
	struct error why = ERROR_INIT;

	if (*m->parent_path && !strv_has(&f->done, m->parent_path))
		return;
	place_of(f->work, m, &p);
	if (fill_one(f->work_fd, &p, m, &lines, &why)) {
		empty_again(&p);
		answer("failed", p.path.data, why.msg, out);
		return;
	}
	strv_add(&f->done, p.path.data);
	answer("done", p.path.data, "", out);
	buf_add(out, lines.data, lines.len);
}

/* git inside looks at those that were filled, in the index of what they lie in: `in`, or the box's.
 */
static int look_below(const struct filling *f, const struct mason_submodule *in, struct error *err)
{
	PLACE_AUTO p = PLACE_INIT;
	BUF_AUTO paths = BUF_INIT;
	BUF_AUTO view = BUF_INIT;

	if (in) {
		place_of(f->work, in, &p);
	} else {
		fill_place(f->work, "", "", "", &p);
		buf_fmt(&view, "%s/.git", f->work);
		p.git.git_dir = view.data;
	}
	for (size_t i = 0; i < f->len; i++) {
		const struct mason_submodule *m = &f->v[i];
		BUF_AUTO path = BUF_INIT;

		join(m->parent_path, m->path, &path);
		if (!strcmp(m->parent_path, p.path.data) && strv_has(&f->done, path.data))
			buf_add(&paths, m->path, strlen(m->path) + 1);
	}
	return checkout_look_at(&p.git, true, &paths, err);
}

static bool is_done(const struct filling *f, const struct mason_submodule *m)
{
	BUF_AUTO path = BUF_INIT;

	join(m->parent_path, m->path, &path);
	return strv_has(&f->done, path.data);
}

int mason_submodules(const char *work, const struct mason_submodule *v, size_t len, struct buf *out,
		     struct error *err)
{
	FD_AUTO work_fd = open(work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct filling f = {
		.work = work, .work_fd = work_fd, .v = v, .len = len, .done = STRV_INIT
	};
	int rc;

	if (work_fd < 0)
		return error_sys(err, errno, "cannot open '%s'", work);
	for (size_t i = 0; i < len; i++)
		fill(&f, &v[i], out);
	rc = look_below(&f, NULL, err);
	for (size_t i = 0; !rc && i < len; i++)
		rc = is_done(&f, &v[i]) ? look_below(&f, &v[i], err) : 0;
	strv_release(&f.done);
	return rc;
}
