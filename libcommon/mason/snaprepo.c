#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "mason/snaprepo.h"
#include "sys/fd.h"
#include "sys/file.h"

#define COPY_MAX (64u << 20)
#define PACK_FILE "pack"
#define PACK_TEMP "pack.tmp"

void snaprepo_release(struct snaprepo *r)
{
	fd_close(&r->snap_fd);
	buf_release(&r->dir);
	buf_release(&r->links);
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
	static const char head[] = "ref: refs/heads/none\n";

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

/* A fresh SNAPDIR with an empty git/. */
static int start_over(int snap_fd, struct error *err)
{
	static const char *const names[] = { "git",	   "links",    "cache",	  "cache.tmp",
					     "lfs",	   "checkout", PACK_FILE, PACK_TEMP,
					     "base.index", "base.index.lock" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (file_remove_tree(snap_fd, names[i], err))
			return -1;
	}
	return file_mkdir(snap_fd, "git", 0700, err);
}

static int make(const char *work, int snap_fd, struct error *err)
{
	BUF_AUTO view_path = BUF_INIT;
	FD_AUTO view = -1;
	FD_AUTO dir = -1;

	buf_fmt(&view_path, "%s/.git", work);
	if (start_over(snap_fd, err))
		return -1;
	view = file_open_dir(AT_FDCWD, view_path.data, err);
	if (view < 0)
		return error_wrap(err, "the host's view of the box");
	dir = file_open_dir(snap_fd, "git", err);
	return dir < 0 || fill(view, dir, err) ? -1 : 0;
}

/* End-of-line conversion by a setting, or attributes for all clones. */
static bool converts(int snap_fd)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO config = BUF_INIT;

	return file_read(snap_fd, "git/config", COPY_MAX, &config, &ignored) ||
	       strstr(config.data, "autocrlf") || file_exists(snap_fd, "git/info/attributes");
}

int snaprepo_open(const char *work, const char *snap_dir, bool anew, struct snaprepo *out,
		  struct error *err)
{
	/* A warning of git's about a conversion must not keep a file out. */
	static const char *const settings[] = { "core.safecrlf=false", NULL };

	buf_fmt(&out->dir, "%s/git", snap_dir);
	buf_fmt(&out->links, "%s/links", snap_dir);
	out->git = (struct git_cmd){
		.git_dir = out->dir.data, .work_tree = work, .cwd = work, .config = settings
	};
	out->snap_fd = file_open_dir(AT_FDCWD, snap_dir, err);
	if (out->snap_fd < 0 || (anew && make(work, out->snap_fd, err)) ||
	    file_remove_tree(out->snap_fd, "links", err) ||
	    file_mkdir(out->snap_fd, "links", 0700, err))
		return -1;
	out->converts = converts(out->snap_fd);
	return 0;
}

int snaprepo_pack(const struct snaprepo *r, const char *commit, const struct buf *objects,
		  struct error *err)
{
	static const char *const args[] = { "pack-objects", "--stdout", "--delta-base-offset", "-q",
					    NULL };
	FD_AUTO fd = openat(r->snap_fd, PACK_TEMP,
			    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct git_cmd cmd = r->git;
	BUF_AUTO in = BUF_INIT;

	if (fd < 0)
		return error_sys(err, errno, "cannot make " PACK_TEMP);
	/* What it may write differences against. */
	buf_fmt(&in, "-%s\n", commit);
	buf_add(&in, objects->data, objects->len);
	cmd.args = args;
	cmd.in = in.data;
	cmd.in_len = in.len;
	cmd.out_fd = &fd;
	if (git_must(&cmd, err))
		return -1;
	return renameat(r->snap_fd, PACK_TEMP, r->snap_fd, PACK_FILE) ?
		       error_sys(err, errno, "cannot give " PACK_TEMP " its name") :
		       0;
}

void snaprepo_no_pack(const struct snaprepo *r)
{
	unlinkat(r->snap_fd, PACK_FILE, 0);
}
