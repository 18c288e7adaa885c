/*
 * A work tree as a tree object. Files of the base are hashed first and stored
 * only where they differ: the objects of the host are borrowed read-only, and
 * git would otherwise store every file again because it cannot freshen theirs.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "mason/hash.h"
#include "mason/index.h"
#include "mason/mason.h"
#include "mason/snaprepo.h"
#include "mason/walk.h"
#include "sys/fd.h"
#include "sys/file.h"

#define INDEX_MAX (1u << 30)

struct snapshot {
	const char *work;
	const char *commit;
	int work_fd;
	size_t hex;
	struct snaprepo repo;
	struct tree base;
	struct walk_result files;
	struct strv links;   /* files with the targets of symlinks, in the order of files */
	struct buf changes;  /* for update-index --index-info -z */
	struct buf removals; /* likewise; they come first */
};

static void release(struct snapshot *s)
{
	fd_close(&s->work_fd);
	snaprepo_release(&s->repo);
	tree_release(&s->base);
	walk_result_release(&s->files);
	strv_release(&s->links);
	buf_release(&s->changes);
	buf_release(&s->removals);
}

static int read_base(struct snapshot *s, struct error *err)
{
	const char *const args[] = { "ls-tree", "-r", "-z", "--full-tree", s->commit, NULL };
	struct git_cmd cmd = s->repo.git;
	BUF_AUTO text = BUF_INIT;

	cmd.args = args;
	cmd.out = &text;
	return git_must(&cmd, err) || tree_parse(&text, &s->base, err) ? -1 : 0;
}

/* What a sparse checkout left out is unchanged, not removed. */
static void keep_skipped(void *arg, const struct index_entry *e)
{
	const struct tree *base = arg;
	struct tree_entry *t = e->skip ? tree_find(base, e->path) : NULL;

	if (t)
		t->seen = true;
}

static int read_skipped(struct snapshot *s, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO bytes = BUF_INIT;

	buf_fmt(&path, "%s/.git/index", s->work);
	if (!file_exists(AT_FDCWD, path.data))
		return 0;
	if (file_read(AT_FDCWD, path.data, INDEX_MAX, &bytes, err))
		return -1;
	return index_each(&(struct index_bytes){ bytes.data, bytes.len, s->hex / 2 }, keep_skipped,
			  &s->base, err);
}

/* git hashes files only, and would follow a symlink: its target becomes a file. */
static int write_link(struct snapshot *s, const char *path, struct error *err)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(s->work_fd, path, target, sizeof(target));
	BUF_AUTO name = BUF_INIT;

	if (len < 0)
		return error_sys(err, errno, "cannot read a symlink of the box");
	buf_fmt(&name, "%s/%zu", s->repo.links.data, s->links.len);
	strv_add(&s->links, name.data);
	return file_create(AT_FDCWD, name.data, (struct file_content){ target, (size_t)len, 0600 },
			   err);
}

static void change(struct snapshot *s, const struct walk_file *f, const char *oid)
{
	buf_fmt(&s->changes, "%06o %.*s\t%s", f->mode, (int)s->hex, oid, f->path);
	buf_char(&s->changes, '\0');
}

static bool is_link(const struct walk_file *f)
{
	return f->mode == 0120000;
}

/* True where the base has this very file. */
static bool is_same(const struct snapshot *s, const struct walk_file *f, const char *oid)
{
	const struct tree_entry *e = tree_find(&s->base, f->path);

	return e && e->mode == f->mode && !strncmp(e->oid, oid, s->hex);
}

static int hash_links(struct snapshot *s, struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;
	size_t n = 0;

	for (size_t i = 0; i < s->files.len; i++) {
		if (is_link(&s->files.v[i]) && write_link(s, s->files.v[i].path, err))
			return -1;
	}
	for (size_t i = 0; i < s->links.len; i++)
		hash_add(&h, s->links.v[i]);
	if (hash_run(&h, &s->repo.git, HASH_WRITE | HASH_RAW, s->hex, err))
		return -1;
	for (size_t i = 0; i < s->files.len; i++) {
		if (!is_link(&s->files.v[i]))
			continue;
		if (!is_same(s, &s->files.v[i], hash_at(&h, n)))
			change(s, &s->files.v[i], hash_at(&h, n));
		n++;
	}
	return 0;
}

/* Drops from `todo` (indices into files) those whose hash, as the flags say, is the base's. */
static int drop_same(struct snapshot *s, unsigned flags, size_t *todo, size_t *len,
		     struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;
	size_t kept = 0, hashed = 0;

	for (size_t i = 0; i < *len; i++) {
		const struct tree_entry *e = tree_find(&s->base, s->files.v[todo[i]].path);

		if (e && e->mode == s->files.v[todo[i]].mode)
			hash_add(&h, s->files.v[todo[i]].path);
	}
	if (hash_run(&h, &s->repo.git, flags, s->hex, err))
		return -1;
	for (size_t i = 0; i < *len; i++) {
		const struct walk_file *f = &s->files.v[todo[i]];
		const struct tree_entry *e = tree_find(&s->base, f->path);

		if (e && e->mode == f->mode && is_same(s, f, hash_at(&h, hashed++)))
			continue;
		todo[kept++] = todo[i];
	}
	*len = kept;
	return 0;
}

static int store_changed(struct snapshot *s, const size_t *todo, size_t len, struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;

	for (size_t i = 0; i < len; i++)
		hash_add(&h, s->files.v[todo[i]].path);
	if (hash_run(&h, &s->repo.git, HASH_WRITE, s->hex, err))
		return -1;
	for (size_t i = 0; i < len; i++)
		change(s, &s->files.v[todo[i]], hash_at(&h, i));
	return 0;
}

/* The second look, without conversion, is for files that were committed with CRLF: they did not
 * change. */
static int hash_files(struct snapshot *s, struct error *err)
{
	BUF_AUTO memory = BUF_INIT;
	size_t *todo;
	size_t len = 0;

	buf_grow(&memory, (s->files.len + 1) * sizeof(*todo));
	todo = (size_t *)(void *)memory.data;
	for (size_t i = 0; i < s->files.len; i++) {
		if (!is_link(&s->files.v[i]))
			todo[len++] = i;
	}
	if (drop_same(s, 0, todo, &len, err) || drop_same(s, HASH_RAW, todo, &len, err))
		return -1;
	return store_changed(s, todo, len, err);
}

static void find_removed(struct snapshot *s)
{
	for (size_t i = 0; i < s->files.len; i++) {
		struct tree_entry *e = tree_find(&s->base, s->files.v[i].path);

		if (e)
			e->seen = true;
	}
	for (size_t i = 0; i < s->base.len; i++) {
		if (s->base.v[i].seen)
			continue;
		buf_fmt(&s->removals, "0 %0*d\t%s", (int)s->hex, 0, s->base.v[i].path);
		buf_char(&s->removals, '\0');
	}
}

static void report_skipped(const struct walk_result *w, struct buf *out)
{
	if (w->special)
		buf_fmt(out, "skipped %llu special\n", (unsigned long long)w->special);
	if (w->dotgit)
		buf_fmt(out, "skipped %llu git\n", (unsigned long long)w->dotgit);
	if (w->unreadable)
		buf_fmt(out, "skipped %llu unreadable\n", (unsigned long long)w->unreadable);
	if (w->too_long)
		buf_fmt(out, "skipped %llu too-long\n", (unsigned long long)w->too_long);
}

static int compare(struct snapshot *s, struct error *err)
{
	if (read_base(s, err) || read_skipped(s, err) ||
	    walk_list(s->work_fd, &s->base, &s->repo.git, &s->files, err) || hash_links(s, err) ||
	    hash_files(s, err))
		return -1;
	find_removed(s);
	return 0;
}

static int take(struct snapshot *s, const char *snap_dir, struct buf *out, struct error *err)
{
	s->work_fd = open(s->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->work_fd < 0)
		return error_sys(err, errno, "cannot open '%s'", s->work);
	if (snaprepo_make(s->work, snap_dir, &s->repo, err) || compare(s, err))
		return -1;
	buf_add(&s->removals, s->changes.data, s->changes.len);
	return snaprepo_commit(&s->repo, s->commit, &s->removals, out, err);
}

int mason_snapshot(const char *work, const char *snap_dir, const char *commit, struct buf *out,
		   struct error *err)
{
	struct snapshot s = { .work = work,
			      .commit = commit,
			      .work_fd = -1,
			      .hex = strlen(commit),
			      .repo = SNAPREPO_INIT,
			      .base = TREE_INIT,
			      .links = STRV_INIT,
			      .changes = BUF_INIT,
			      .removals = BUF_INIT };
	int rc = take(&s, snap_dir, out, err);

	if (!rc)
		report_skipped(&s.files, out);
	release(&s);
	return rc;
}
