/*
 * The workspace of the confined tiers: a view for the host, a private git
 * directory for the box, and the files, written by the mason.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/env.h"
#include "box/create-work.h"
#include "box/mason.h"
#include "store/gitdir.h"
#include "sys/fd.h"
#include "sys/file.h"

static const char *const dirs[] = { "work", "git", "home", "tmp" };

static int make_dirs(struct create *c, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (file_mkdir(c->box_fd, dirs[i], 0700, err))
			return -1;
	}
	return 0;
}

/* Both git directories at the end: nothing runs in the box before. The mason must be able to remove
 * the view. */
static int give_git(struct create *c, const char *dir, struct error *err)
{
	FD_AUTO fd = -1;

	if (c->m->uid == geteuid())
		return 0;
	fd = file_open_beneath(c->box_fd, dir, O_RDONLY | O_DIRECTORY, 0, err);
	return fd < 0 ? -1 : gitdir_give(fd, c->m->uid, c->m->gid, err);
}

/* The box's own directories become the payload's. */
static int give(struct create *c, const char *dir, struct error *err)
{
	if (c->m->uid == geteuid())
		return 0;
	if (fchownat(c->box_fd, dir, c->m->uid, c->m->gid, AT_SYMLINK_NOFOLLOW))
		return error_sys(err, errno, "cannot give '%s/%s' to uid %u", c->path.data, dir,
				 c->m->uid);
	return 0;
}

static int write_view(struct create *c, struct error *err)
{
	FD_AUTO view = -1;

	if (file_mkdir(c->box_fd, "work/.git", 0755, err))
		return -1;
	if (fchmodat(c->box_fd, "work/.git", 0755, 0))
		return error_sys(err, errno, "cannot set the mode of the view");
	view = file_open_beneath(c->box_fd, "work/.git", O_RDONLY | O_DIRECTORY, 0, err);
	return view < 0 ? -1 : gitdir_write_view(view, c->req->repo, &c->facts, err);
}

/* The private directory; the mason adds the index. */
static int write_private(struct create *c, struct error *err)
{
	BUF_AUTO branch = BUF_INIT;
	FD_AUTO git = file_open_beneath(c->box_fd, "git", O_RDONLY | O_DIRECTORY, 0, err);

	if (git < 0)
		return -1;
	buf_fmt(&branch, "box/%s", c->req->name);
	return gitdir_write_private(git, c->req->repo, &c->facts, branch.data, err);
}

/* One index serves both directories: it describes the same files. */
static int copy_index(struct create *c, struct error *err)
{
	FD_AUTO from = file_open_beneath(c->box_fd, "git/index", O_RDONLY | O_NONBLOCK, 0, err);
	FD_AUTO to = -1;
	ssize_t n;

	if (from < 0)
		return -1;
	to = file_open_beneath(c->box_fd, "work/.git/index", O_WRONLY | O_CREAT | O_EXCL, 0644,
			       err);
	if (to < 0)
		return -1;
	do
		n = copy_file_range(from, NULL, to, NULL, 1u << 30, 0);
	while (n > 0);
	if (n < 0)
		return error_sys(err, errno, "cannot copy the index");
	return fchmod(to, 0644) ? error_sys(err, errno, "cannot set the mode of the index") : 0;
}

/* While the mason's confinement is built and while it works. */
struct late {
	struct create *c;
	struct error err;
};

static void do_late(void *arg)
{
	struct late *l = arg;
	struct create *c = l->c;

	if (create_start_late(c, &l->err) ||
	    repo_refs_finish(c->req->from, &c->refs, &c->facts, &l->err) ||
	    write_private(c, &l->err))
		return;
}

/* The mason's lines: absent submodules. */
static void note_submodules(struct create *c, const struct buf *lines)
{
	for (const char *p = lines->data, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		if (!strncmp(p, "submodule ", 10))
			strv_addf(c->notes,
				  "submodule %.*s is not part of the box: its directory is empty",
				  (int)(end - p - 10), p + 10);
	}
}

static int partial_hint(const struct create *c, struct error *err)
{
	if (!c->facts.partial || err->kind != ERR_PEER)
		return -1;
	return error_hint(
		err,
		"this is a partial clone and nothing is fetched for a box; fetch what is missing "
		"with: git archive -o /dev/null %s",
		c->facts.commit.data);
}

static int check_out(struct create *c, struct error *err)
{
	BUF_AUTO work = BUF_INIT;
	BUF_AUTO lines = BUF_INIT;
	struct late late = { .c = c, .err = ERROR_INIT };
	const struct mason_meanwhile meanwhile = { .run = do_late, .arg = &late };
	const char *user = env_get("USER");
	struct lower_box lower = {
		.name = c->req->name,
		.id = c->m->id,
		.box_dir = c->path.data,
		.repo_top = c->req->repo->top.data,
		.home = c->m->home.data,
		.user = user ? user : "box",
		.objects = strv_argv(&c->facts.objects),
		.uid = c->m->uid,
		.gid = c->m->gid,
	};

	buf_fmt(&work, "%s/work", c->path.data);
	const char *const argv[] = { MASON_PATH, "checkout", work.data, c->facts.commit.data,
				     NULL };

	if (mason_run_meanwhile(&lower, argv, &lines, &meanwhile, err))
		return partial_hint(c, err);
	if (late.err.kind != ERR_NONE) {
		*err = late.err;
		return -1;
	}
	note_submodules(c, &lines);
	return 0;
}

static int make(struct create *c, struct error *err)
{
	if (make_dirs(c, err) || write_view(c, err))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (give(c, dirs[i], err))
			return -1;
	}
	if (check_out(c, err) || copy_index(c, err) || give_git(c, "git", err) ||
	    give_git(c, "work/.git", err))
		return -1;
	if (c->facts.partial)
		strv_add(c->notes, "the repository is a partial clone: history that was never "
				   "fetched is missing "
				   "in the box too");
	return 0;
}

static void undo(struct create *c)
{
	(void)c; /* all of it lies in the box's directory */
}

const struct create_work create_private = { .own_ids = true, .make = make, .undo = undo };
