#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/env.h"
#include "box/box.h"
#include "box/session.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/lock.h"

#define POLICY_FILE "policy.json"
#define POLICY_MAX (1u << 20)
#define LIVE_SHOWN 3

void box_init(struct box *b)
{
	b->fd = -1;
	b->path = (struct buf)BUF_INIT;
	manifest_init(&b->m);
	policy_init(&b->policy);
}

void box_release(struct box *b)
{
	fd_close(&b->fd);
	buf_release(&b->path);
	manifest_release(&b->m);
	policy_release(&b->policy);
}

int box_dir_open(const struct box_root *root, const char *id, struct error *err)
{
	struct error why = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;
	FD_AUTO fd = -1;
	struct stat st;

	if (!box_id_valid(id))
		return error_set(err, ERR_NOTFOUND, "there is no box with that id");
	buf_fmt(&path, "b/%s", id);
	fd = file_open_beneath(root->fd, path.data, O_RDONLY | O_DIRECTORY, 0, &why);
	if (fd < 0 && why.kind == ERR_NOTFOUND)
		return error_set(err, ERR_NOTFOUND, "there is nothing left of it");
	if (fd < 0) {
		*err = why;
		return -1;
	}
	if (fstat(fd, &st) < 0)
		return error_sys(err, errno, "cannot look at %s/%s", root->path.data, path.data);
	if (st.st_uid != geteuid())
		return error_set(err, ERR_REFUSED, "%s/%s belongs to uid %u and not to you",
				 root->path.data, path.data, (unsigned)st.st_uid);
	return fd_take(&fd);
}

static int read_policy(int box_fd, struct policy *out, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	if (file_read(box_fd, POLICY_FILE, POLICY_MAX, &text, err) < 0)
		return -1;
	return policy_from_json(text.data, text.len, out, err);
}

/* A policy that is not the one of the manifest would confine the box otherwise than its owner was
 * told. */
static int check_policy(const struct box *b, struct error *err)
{
	char digest[65];

	policy_digest(&b->policy, digest);
	if (strcmp(digest, b->m.policy_digest) != 0)
		error_set(err, ERR_CORRUPT,
			  "its policy was changed after it was made (digest %.12s, not %.12s)",
			  digest, b->m.policy_digest);
	else if (b->policy.tier != b->m.tier)
		error_set(err, ERR_CORRUPT, "its policy is of tier '%s', its manifest of tier '%s'",
			  tier_names[b->policy.tier], tier_names[b->m.tier]);
	else if (strcmp(b->policy.profile.data, b->m.profile.data) != 0)
		error_set(err, ERR_CORRUPT,
			  "its policy is of profile '%s', its manifest of profile '%s'",
			  b->policy.profile.data, b->m.profile.data);
	else
		return 0;
	return error_hint(err, "make a new box, or put the old policy.json back; nothing runs in "
			       "it until then");
}

static int load(struct box *b, const char *id, struct error *err)
{
	if (manifest_read(b->fd, &b->m, err) < 0)
		return -1;
	if (strcmp(b->m.id, id) != 0)
		return error_set(err, ERR_CORRUPT, "its manifest is the one of box %s", b->m.id);
	if (read_policy(b->fd, &b->policy, err) < 0)
		return -1;
	return check_policy(b, err);
}

int box_open_id(const struct box_root *root, const char *id, struct box *out, struct error *err)
{
	struct box b;

	box_init(&b);
	b.fd = box_dir_open(root, id, err);
	if (b.fd < 0 || load(&b, id, err) < 0) {
		box_release(&b);
		return error_wrap(err, "box %s", id);
	}
	buf_fmt(&b.path, "%s/b/%s", root->path.data, id);
	*out = b;
	return 0;
}

static bool has_manifest(const struct box_root *root, const char *id)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "b/%s/%s", id, MANIFEST_FILE);
	return file_exists(root->fd, path.data);
}

int box_open(const struct repo *repo, const char *name, struct box *out, struct error *err)
{
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;
	char id[BOX_ID_LEN + 1];

	if (box_root_open(repo, false, &root, err) < 0 || box_find(&root, name, id, err) < 0)
		return -1;
	if (box_open_id(&root, id, out, err) == 0)
		return 0;
	if (err->kind != ERR_NOTFOUND || has_manifest(&root, id))
		return -1;
	error_set(err, ERR_NOTFOUND, "there is no box '%s' now: it is being made or removed", name);
	return error_hint(err, "where that was cut short, git box gc clears it away");
}

static int by_age(const void *left, const void *right)
{
	const struct box_entry *a = left, *b = right;
	bool a_broken = a->err.kind != ERR_NONE, b_broken = b->err.kind != ERR_NONE;

	if (a_broken != b_broken)
		return a_broken ? 1 : -1;
	if (!a_broken && a->box.m.created_us != b->box.m.created_us)
		return a->box.m.created_us < b->box.m.created_us ? -1 : 1;
	return strcmp(a->id, b->id);
}

int box_list(const struct box_root *root, struct box_list *out, struct error *err)
{
	STRV_AUTO ids = STRV_INIT;

	if (box_ids(root, &ids, NULL, err) < 0)
		return -1;
	*out = (struct box_list){ .v = xcalloc(ids.len + 1, sizeof(*out->v)) };
	for (size_t i = 0; i < ids.len; i++) {
		struct box_entry *e = &out->v[out->len];

		if (!has_manifest(root, ids.v[i]))
			continue;
		memcpy(e->id, ids.v[i], sizeof(e->id));
		if (box_open_id(root, ids.v[i], &e->box, &e->err) < 0)
			box_init(&e->box);
		/* One that was removed between the two looks is not broken but gone. */
		if (e->err.kind == ERR_NONE || has_manifest(root, ids.v[i]))
			out->len++;
		else
			*e = (struct box_entry){ .err = ERROR_INIT };
	}
	qsort(out->v, out->len, sizeof(*out->v), by_age);
	return 0;
}

void box_list_release(struct box_list *l)
{
	for (size_t i = 0; i < l->len; i++)
		box_release(&l->v[i].box);
	free(l->v);
	*l = (struct box_list)BOX_LIST_INIT;
}

/* The operator's login name goes into a generated passwd file: only where it is plain, and the uid
 * is theirs. */
static const char *login_name(const struct box *b)
{
	struct error ignored = ERROR_INIT;
	const char *user = env_get("USER");

	if (!user)
		user = env_get("LOGNAME");
	if (!user || b->m.uid != geteuid() || box_name_check(user, &ignored) < 0)
		return "box";
	return user;
}

void box_lowering(const struct box *b, struct lower_box *out)
{
	*out = (struct lower_box){
		.name = b->m.name.data,
		.id = b->m.id,
		.box_dir = b->path.data,
		.repo_top = b->m.repo_top.data,
		.home = b->m.home.data,
		.user = login_name(b),
		.objects = strv_argv(&b->m.objects),
		.uid = b->m.uid,
		.gid = b->m.gid,
	};
}

static int busy(const struct box *b, struct error *err)
{
	struct error ignored = ERROR_INIT;
	struct session_list live = SESSION_LIST_INIT;
	BUF_AUTO what = BUF_INIT;

	if (session_list(b->fd, &live, &ignored) == 0) {
		for (size_t i = 0; i < live.len && i < LIVE_SHOWN; i++)
			buf_fmt(&what, "%s%s", i > 0 ? ", " : ": ", live.v[i].label.data);
		if (live.len > LIVE_SHOWN)
			buf_fmt(&what, " and %zu more", live.len - LIVE_SHOWN);
	}
	session_list_release(&live);
	error_set(err, ERR_BUSY, "box '%s' is in use%s", b->m.name.data, what.data);
	return error_hint(err, "wait for it, or end it: git box abort %s", b->m.name.data);
}

int box_lock(const struct box *b, bool exclusive, uint64_t wait_ms, struct error *err)
{
	struct error why = ERROR_INIT;
	FD_AUTO fd = lock_acquire(b->fd, "lock", exclusive ? LOCK_EXCLUSIVE : LOCK_SHARED, wait_ms,
				  &why);

	if (fd < 0 && why.kind == ERR_BUSY)
		return busy(b, err);
	/* Who held it may have removed the box meanwhile; then even the file may be gone. */
	if (!file_exists(b->fd, MANIFEST_FILE))
		return error_set(err, ERR_NOTFOUND, "box '%s' was removed meanwhile",
				 b->m.name.data);
	if (fd < 0) {
		*err = why;
		return -1;
	}
	return fd_take(&fd);
}

int box_idle(const struct box *b, struct error *err)
{
	struct session_list live = SESSION_LIST_INIT;
	size_t left;

	if (session_list(b->fd, &live, err) < 0)
		return -1;
	left = live.len;
	session_list_release(&live);
	if (left == 0)
		return 0;
	error_set(err, ERR_BUSY, "%zu command%s still live%s in box '%s'", left,
		  left == 1 ? "" : "s", left == 1 ? "s" : "", b->m.name.data);
	return error_hint(err, "wait, or end it: git box abort %s", b->m.name.data);
}

/* A session that just ended still holds the lock while the kernel takes its namespaces down. */
#define LOCK_WAIT_MS 2000

int box_lock_idle(const struct box *b, struct error *err)
{
	FD_AUTO lock = box_lock(b, true, LOCK_WAIT_MS, err);

	return lock < 0 || box_idle(b, err) < 0 ? -1 : fd_take(&lock);
}
