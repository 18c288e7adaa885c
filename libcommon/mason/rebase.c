/*
 * A work tree brought from one tree to another, and the git directories to
 * another base. Only what differs between the trees is written, by force: the
 * same call finishes or takes back what was cut short, from any state between.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/strv.h"
#include "mason/checkout.h"
#include "mason/index.h"
#include "mason/mason.h"
#include "mason/private.h"
#include "mason/snaprepo.h"
#include "store/changes.h"
#include "sys/fd.h"
#include "sys/file.h"

#define INDEX_MAX (1u << 30)
#define REFS_MAX (256u << 20)
#define NUMBER_MAX 20

struct rebase {
	const char *work;
	const struct mason_rebase *what;
	int work_fd;
	struct snaprepo repo; /* holds the objects that came with the call */
	struct buf view;
	struct buf index;   /* SNAPDIR/index */
	struct buf objects; /* NAME=VALUE: where git finds them */
	const char *env[2];
	struct git_cmd git; /* a call in the view, with an index of our own */
	struct buf refs;
	struct change_list changes;
	struct strv skipped; /* sorted: paths that the view's index leaves out of the work tree */
};

static void release(struct rebase *r)
{
	fd_close(&r->work_fd);
	snaprepo_release(&r->repo);
	buf_release(&r->view);
	buf_release(&r->index);
	buf_release(&r->objects);
	buf_release(&r->refs);
	change_list_release(&r->changes);
	strv_release(&r->skipped);
}

static int call(const struct rebase *r, const char *const *args, const struct buf *in,
		struct error *err)
{
	struct git_cmd cmd = r->git;

	cmd.args = args;
	if (in) {
		cmd.in = in->data;
		cmd.in_len = in->len;
	}
	return git_must(&cmd, err);
}

/* "<n>\n" and n bytes, read singly up to there: what follows is for git. */
static int read_refs(struct buf *out, struct error *err)
{
	BUF_AUTO number = BUF_INIT;
	uint64_t len;
	char byte;

	for (;;) {
		if (fd_read_full(STDIN_FILENO, &byte, 1, err))
			return -1;
		if (byte == '\n')
			break;
		buf_char(&number, byte);
		if (number.len > NUMBER_MAX)
			return error_set(err, ERR_USAGE, "no refs came");
	}
	if (num_u64(number.data, 0, REFS_MAX, &len, err))
		return -1;
	buf_grow(out, len);
	if (fd_read_full(STDIN_FILENO, out->data, len, err))
		return -1;
	out->len = len;
	out->data[len] = '\0';
	return 0;
}

static int take_objects(struct rebase *r, struct error *err)
{
	static const char *const args[] = { "index-pack", "--stdin", NULL };
	static const int in = STDIN_FILENO;
	struct git_cmd cmd = r->repo.git;

	if (read_refs(&r->refs, err))
		return -1;
	cmd.args = args;
	cmd.in_fd = &in;
	return git_must(&cmd, err);
}

static void note_skipped(void *arg, const struct index_entry *e)
{
	struct strv *out = arg;

	if (e->skip)
		strv_add(out, e->path);
}

static int read_skipped(struct rebase *r, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO bytes = BUF_INIT;

	buf_fmt(&path, "%s/index", r->view.data);
	if (file_read(AT_FDCWD, path.data, INDEX_MAX, &bytes, err) ||
	    index_each(&(struct index_bytes){ bytes.data, bytes.len, strlen(r->what->commit) / 2 },
		       note_skipped, &r->skipped, err))
		return -1;
	strv_sort(&r->skipped);
	return 0;
}

static int by_name(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

/* Left out of a sparse work tree, and the box did not make it either. */
static bool is_left_out(const struct rebase *r, const char *path)
{
	return r->skipped.len &&
	       bsearch(path, r->skipped.v, r->skipped.len, sizeof(*r->skipped.v), by_name) &&
	       !file_exists(r->work_fd, path);
}

/* A file, and directories that became empty by it; what is not there, or something else, stays. */
static void remove_file(const struct rebase *r, const char *path)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO dir = BUF_INIT;
	int flags = 0;

	buf_str(&dir, path);
	for (;;) {
		char *slash = strrchr(dir.data, '/');
		const char *name = slash ? slash + 1 : dir.data;
		FD_AUTO fd = -1;

		if (slash)
			*slash = '\0';
		fd = file_open_beneath(r->work_fd, slash ? dir.data : ".", O_RDONLY | O_DIRECTORY,
				       0, &ignored);
		if (fd < 0 || (unlinkat(fd, name, flags) && errno != ENOENT) || !slash)
			return;
		buf_truncate(&dir, (size_t)(slash - dir.data));
		flags = AT_REMOVEDIR;
	}
}

static int write_files(const struct rebase *r, struct error *err)
{
	const char *const read[] = { "read-tree", "--no-sparse-checkout", r->what->to, NULL };
	static const char *const out[] = { "checkout-index", "-f", "-q", "-z", "--stdin", NULL };
	BUF_AUTO paths = BUF_INIT;

	/* Backwards, so that a directory comes after what it holds. */
	for (size_t i = r->changes.len; i-- > 0;) {
		const struct change *c = &r->changes.v[i];

		if (!c->new_mode)
			remove_file(r, c->path);
	}
	for (size_t i = 0; i < r->changes.len; i++) {
		const struct change *c = &r->changes.v[i];

		if (c->new_mode && !is_left_out(r, c->path))
			buf_add(&paths, c->path, strlen(c->path) + 1);
	}
	if (call(r, read, NULL, err))
		return -1;
	return paths.len ? call(r, out, &paths, err) : 0;
}

struct left_out {
	const struct rebase *r;
	struct buf paths; /* NUL-terminated, back to back */
};

/* Gitlinks, so that no git looks for a repository there, and what a sparse work tree lacks. */
static void note_left_out(void *arg, const struct index_entry *e)
{
	struct left_out *l = arg;

	if (e->mode == 0160000 || is_left_out(l->r, e->path))
		buf_add(&l->paths, e->path, strlen(e->path) + 1);
}

static int skip_left_out(const struct rebase *r, struct error *err)
{
	static const char *const args[] = { "update-index", "--skip-worktree", "-z", "--stdin",
					    NULL };
	struct left_out l = { .r = r, .paths = BUF_INIT };
	BUF_AUTO bytes = BUF_INIT;
	int rc = file_read(AT_FDCWD, r->index.data, INDEX_MAX, &bytes, err);

	if (!rc)
		rc = index_each(&(struct index_bytes){ bytes.data, bytes.len,
						       strlen(r->what->commit) / 2 },
				note_left_out, &l, err);
	if (!rc && l.paths.len)
		rc = call(r, args, &l.paths, err);
	buf_release(&l.paths);
	return rc;
}

/* A gitlink whose directory has a `.git`: create filled it, or the box did. */
static void note_filled(void *arg, const struct index_entry *e)
{
	struct left_out *l = arg;
	BUF_AUTO link = BUF_INIT;

	buf_fmt(&link, "%s/.git", e->path);
	if (e->mode == 0160000 && file_exists(l->r->work_fd, link.data))
		buf_add(&l->paths, e->path, strlen(e->path) + 1);
}

/* git inside goes on looking at submodules that are there; the view goes on skipping them. */
static int look_at_filled(const struct rebase *r, const char *index, struct error *err)
{
	struct left_out l = { .r = r, .paths = BUF_INIT };
	struct git_cmd cmd = r->git;
	BUF_AUTO bytes = BUF_INIT;
	int rc = file_read(AT_FDCWD, index, INDEX_MAX, &bytes, err);

	cmd.index_file = index;
	if (!rc)
		rc = index_each(&(struct index_bytes){ bytes.data, bytes.len,
						       strlen(r->what->commit) / 2 },
				note_filled, &l, err);
	if (!rc)
		rc = checkout_look_at(&cmd, true, &l.paths, err);
	buf_release(&l.paths);
	return rc;
}

static int copy_index(int from_dir, const char *from, int to_dir, mode_t mode, struct error *err)
{
	BUF_AUTO bytes = BUF_INIT;

	return file_read(from_dir, from, INDEX_MAX, &bytes, err) ||
			       file_write_atomic(
				       to_dir, "index",
				       (struct file_content){ bytes.data, bytes.len, mode }, err) ?
		       -1 :
		       0;
}

/*
 * The index of the new base. It grows out of the view's, so that only files that changed since are
 * read again.
 */
static int make_index(const struct rebase *r, int view_fd, struct error *err)
{
	const char *const read[] = { "-c", "index.version=2",	   "read-tree",	    "-m",
				     "-i", "--no-sparse-checkout", r->what->commit, NULL };
	static const char *const refresh[] = { "update-index", "-q", "--refresh", NULL };
	struct git_cmd cmd = r->git;
	int code;

	if (copy_index(view_fd, "index", r->repo.snap_fd, 0600, err) || call(r, read, NULL, err) ||
	    skip_left_out(r, err))
		return -1;
	cmd.args = refresh;
	/* Its exit code tells of files that the box changed. */
	return git_run(&cmd, &code, err);
}

/* Both git directories have the new base: first the box's, then what the host sees. */
static int switch_base(const struct rebase *r, struct error *err)
{
	BUF_AUTO private = BUF_INIT;
	BUF_AUTO head = BUF_INIT;
	BUF_AUTO index = BUF_INIT;
	FD_AUTO view_fd = file_open_dir(AT_FDCWD, r->view.data, err);
	FD_AUTO git_fd = -1;

	buf_fmt(&private, "%s/../git", r->work);
	buf_fmt(&head, "%s\n", r->what->commit);
	if (view_fd < 0 || make_index(r, view_fd, err))
		return -1;
	git_fd = file_open_dir(AT_FDCWD, private.data, err);
	buf_fmt(&index, "%s/index", private.data);
	if (git_fd < 0 || copy_index(AT_FDCWD, r->index.data, git_fd, 0644, err) ||
	    look_at_filled(r, index.data, err) ||
	    private_set_base(git_fd, r->what, &r->refs, err) ||
	    copy_index(AT_FDCWD, r->index.data, view_fd, 0644, err))
		return -1;
	return file_write_atomic(view_fd, "HEAD",
				 (struct file_content){ head.data, head.len, 0644 }, err);
}

static int remove_index(const struct rebase *r, struct error *err)
{
	return file_remove_tree(r->repo.snap_fd, "index", err) ||
			       file_remove_tree(r->repo.snap_fd, "index.lock", err) ?
		       -1 :
		       0;
}

static int rebase(struct rebase *r, const char *snap_dir, struct error *err)
{
	r->work_fd = open(r->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->work_fd < 0)
		return error_sys(err, errno, "cannot open '%s'", r->work);
	if (snaprepo_open(r->work, snap_dir, true, &r->repo, err) || remove_index(r, err) ||
	    take_objects(r, err))
		return -1;
	buf_fmt(&r->index, "%s/index", snap_dir);
	buf_fmt(&r->view, "%s/.git", r->work);
	buf_fmt(&r->objects, "GIT_OBJECT_DIRECTORY=%s/objects", r->repo.dir.data);
	r->env[0] = r->objects.data;
	r->git = (struct git_cmd){ .git_dir = r->view.data,
				   .work_tree = r->work,
				   .index_file = r->index.data,
				   .cwd = r->work,
				   .env = r->env };
	if (read_skipped(r, err) ||
	    changes_between(&r->git, r->what->from, r->what->to, &r->changes, err) ||
	    write_files(r, err))
		return -1;
	return switch_base(r, err) || remove_index(r, err) ? -1 : 0;
}

int mason_rebase(const char *work, const char *snap_dir, const struct mason_rebase *what,
		 struct error *err)
{
	struct rebase r = { .work = work,
			    .what = what,
			    .work_fd = -1,
			    .repo = SNAPREPO_INIT,
			    .view = BUF_INIT,
			    .index = BUF_INIT,
			    .objects = BUF_INIT,
			    .refs = BUF_INIT,
			    .changes = CHANGE_LIST_INIT,
			    .skipped = STRV_INIT };
	int rc = rebase(&r, snap_dir, err);

	release(&r);
	return rc;
}
