#include "base/base.h"

#include <fcntl.h>

#include "mason/snaprepo.h"
#include "sys/fd.h"
#include "sys/file.h"

#define COPY_MAX (64u << 20)
#define SNAPSHOT_REF "refs/heads/box/snapshot"

void snaprepo_release(struct snaprepo *r)
{
	buf_release(&r->dir);
	buf_release(&r->index);
	buf_release(&r->links);
	buf_release(&r->pack);
}

static int copy(int from, int to, const char *path, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	if (!file_exists(from, path))
		return 0;
	if (file_read(from, path, COPY_MAX, &text, err))
		return -1;
	return file_create(to, path, (struct file_content){ text.data, text.len, 0600 }, err);
}

static int fill(int view, int dir, struct error *err)
{
	static const char *const dirs[] = { "objects", "objects/info", "objects/pack", "refs",
					    "info" };
	static const char *const files[] = { "config", "objects/info/alternates", "shallow",
					     "info/exclude", "info/attributes" };
	static const char head[] = "ref: " SNAPSHOT_REF "\n";

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (file_mkdir(dir, dirs[i], 0700, err))
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (copy(view, dir, files[i], err))
			return -1;
	}
	return file_create(dir, "HEAD", (struct file_content){ head, strlen(head), 0600 }, err);
}

/* A fresh SNAPDIR with an empty git/ and links/. */
static int start_over(const char *snap_dir, struct error *err)
{
	static const char *const names[] = { "git", "links", "index", "index.lock", "pack" };
	FD_AUTO snap = file_open_dir(AT_FDCWD, snap_dir, err);

	if (snap < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (file_remove_tree(snap, names[i], err))
			return -1;
	}
	return file_mkdir(snap, "git", 0700, err) || file_mkdir(snap, "links", 0700, err) ? -1 : 0;
}

int snaprepo_make(const char *work, const char *snap_dir, struct snaprepo *out, struct error *err)
{
	BUF_AUTO view_path = BUF_INIT;
	FD_AUTO view = -1;
	FD_AUTO dir = -1;

	buf_fmt(&view_path, "%s/.git", work);
	buf_fmt(&out->dir, "%s/git", snap_dir);
	buf_fmt(&out->index, "%s/index", snap_dir);
	buf_fmt(&out->links, "%s/links", snap_dir);
	buf_fmt(&out->pack, "%s/pack", snap_dir);
	out->git = (struct git_cmd){ .git_dir = out->dir.data,
				     .work_tree = work,
				     .index_file = out->index.data,
				     .cwd = work };
	if (start_over(snap_dir, err))
		return -1;
	view = file_open_dir(AT_FDCWD, view_path.data, err);
	if (view < 0)
		return error_wrap(err, "the host's view of the box");
	dir = file_open_dir(AT_FDCWD, out->dir.data, err);
	return dir < 0 || fill(view, dir, err) ? -1 : 0;
}

static int call(const struct snaprepo *r, const char *const *args, const struct buf *in,
		struct buf *out, struct error *err)
{
	struct git_cmd cmd = r->git;

	cmd.args = args;
	cmd.out = out;
	if (in) {
		cmd.in = in->data;
		cmd.in_len = in->len;
	}
	if (git_must(&cmd, err))
		return -1;
	return 0;
}

static void chomp(struct buf *b)
{
	if (b->len && b->data[b->len - 1] == '\n')
		buf_truncate(b, b->len - 1);
}

static int write_tree(const struct snaprepo *r, const char *commit, const struct buf *index_info,
		      struct buf *tree, struct error *err)
{
	/* The sparse patterns are the view's: here every entry of the base counts. */
	const char *const read[] = { "read-tree", "--no-sparse-checkout", commit, NULL };
	static const char *const update[] = { "update-index", "-z", "--index-info", NULL };
	static const char *const write[] = { "write-tree", NULL };

	return call(r, read, NULL, NULL, err) || call(r, update, index_info, NULL, err) ||
			       call(r, write, NULL, tree, err) ?
		       -1 :
		       0;
}

/* What the tree has and the base has not. */
static int write_pack(const struct snaprepo *r, const char *base, const char *tree,
		      struct error *err)
{
	static const char *const args[] = {
		"pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "-q", NULL
	};
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO pack = BUF_INIT;

	buf_fmt(&in, "%s\n^%s\n", tree, base);
	if (call(r, args, &in, &pack, err))
		return -1;
	return file_create(AT_FDCWD, r->pack.data,
			   (struct file_content){ pack.data, pack.len, 0600 }, err);
}

int snaprepo_commit(struct snaprepo *r, const char *commit, const struct buf *index_info,
		    struct buf *out, struct error *err)
{
	BUF_AUTO spec = BUF_INIT;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO tree = BUF_INIT;

	buf_fmt(&spec, "%s^{tree}", commit);
	const char *const parse[] = { "rev-parse", "--verify", spec.data, NULL };

	if (call(r, parse, NULL, &base, err))
		return -1;
	chomp(&base);
	if (!index_info->len)
		buf_str(&tree, base.data);
	else if (write_tree(r, commit, index_info, &tree, err))
		return -1;
	chomp(&tree);
	buf_fmt(out, "tree %s\n", tree.data);
	if (!strcmp(tree.data, base.data))
		return 0;
	if (write_pack(r, base.data, tree.data, err))
		return -1;
	buf_str(out, "pack\n");
	return 0;
}
