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

#define REPOSITORIES_MAX 64
#define IGNORE_TIMEOUT_MS 30000 /* somebody may swap what git opens for a FIFO */

/* One name as it is now. */
struct item {
	uint32_t entry;
	uint32_t mode; /* as a tree has it; MODE_DIR for a directory */
	struct sig sig;
};

/* One level of the tree at a time, so that git is asked once a level and ignored directories are
 * never entered. */
struct level {
	struct item *v;
	size_t len;
	size_t cap;
};

struct walk {
	const struct walk_how *how;
	struct cache *c;
	struct roster *t;
	struct walk_result *out;
	struct picks dirs;  /* to be listed next */
	struct buf path;    /* of the entry at hand */
	size_t dir_len;	    /* how much of it is the directory's, with its slash */
	bool rules_changed; /* of .gitignore: what git said before does not count */
	bool attributes_changed;
	bool blocked; /* path is what git would open and wait at */
};

void walk_result_release(struct walk_result *w)
{
	free(w->v);
	picks_release(&w->attributes);
	strv_release(&w->repositories);
	*w = (struct walk_result){ .v = NULL };
}

static void add_file(struct walk_result *w, uint32_t entry, uint32_t mode)
{
	if (w->len == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 64;
		w->v = xrealloc(w->v, size_mul(w->cap, sizeof(*w->v)));
	}
	w->v[w->len++] = (struct walk_file){ .entry = entry, .mode = mode };
}

static void add_item(struct level *l, const struct item *item)
{
	if (l->len == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->v = xrealloc(l->v, size_mul(l->cap, sizeof(*l->v)));
	}
	l->v[l->len++] = *item;
}

bool stat_readable(const struct stat *st)
{
	mode_t want = S_ISDIR(st->st_mode) ? S_IRUSR | S_IXUSR : S_IRUSR;

	return (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)) || (st->st_mode & want) == want;
}

/* Mode as a tree has it, MODE_DIR, or 0 for what is left out. */
static uint32_t classify(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return MODE_LINK;
	if (S_ISDIR(st->st_mode))
		return MODE_DIR;
	if (!S_ISREG(st->st_mode))
		return 0;
	return st->st_mode & S_IXUSR ? 0100755 : 0100644;
}

static uint64_t time_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static struct sig sig_of(const struct stat *st)
{
	return (struct sig){ .size = (uint32_t)st->st_size,
			     .ino = (uint32_t)st->st_ino,
			     .mtime_ns = time_ns(&st->st_mtim),
			     .ctime_ns = time_ns(&st->st_ctim) };
}

static bool is_base(const struct entry *e, uint32_t mode)
{
	if (mode == MODE_DIR)
		return e->base_mode == MODE_DIR;
	return e->base_mode != 0 && e->base_mode != MODE_DIR;
}

static bool was_same_kind(const struct entry *e, uint32_t mode)
{
	return (e->flags & (ENTRY_TAKEN | ENTRY_IGNORED)) &&
	       ((e->flags & ENTRY_DIR) != 0) == (mode == MODE_DIR);
}

static bool is_known(const struct walk *w, const struct entry *e, const struct item *now)
{
	return w->how->trust && was_same_kind(e, now->mode) &&
	       cache_trusts(w->c, &e->sig, &now->sig);
}

/* Files whose content decides about others. */
static void note_rules(struct walk *w, const char *name, const struct entry *e,
		       const struct item *now)
{
	if (strcmp(name, ".gitignore") == 0 && !is_known(w, e, now))
		w->rules_changed = true;
	if (strcmp(name, ".gitattributes") != 0)
		return;
	picks_add(&w->out->attributes, (uint32_t)(e - w->t->v));
	if (!is_known(w, e, now))
		w->attributes_changed = true;
}

static bool is_read_by_git(const char *name)
{
	return strcmp(name, ".gitignore") == 0 || strcmp(name, ".gitattributes") == 0;
}

/* Counted and left out: no tree may hold it. */
static bool left_out(struct walk *w, const char *name, uint32_t mode)
{
	if (name_is_dotgit(name) || (mode == MODE_LINK && name_is_gitmodules(name))) {
		/* The view at the top is ours. */
		w->out->dotgit += strcmp(w->path.data, ".git") != 0;
		return true;
	}
	w->out->special += mode == 0;
	w->blocked = mode == 0 && is_read_by_git(name);
	return mode == 0;
}

/* Whoever cannot look must not say that it is gone. */
static void keep(struct walk *w)
{
	uint32_t i = roster_find(w->t, w->path.data);

	w->out->unreadable++;
	if (i != ROSTER_NONE)
		w->t->v[i].flags |= ENTRY_KEEP;
}

static void visit(struct walk *w, int dirfd, uint32_t dir, const char *name, struct level *l)
{
	struct item now;
	struct entry *e;
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	buf_truncate(&w->path, w->dir_len);
	buf_str(&w->path, name);
	now.mode = classify(&st);
	if (left_out(w, name, now.mode))
		return;
	if (!stat_readable(&st)) {
		keep(w);
		return;
	}
	now.entry = roster_get(w->t, w->path.data, dir);
	now.sig = sig_of(&st);
	e = &w->t->v[now.entry];
	if (now.mode == MODE_DIR && e->base_mode == MODE_GITLINK) {
		e->flags |= ENTRY_KEEP;
		return;
	}
	note_rules(w, name, e, &now);
	e->flags |= ENTRY_SEEN;
	add_item(l, &now);
}

/* A file that decided about others is gone. */
static bool lost(const struct walk *w, const char *name)
{
	BUF_AUTO path = BUF_INIT;
	uint32_t i;

	buf_add(&path, w->path.data, w->dir_len);
	buf_str(&path, name);
	i = roster_find(w->t, path.data);
	return i != ROSTER_NONE && (w->t->v[i].flags & (ENTRY_TAKEN | ENTRY_IGNORED)) &&
	       !(w->t->v[i].flags & ENTRY_SEEN);
}

/* Bits of what makes git take a directory for a repository. */
static unsigned repository_bits(const char *name)
{
	static const char *const bare[] = { "HEAD", "objects", "refs" };

	for (unsigned i = 0; i < ARRAY_SIZE(bare); i++) {
		if (strcmp(name, bare[i]) == 0)
			return 1u << i;
	}
	return strcmp(name, ".git") == 0 ? 8 : 0;
}

static void note_repository(struct walk *w, uint32_t dir, unsigned bits)
{
	/* At the top discovery ends with the view, whatever else lies there. */
	if (dir == ROSTER_ROOT || (!(bits & 8) && bits != 7) ||
	    w->out->repositories.len == REPOSITORIES_MAX)
		return;
	strv_add(&w->out->repositories, roster_path(w->t, dir));
}

static int list_dir(struct walk *w, uint32_t dir, struct level *l, struct error *err)
{
	const char *path = roster_path(w->t, dir);
	struct error why = ERROR_INIT;
	int fd = file_open_beneath(w->how->work_fd, *path ? path : ".",
				   O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0, &why);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	unsigned bits = 0;

	buf_reset(&w->path);
	buf_fmt(&w->path, "%s%s", path, *path ? "/" : "");
	w->dir_len = w->path.len;
	if (!d) {
		fd_close(&fd);
		/* Somebody moves directories about: what is not there now is not part of it. */
		if (why.sys != ENAMETOOLONG && why.kind != ERR_NOTFOUND && why.sys != ELOOP &&
		    why.sys != ENOTDIR && why.sys != EXDEV) {
			*err = why;
			return error_wrap(err, "cannot list the work tree of the box");
		}
		w->out->too_long += why.sys == ENAMETOOLONG;
		return 0;
	}
	for (const struct dirent *e; !w->blocked && (e = readdir(d)) != NULL;) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		bits |= repository_bits(e->d_name);
		visit(w, dirfd(d), dir, e->d_name, l);
	}
	closedir(d);
	if (w->blocked)
		return error_set(err, ERR_REFUSED,
				 "'%s' is no regular file, and git would wait at it; remove it in "
				 "the box",
				 w->path.data);
	note_repository(w, dir, bits);
	w->rules_changed = w->rules_changed || lost(w, ".gitignore");
	w->attributes_changed = w->attributes_changed || lost(w, ".gitattributes");
	return 0;
}

/* Those that .gitignore and the like exclude, NUL-terminated back to back in the order of the
 * question. */
static int ask_ignored(const struct walk *w, const struct level *others, struct buf *ignored,
		       struct error *err)
{
	static const char *const args[] = { "check-ignore", "-z", "--stdin", "--no-index", NULL };
	static const char *const env[] = { "GIT_LITERAL_PATHSPECS=0", NULL };
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct git_cmd cmd = *w->how->ignore;
	int code;

	for (size_t i = 0; i < others->len; i++) {
		const char *path = roster_path(w->t, others->v[i].entry);

		buf_str(&in, "./"); /* no name is taken for pathspec magic */
		buf_add(&in, path, strlen(path) + 1);
	}
	cmd.args = args;
	cmd.env = env;
	cmd.in = in.data;
	cmd.in_len = in.len;
	cmd.out = ignored;
	cmd.errout = &errout;
	cmd.timeout_ms = IGNORE_TIMEOUT_MS;
	if (git_run(&cmd, &code, err))
		return -1;
	return code > 1 ? git_failed(args[0], code, &errout, err) : 0;
}

static void set_flags(struct walk *w, struct entry *e, const struct item *now, unsigned flag)
{
	unsigned flags = flag | (now->mode == MODE_DIR ? ENTRY_DIR : 0);
	const unsigned mine = ENTRY_TAKEN | ENTRY_IGNORED | ENTRY_DIR;

	if ((e->flags & mine) != flags)
		w->t->changed = true;
	e->flags = (e->flags & ~mine) | flags;
	e->sig = now->sig;
}

static void take(struct walk *w, const struct item *now)
{
	struct entry *e = &w->t->v[now->entry];
	bool known = is_known(w, e, now) && e->mode == now->mode;

	set_flags(w, e, now, ENTRY_TAKEN);
	if (now->mode != MODE_DIR) {
		if (!known) {
			add_file(w->out, now->entry, now->mode);
			e->flags |= ENTRY_LISTED;
		}
		return;
	}
	if (e->mode != MODE_DIR)
		roster_set(w->t, now->entry, 0, NULL);
	picks_add(&w->dirs, now->entry);
}

static void ignore(struct walk *w, const struct item *now)
{
	set_flags(w, &w->t->v[now->entry], now, ENTRY_IGNORED);
}

static int take_others(struct walk *w, const struct level *others, struct error *err)
{
	BUF_AUTO ignored = BUF_INIT;
	size_t at = 0;

	if (!others->len)
		return 0;
	if (ask_ignored(w, others, &ignored, err))
		return -1;
	for (size_t i = 0; i < others->len; i++) {
		const char *path = roster_path(w->t, others->v[i].entry);

		if (at < ignored.len && !strcmp(ignored.data + at + 2, path)) {
			at += strlen(ignored.data + at) + 1;
			ignore(w, &others->v[i]);
		} else {
			take(w, &others->v[i]);
		}
	}
	return at == ignored.len ?
		       0 :
		       error_set(err, ERR_PEER, "git check-ignore answered out of order");
}

static int take_level(struct walk *w, const struct level *l, struct error *err)
{
	bool believe = w->how->trust && !w->rules_changed;
	struct level others = { .v = NULL };
	int rc;

	for (size_t i = 0; i < l->len; i++) {
		const struct item *now = &l->v[i];
		const struct entry *e = &w->t->v[now->entry];

		if (is_base(e, now->mode))
			take(w, now);
		else if (!believe || !was_same_kind(e, now->mode))
			add_item(&others, now);
		else if (e->flags & ENTRY_IGNORED)
			ignore(w, now);
		else
			take(w, now);
	}
	rc = take_others(w, &others, err);
	free(others.v);
	return rc;
}

static int walk_level(struct walk *w, struct error *err)
{
	struct picks dirs = w->dirs;
	struct level l = { .v = NULL };
	int rc = 0;

	w->dirs = (struct picks)PICKS_INIT;
	for (size_t i = 0; !rc && i < dirs.len; i++)
		rc = list_dir(w, dirs.v[i], &l, err);
	if (!rc)
		rc = take_level(w, &l, err);
	picks_release(&dirs);
	free(l.v);
	return rc;
}

static bool is_kept(const struct roster *t, uint32_t i)
{
	if (t->v[i].flags & ENTRY_SKIP)
		return true;
	for (; i != ROSTER_ROOT; i = t->v[i].parent) {
		if (t->v[i].flags & ENTRY_KEEP)
			return true;
	}
	return false;
}

/* What was there and is no more. Directories are made anew from what they hold. */
static void find_gone(struct roster *t)
{
	for (uint32_t i = 1; i < t->len; i++) {
		struct entry *e = &t->v[i];

		if ((e->flags & ENTRY_SEEN) && (e->flags & ENTRY_TAKEN))
			continue;
		if (is_kept(t, i))
			continue;
		if (!(e->flags & ENTRY_SEEN))
			e->flags &= ~(unsigned)(ENTRY_TAKEN | ENTRY_IGNORED);
		if (e->mode && e->mode != MODE_DIR)
			roster_set(t, i, 0, NULL);
	}
}

/* What the files say depends on attributes that are not what they were. */
static void take_all_again(const struct roster *t, struct walk_result *out)
{
	for (uint32_t i = 1; i < t->len; i++) {
		const struct entry *e = &t->v[i];
		bool there = (e->flags & ENTRY_SEEN) && (e->flags & ENTRY_TAKEN);

		if (there && !(e->flags & (ENTRY_DIR | ENTRY_LISTED)))
			add_file(out, i, e->mode);
	}
}

int walk_update(const struct walk_how *how, struct cache *c, struct walk_result *out,
		struct error *err)
{
	struct walk w = { .how = how,
			  .c = c,
			  .t = &c->roster,
			  .out = out,
			  .dirs = PICKS_INIT,
			  .path = BUF_INIT };
	int rc = 0;

	picks_add(&w.dirs, ROSTER_ROOT);
	while (!rc && w.dirs.len)
		rc = walk_level(&w, err);
	picks_release(&w.dirs);
	buf_release(&w.path);
	if (rc)
		return -1;
	find_gone(w.t);
	if (how->trust && w.attributes_changed)
		take_all_again(w.t, out);
	return 0;
}
