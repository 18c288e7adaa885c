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
		if (fstatat(b->fd, work_dirs[i], &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
			continue;
		m.uid = st.st_uid;
		m.gid = st.st_gid;
		break;
	}
	manifest_release(&b->m);
	b->m = m;
}

/* The stored manifest where it is this box's own. */
static bool stored(struct box *b, const char *id, const char *file, struct error *why)
{
	int rc = strcmp(file, MANIFEST_FILE) == 0 ? manifest_read(b->fd, &b->m, why) :
						    manifest_read_removed(b->fd, &b->m, why);

	if (rc == 0 && strcmp(b->m.id, id) == 0)
		return true;
	if (rc == 0)
		error_set(why, ERR_CORRUPT, "its manifest is the one of box %s", b->m.id);
	return false;
}

static int open_dir(const struct box_root *root, const char *id, struct box *b, struct error *err)
{
	b->fd = box_dir_open(root, id, err);
	if (b->fd < 0)
		return -1;
	buf_fmt(&b->path, "%s/b/%s", root->path.data, id);
	return 0;
}

int remains_open(const struct box_root *root, const char *id, struct box *out, enum remains *kind_out,
		 struct error *why, struct error *err)
{
	struct error ignored = ERROR_INIT;
	struct box b;

	if (box_open_id(root, id, out, why) == 0) {
		*kind_out = REMAINS_BOX;
		return 0;
	}
	box_init(&b);
	if (open_dir(root, id, &b, err) < 0) {
		box_release(&b);
		return -1;
	}
	if (file_exists(b.fd, MANIFEST_FILE))
		*kind_out = REMAINS_DAMAGED;
	else
		*kind_out = file_exists(b.fd, MANIFEST_REMOVED) ? REMAINS_MARKED : REMAINS_UNFINISHED;
	if (*kind_out == REMAINS_UNFINISHED ||
	    !stored(&b, id, *kind_out == REMAINS_DAMAGED ? MANIFEST_FILE : MANIFEST_REMOVED, &ignored))
		made_up(&b, id);
	*out = b;
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
	if (renameat(b->fd, MANIFEST_FILE, b->fd, MANIFEST_REMOVED) < 0 || fsync(b->fd) < 0)
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
	static const char *const first[] = { "work", "git", "home", "tmp", "snap", "session", "policy.json" };
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
			return error_sys(err, errno, "cannot remove %s/%s", b->path.data, work_dirs[i]);
	}
	return 0;
}

int remains_clear(const struct repo *repo, const struct box_root *root, const struct box *b, enum remains kind,
		  struct error *err)
{
	if (free_names(root, b->m.id, err) < 0)
		return -1;
	if (!keep_exists(root, b->m.id) && remains_unpin(repo, b->m.id, err) < 0)
		return -1;
	if (kind == REMAINS_UNFINISHED && file_exists(repo->common_fd, "worktrees") &&
	    work_worktree.empty(repo, b, err) < 0)
		return -1;
	if (kind != REMAINS_UNFINISHED &&
	    (work_ops_for(b->m.tier)->empty(repo, b, err) < 0 || remove_emptied(b, err) < 0))
		return -1;
	return remove_rest(root, b, err);
}
