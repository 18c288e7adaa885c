#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "box/keep.h"
#include "box/remains.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/lock.h"

/* Enough of a manifest to clear the directory: whose it is. */
static void made_up(struct box *b, const char *id)
{
	struct manifest m;
	struct stat st;

	manifest_init(&m);
	memcpy(m.id, id, BOX_ID_LEN + 1);
	buf_str(&m.name, id);
	buf_str(&m.repo_top, "/");
	m.tier = TIER_PROCESS;
	m.uid = geteuid();
	m.gid = getegid();
	for (size_t i = 0; work_dirs[i]; i++) {
		if (fstatat(b->fd, work_dirs[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(st.st_mode))
			continue;
		m.uid = st.st_uid;
		m.gid = st.st_gid;
		break;
	}
	manifest_release(&b->m);
	b->m = m;
}

/* The stored manifest where there is one and it is this box's own. */
static bool stored(struct remains *r, const char *id, struct error *why)
{
	struct box *b = &r->box;
	int rc = -1;

	if (r->kind == REMAINS_DAMAGED)
		rc = manifest_read(b->fd, &b->m, why);
	else if (r->kind == REMAINS_MARKED)
		rc = manifest_read_removed(b->fd, &b->m, why);
	return rc == 0 && strcmp(b->m.id, id) == 0;
}

static int open_dir(const struct box_root *root, const char *id, struct box *b, struct error *err)
{
	b->fd = box_dir_open(root, id, err);
	if (b->fd < 0)
		return -1;
	buf_fmt(&b->path, "%s/b/%s", root->path.data, id);
	return 0;
}

static enum remains_kind kind_of(const struct box *b)
{
	if (file_exists(b->fd, MANIFEST_FILE))
		return REMAINS_DAMAGED;
	if (file_exists(b->fd, MANIFEST_REMOVED))
		return REMAINS_MARKED;
	/*
	 * Made by the first command and removed before the mark of a removal: commands ran here, so
	 * there may be work, and the host must not walk it.
	 */
	return file_exists(b->fd, "session") ? REMAINS_DAMAGED : REMAINS_UNFINISHED;
}

int remains_open(const struct box_root *root, const char *id, struct remains *out,
		 struct error *err)
{
	struct remains r = { .kind = REMAINS_BOX, .why = ERROR_INIT };
	struct error ignored = ERROR_INIT;

	if (box_open_id(root, id, &r.box, &r.why) < 0) {
		box_init(&r.box);
		if (open_dir(root, id, &r.box, err) < 0) {
			box_release(&r.box);
			return -1;
		}
		r.kind = kind_of(&r.box);
		if (!stored(&r, id, &ignored))
			made_up(&r.box, id);
	}
	*out = r;
	return 0;
}

int remains_lock(const struct box *b, struct error *err)
{
	FD_AUTO fd = lock_acquire(b->fd, "lock", LOCK_EXCLUSIVE, 0, err);

	if (fd < 0)
		return error_wrap(err, "%s", b->path.data);
	if (!file_exists(b->fd, "lock"))
		return error_set(err, ERR_NOTFOUND, "%s is gone", b->path.data);
	return fd_take(&fd);
}

int remains_mark(const struct box *b, struct error *err)
{
	const struct file_content empty = { .data = "", .len = 0, .mode = 0600 };
	int rc = renameat(b->fd, MANIFEST_FILE, b->fd, MANIFEST_REMOVED);

	/* The manifest was lost: the mark alone says what goes on. */
	if (rc < 0 && errno == ENOENT)
		return file_write_atomic(b->fd, MANIFEST_REMOVED, empty, err);
	if (rc < 0 || fsync(b->fd) < 0)
		return error_sys(err, errno, "cannot mark %s as removed", b->path.data);
	return 0;
}

int remains_unpin(const struct repo *repo, const char *id, struct error *err)
{
	BUF_AUTO ref = BUF_INIT;
	BUF_AUTO none = BUF_INIT;

	buf_fmt(&ref, BOX_REF_BASE "%s", id);
	const char *const args[] = { "update-ref", "-d", ref.data, NULL };
	return git_want(repo, args, NULL, &none, err);
}

/* Every name that stands for the box, also one that its manifest does not know. */
static int free_names(const struct box_root *root, const char *id, struct error *err)
{
	STRV_AUTO names = STRV_INIT;

	if (box_names(root, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.len; i++) {
		if (box_name_free(root, names.v[i], id, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * No command ever ran in a box that did not get its manifest, and none can run in
 * one whose content the mason has removed: the host may walk what is left.
 */
static int remove_rest(const struct box_root *root, const struct box *b, struct error *err)
{
	static const char *const first[] = { "work", "git",	"home",	      "tmp",
					     "snap", "session", "policy.json" };
	BUF_AUTO path = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		if (file_remove_tree(b->fd, first[i], err) < 0)
			return -1;
	}
	buf_fmt(&path, "b/%s", b->m.id);
	return file_remove_tree(root->fd, path.data, err);
}

/* After the mason only empty directories may be left: more is something to stop at. */
static int remove_emptied(const struct box *b, struct error *err)
{
	for (size_t i = 0; work_dirs[i]; i++) {
		if (unlinkat(b->fd, work_dirs[i], AT_REMOVEDIR) < 0 && errno != ENOENT)
			return error_sys(err, errno, "cannot remove %s/%s", b->path.data,
					 work_dirs[i]);
	}
	return 0;
}

int remains_clear(const struct repo *repo, const struct box_root *root, const struct remains *r,
		  struct error *err)
{
	const struct box *b = &r->box;
	bool unfinished = r->kind == REMAINS_UNFINISHED;

	if (free_names(root, b->m.id, err) < 0)
		return -1;
	if (!keep_exists(root, b->m.id) && remains_unpin(repo, b->m.id, err) < 0)
		return -1;
	/* Of which tier it was going to be is not known: a registered worktree must go in git's own
	 * way. */
	if (unfinished && file_exists(repo->common_fd, "worktrees") &&
	    work_worktree.empty(repo, b, err) < 0)
		return -1;
	if (!unfinished &&
	    (work_ops_for(b->m.tier)->empty(repo, b, err) < 0 || remove_emptied(b, err) < 0))
		return -1;
	return remove_rest(root, b, err);
}
