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
#include "box/lfs.h"
#include "box/mason.h"
#include "box/submodules.h"
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
static int give_dirs(struct create *c, struct ids to, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && to.uid != geteuid(); i++) {
		if (fchownat(c->box_fd, dirs[i], to.uid, to.gid, AT_SYMLINK_NOFOLLOW))
			return error_sys(err, errno, "cannot give '%s/%s' to uid %u", c->path.data,
					 dirs[i], to.uid);
	}
	return 0;
}

static int open_view(struct create *c, struct error *err)
{
	return file_open_beneath(c->box_fd, "work/.git", O_RDONLY | O_DIRECTORY, 0, err);
}

static int write_view(struct create *c, struct error *err)
{
	FD_AUTO view = open_view(c, err);

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

static struct lower_box lowering(const struct create *c, struct ids ids, const struct strv *objects)
{
	const char *user = env_get("USER");

	return (struct lower_box){
		.name = c->req->name,
		.id = c->m->id,
		.box_dir = c->path.data,
		.repo_top = c->req->repo->top.data,
		.home = c->m->home.data,
		.user = user ? user : "box",
		.objects = strv_argv(objects),
		.uid = ids.uid,
		.gid = ids.gid,
	};
}

static int start_mason(struct create *c, struct ids ids, struct error *err)
{
	BUF_AUTO work = BUF_INIT;
	BUF_AUTO lfs = BUF_INIT;
	struct lower_box lower = lowering(c, ids, &c->facts.objects);

	lfs_objects(c->req->repo, &lfs);
	if (lfs.len)
		lower.lfs = lfs.data;
	buf_fmt(&work, "%s/work", c->path.data);
	const char *const argv[] = { MASON_PATH, "checkout", work.data, lower.lfs, NULL };

	if (give_dirs(c, ids, err))
		return -1;
	c->early_ids = ids;
	return mason_start(&lower, argv, &c->mason, err);
}

int create_private_start(struct create *c, struct error *err)
{
	struct error ignored = ERROR_INIT;
	struct ids ids;

	if (make_dirs(c, err))
		return -1;
	if (!ids_choose(NULL, &ids, &ignored) && start_mason(c, ids, &ignored))
		mason_job_release(&c->mason);
	return 0;
}

int create_private_meanwhile(struct create *c, struct error *err)
{
	FD_AUTO view = -1;

	if (file_mkdir(c->box_fd, "work/.git", 0755, err))
		return -1;
	view = open_view(c, err);
	return view < 0 ? -1 : gitdir_begin_view(view, c->facts.objects.v[0], err);
}

void create_private_stop(struct create *c)
{
	struct error ignored = ERROR_INIT;

	mason_job_release(&c->mason);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		(void)file_remove_tree(c->box_fd, dirs[i], &ignored);
}

/* The mason that was started early, unless it has other ids than the box. */
static int need_mason(struct create *c, struct error *err)
{
	struct ids ids = { c->m->uid, c->m->gid };

	if (c->mason.session && c->early_ids.uid == ids.uid && c->early_ids.gid == ids.gid)
		return 0;
	mason_job_release(&c->mason);
	return start_mason(c, ids, err);
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
	BUF_AUTO commit = BUF_INIT;
	struct error late = ERROR_INIT;
	int failed;

	buf_fmt(&commit, "%s\n", c->facts.commit.data);
	if (mason_feed(&c->mason, commit.data, err))
		return -1;
	failed = create_start_late(c, &late) || create_finish_late(c, &late) ||
		 write_private(c, &late);
	if (mason_finish(&c->mason, err))
		return partial_hint(c, err);
	if (failed) {
		*err = late;
		return -1;
	}
	return 0;
}

static int set_up_lfs(struct create *c, struct error *err)
{
	BUF_AUTO lines = BUF_INIT;
	FD_AUTO git = -1;

	if (!lfs_filled(&c->mason.out, c->notes))
		return 0;
	lfs_settings(&lines);
	git = file_open_beneath(c->box_fd, "git", O_RDONLY | O_DIRECTORY, 0, err);
	return git < 0 ? -1 : gitdir_add_config(git, &lines, err);
}

/* Their git directories, while the host may still write in that of the box. */
static int find_submodules(struct create *c, struct submodules *found, struct error *err)
{
	FD_AUTO git = file_open_beneath(c->box_fd, "git", O_RDONLY | O_DIRECTORY, 0, err);

	if (git < 0)
		return -1;
	submodules_find(c->req->repo, c->facts.commit.data, &c->m->objects, found);
	return submodules_write(found, git, &c->m->objects, &c->facts, err);
}

static int fill_submodules(struct create *c, const struct submodules *found, struct error *err)
{
	const struct lower_box lower =
		lowering(c, (struct ids){ c->m->uid, c->m->gid }, &c->m->objects);
	BUF_AUTO work = BUF_INIT;
	BUF_AUTO list = BUF_INIT;
	BUF_AUTO filled = BUF_INIT;
	const struct submodules_said said = { &c->mason.out, &filled };

	buf_fmt(&work, "%s/work", c->path.data);
	const char *const argv[] = { MASON_PATH, "submodules", work.data, NULL };

	submodules_list(found, &list);
	if (list.len && mason_run_fed(&lower, argv, &list, &filled, err))
		return error_wrap(err, "cannot check out the submodules");
	submodules_result(found, &said, &c->m->submodules, c->notes);
	return list.len ? manifest_prepare(c->box_fd, c->m, err) : 0;
}

/* The mason said whether there are any. */
static bool has_submodules(const struct create *c)
{
	return strstr(c->mason.out.data, "submodule ") != NULL;
}

static int give_both(struct create *c, struct error *err)
{
	return give_git(c, "git", err) || give_git(c, "work/.git", err) ? -1 : 0;
}

static int finish_submodules(struct create *c, struct error *err)
{
	SUBMODULES_AUTO found = SUBMODULES_INIT;

	return find_submodules(c, &found, err) || give_both(c, err) ||
			       fill_submodules(c, &found, err) ?
		       -1 :
		       0;
}

static int make(struct create *c, struct error *err)
{
	if (need_mason(c, err) || write_view(c, err))
		return -1;
	if (check_out(c, err) || copy_index(c, err) || set_up_lfs(c, err) ||
	    (has_submodules(c) ? finish_submodules(c, err) : give_both(c, err)))
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
