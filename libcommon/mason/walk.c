#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "mason/walk.h"
#include "store/dotgit.h"
#include "sys/fd.h"
#include "sys/file.h"

#define KIND_DIR 1u /* not a mode that a file of a tree can have */

/* One level of the tree at a time, so that git is asked once a level and ignored directories are
 * never entered. */
struct level {
	struct walk_result found;  /* of base: taken as they are */
	struct walk_result others; /* not of base: git is asked */
};

struct walk {
	int work_fd;
	const struct tree *base;
	const struct git_cmd *ignore;
	struct walk_result *out;
	struct strv dirs; /* to be listed next */
};

void walk_result_release(struct walk_result *w)
{
	for (size_t i = 0; i < w->len; i++)
		free(w->v[i].path);
	free(w->v);
	*w = (struct walk_result){ .v = NULL };
}

static void add(struct walk_result *w, const char *path, uint32_t mode)
{
	if (w->len == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 64;
		w->v = xrealloc(w->v, size_mul(w->cap, sizeof(*w->v)));
	}
	w->v[w->len++] = (struct walk_file){ .path = xstrdup(path), .mode = mode };
}

/* Mode as a tree has it, KIND_DIR, or 0 for what is left out. */
static uint32_t classify(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return 0120000;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode))
		return KIND_DIR;
	return st->st_mode & S_IXUSR ? 0100755 : 0100644;
}

bool stat_readable(const struct stat *st)
{
	mode_t want = S_ISDIR(st->st_mode) ? S_IRUSR | S_IXUSR : S_IRUSR;

	return (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)) || (st->st_mode & want) == want;
}

static bool is_base(const struct walk *w, const char *path, uint32_t mode)
{
	return mode == KIND_DIR ? tree_has_below(w->base, path) : tree_find(w->base, path) != NULL;
}

/* True where the entry is done with: counted as left out, or the directory of a submodule. */
static bool left_out(struct walk *w, const char *name, const char *path, uint32_t mode)
{
	struct tree_entry *e = mode == KIND_DIR ? tree_find(w->base, path) : NULL;

	if (name_is_dotgit(name) || (mode == 0120000 && name_is_gitmodules(name))) {
		/* The view at the top is ours. */
		w->out->dotgit += strcmp(path, ".git") != 0;
		return true;
	}
	if (mode == 0) {
		w->out->special++;
		return true;
	}
	if (!e || e->mode != 0160000)
		return false;
	e->seen = true;
	return true;
}

static void visit(struct walk *w, int dirfd, const char *dir, const char *name, struct level *l)
{
	BUF_AUTO path = BUF_INIT;
	struct stat st;
	uint32_t mode;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	buf_fmt(&path, "%s%s%s", dir, *dir ? "/" : "", name);
	mode = classify(&st);
	if (!stat_readable(&st)) {
		w->out->unreadable++;
		return;
	}
	if (!left_out(w, name, path.data, mode))
		add(is_base(w, path.data, mode) ? &l->found : &l->others, path.data, mode);
}

static int list_dir(struct walk *w, const char *dir, struct level *l, struct error *err)
{
	int fd = file_open_beneath(w->work_fd, *dir ? dir : ".",
				   O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0, err);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		fd_close(&fd);
		if (err->sys != ENAMETOOLONG)
			return error_wrap(err, "cannot list the work tree of the box");
		*err = (struct error)ERROR_INIT;
		w->out->too_long++;
		return 0;
	}
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			visit(w, dirfd(d), dir, e->d_name, l);
	}
	closedir(d);
	return 0;
}

/* Those that .gitignore and the like exclude, NUL-terminated back to back in the order of the
 * question. */
static int ask_ignored(const struct walk *w, const struct walk_result *others, struct buf *ignored,
		       struct error *err)
{
	static const char *const args[] = { "check-ignore", "-z", "--stdin", "--no-index", NULL };
	static const char *const env[] = { "GIT_LITERAL_PATHSPECS=0", NULL };
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct git_cmd cmd = *w->ignore;
	int code;

	for (size_t i = 0; i < others->len; i++) {
		buf_str(&in, "./"); /* no name is taken for pathspec magic */
		buf_add(&in, others->v[i].path, strlen(others->v[i].path) + 1);
	}
	cmd.args = args;
	cmd.env = env;
	cmd.in = in.data;
	cmd.in_len = in.len;
	cmd.out = ignored;
	cmd.errout = &errout;
	if (git_run(&cmd, &code, err))
		return -1;
	return code > 1 ? git_failed(args[0], code, &errout, err) : 0;
}

static void take(struct walk *w, const struct walk_file *f)
{
	if (f->mode == KIND_DIR)
		strv_add(&w->dirs, f->path);
	else
		add(w->out, f->path, f->mode);
}

static int take_level(struct walk *w, const struct level *l, struct error *err)
{
	BUF_AUTO ignored = BUF_INIT;
	size_t at = 0;

	for (size_t i = 0; i < l->found.len; i++)
		take(w, &l->found.v[i]);
	if (l->others.len && ask_ignored(w, &l->others, &ignored, err))
		return -1;
	for (size_t i = 0; i < l->others.len; i++) {
		if (at < ignored.len && !strcmp(ignored.data + at + 2, l->others.v[i].path))
			at += strlen(ignored.data + at) + 1;
		else
			take(w, &l->others.v[i]);
	}
	return at == ignored.len ?
		       0 :
		       error_set(err, ERR_PEER, "git check-ignore answered out of order");
}

static int walk_level(struct walk *w, struct error *err)
{
	struct strv dirs = w->dirs;
	struct level l = { .found = { .v = NULL } };
	int rc = 0;

	w->dirs = (struct strv)STRV_INIT;
	for (size_t i = 0; !rc && i < dirs.len; i++)
		rc = list_dir(w, dirs.v[i], &l, err);
	if (!rc)
		rc = take_level(w, &l, err);
	strv_release(&dirs);
	walk_result_release(&l.found);
	walk_result_release(&l.others);
	return rc;
}

int walk_list(int work_fd, const struct tree *base, const struct git_cmd *ignore,
	      struct walk_result *out, struct error *err)
{
	struct walk w = {
		.work_fd = work_fd, .base = base, .ignore = ignore, .out = out, .dirs = STRV_INIT
	};
	int rc = 0;

	strv_add(&w.dirs, "");
	while (!rc && w.dirs.len)
		rc = walk_level(&w, err);
	strv_release(&w.dirs);
	return rc;
}
