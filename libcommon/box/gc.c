/*
 * gc (declared in box/remove.h): what crashes, removals and time leave. Everywhere
 * what a create makes later is looked at first, so that a create that runs meanwhile
 * is never taken for a leftover.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "box/intake.h"
#include "box/keep.h"
#include "box/remains.h"
#include "box/remove.h"
#include "sandbox/limits.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"

#define YOUNG_US (60 * 1000000LL)

struct gc {
	const struct repo *repo;
	const struct box_root *root;
	uint64_t keep_ms;
	bool dry_run;
	struct gc_report *report;
};

void gc_report_release(struct gc_report *r)
{
	for (size_t i = 0; i < r->len; i++) {
		buf_release(&r->v[i].what);
		buf_release(&r->v[i].restore);
	}
	free(r->v);
	*r = (struct gc_report)GC_REPORT_INIT;
}

/* why: NULL where it went well. */
static void note(const struct gc *gc, const char *kind, const char *what, const struct error *why)
{
	struct gc_report *r = gc->report;
	struct gc_item item = {
		.kind = kind, .what = BUF_INIT, .restore = BUF_INIT, .err = ERROR_INIT
	};

	buf_str(&item.what, what);
	if (why)
		item.err = *why;
	r->v = xrealloc(r->v, size_mul(r->len + 1, sizeof(*r->v)));
	r->v[r->len++] = item;
}

static void done(const struct gc *gc, const char *kind, const char *what, int rc,
		 const struct error *why)
{
	note(gc, kind, what, rc < 0 ? why : NULL);
}

static void gc_whole(const struct gc *gc, const char *kind, const struct box *b, uint64_t keep_ms)
{
	struct error err = ERROR_INIT;
	struct remove_request req = {
		.repo = gc->repo, .name = b->m.id, .force = true, .keep_ms = keep_ms
	};
	struct remove_result result;
	int rc;

	remove_result_init(&result);
	rc = gc->dry_run ? 0 : box_remove(&req, &result, &err);
	done(gc, kind, b->m.name.data, rc, &err);
	if (rc == 0 && result.bundle.len > 0)
		remove_restore_command(&result, &gc->report->v[gc->report->len - 1].restore);
	remove_result_release(&result);
}

/*
 * A box for one command whose front was killed. Between its create and its command nobody
 * holds its lock for a moment, hence the age.
 */
static bool is_abandoned(const struct box *b)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO lock = -1;

	if (!b->m.temporary || clock_now_us() - b->m.created_us < YOUNG_US)
		return false;
	lock = box_lock(b, true, 0, &ignored);
	return lock >= 0;
}

/* A create or removal that lives holds a claim or the lock: no leftover, not worth a word. */
static void gc_remainder(const struct gc *gc, const struct remains *r)
{
	const struct box *b = &r->box;
	struct error err = ERROR_INIT;
	FD_AUTO lock = -1;
	bool claimed;
	int rc = 0;

	if (box_id_claimed(gc->root, b->m.id, &claimed, &err) < 0 || claimed)
		return;
	if (r->kind == REMAINS_UNFINISHED && file_exists(b->fd, MANIFEST_FILE))
		return;
	if (!gc->dry_run) {
		lock = remains_lock(b, &err);
		if (lock < 0 && (err.kind == ERR_BUSY || err.kind == ERR_NOTFOUND))
			return;
		rc = lock < 0 ? -1 : remains_clear(gc->repo, gc->root, r, &err);
	}
	done(gc, r->kind == REMAINS_MARKED ? "removed" : "unfinished", b->m.name.data, rc, &err);
}

static void gc_box(const struct gc *gc, const char *id)
{
	struct error err = ERROR_INIT;
	struct remains r;

	if (remains_open(gc->root, id, &r, &err) < 0) {
		if (err.kind != ERR_NOTFOUND)
			note(gc, "unfinished", id, &err);
		return;
	}
	if (r.kind == REMAINS_BOX && r.box.m.state == BOX_ABORTED)
		gc_whole(gc, "aborted", &r.box, gc->keep_ms);
	else if (r.kind == REMAINS_BOX && is_abandoned(&r.box))
		gc_whole(gc, "abandoned", &r.box, 0);
	else if (r.kind == REMAINS_MARKED || r.kind == REMAINS_UNFINISHED)
		gc_remainder(gc, &r);
	box_release(&r.box);
}

static bool dir_exists(const struct gc *gc, const char *id)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "b/%s", id);
	return file_exists(gc->root->fd, path.data);
}

/* A maker claims the name before it makes the directory: so the claim is asked for first. */
static bool name_is_left(const struct gc *gc, const char *name, char id_out[BOX_ID_LEN + 1])
{
	struct error why = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;

	if (box_name_claimed(gc->root, name))
		return false;
	if (box_name_id(gc->root, name, id_out, &why) == 0)
		return !dir_exists(gc, id_out);
	id_out[0] = '\0';
	/* It holds no id at all, whatever the reason. */
	buf_fmt(&path, "name/%s", name);
	return why.kind == ERR_CORRUPT ||
	       (why.kind == ERR_NOTFOUND && file_exists(gc->root->fd, path.data));
}

static int gc_names(const struct gc *gc, struct error *err)
{
	STRV_AUTO names = STRV_INIT;

	if (box_names(gc->root, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.len; i++) {
		struct error why = ERROR_INIT;
		char id[BOX_ID_LEN + 1];

		if (name_is_left(gc, names.v[i], id))
			done(gc, "name", names.v[i],
			     gc->dry_run ? 0 : box_name_free(gc->root, names.v[i], id, &why), &why);
	}
	return 0;
}

/* A clock that was set back makes things look younger: they stay. */
static bool expired(const struct gc *gc, int64_t kept_us)
{
	int64_t age_us = clock_now_us() - kept_us;

	return age_us >= 0 && (uint64_t)age_us / 1000 >= gc->keep_ms;
}

static int drop_bundle(const struct gc *gc, const char *id, struct error *err)
{
	if (keep_drop(gc->root, id, err) < 0)
		return -1;
	return remains_unpin(gc->repo, id, err);
}

/* While its directory is there a bundle belongs to a removal that may go on. */
static int gc_bundles(const struct gc *gc, struct error *err)
{
	STRV_AUTO ids = STRV_INIT;

	if (keep_ids(gc->root, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.len; i++) {
		struct error why = ERROR_INIT;

		if (dir_exists(gc, ids.v[i]) || !expired(gc, keep_time(gc->root, ids.v[i])))
			continue;
		done(gc, "bundle", ids.v[i], gc->dry_run ? 0 : drop_bundle(gc, ids.v[i], &why),
		     &why);
	}
	return 0;
}

/* Without any box/ directory (removed by hand) every pin is one too many. */
static int list_pins(const struct gc *gc, struct strv *ids, struct error *err)
{
	static const char *const args[] = { "for-each-ref", "--format=%(refname)", BOX_REF_BASE,
					    NULL };
	BUF_AUTO out = BUF_INIT;

	if (git_want(gc->repo, args, NULL, &out, err) < 0)
		return -1;
	for (const char *p = out.data; *p;) {
		size_t len = strcspn(p, "\n");

		if (len > strlen(BOX_REF_BASE))
			strv_addf(ids, "%.*s", (int)(len - strlen(BOX_REF_BASE)),
				  p + strlen(BOX_REF_BASE));
		p += len + (p[len] == '\n');
	}
	return 0;
}

/*
 * Judged at the start: what is cleared meanwhile takes its pin along. A create makes its directory
 * before the pin, so the pins are listed first.
 */
static int find_orphans(const struct gc *gc, struct strv *out, struct error *err)
{
	STRV_AUTO ids = STRV_INIT;

	if (list_pins(gc, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.len; i++) {
		if (box_id_valid(ids.v[i]) && !dir_exists(gc, ids.v[i]) &&
		    !keep_exists(gc->root, ids.v[i]))
			strv_add(out, ids.v[i]);
	}
	return 0;
}

static void gc_pins(const struct gc *gc, const struct strv *orphans)
{
	for (size_t i = 0; i < orphans->len; i++) {
		struct error why = ERROR_INIT;
		const char *id = orphans->v[i];

		done(gc, "ref", id, gc->dry_run ? 0 : remains_unpin(gc->repo, id, &why), &why);
	}
}

/*
 * A git that was killed while it wrote a pin leaves the lock of that one ref. No git takes so
 * long over one ref, and nobody makes this ref again.
 */
static bool is_stale_lock(const struct gc *gc, int dir, const char *name)
{
	char id[BOX_ID_LEN + 1];
	struct stat st;

	if (strlen(name) != BOX_ID_LEN + 5 || strcmp(name + BOX_ID_LEN, ".lock") != 0)
		return false;
	memcpy(id, name, BOX_ID_LEN);
	id[BOX_ID_LEN] = '\0';
	if (!box_id_valid(id) || dir_exists(gc, id))
		return false;
	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       clock_now_us() - (int64_t)st.st_mtim.tv_sec * 1000000 > YOUNG_US;
}

static void gc_ref_locks(const struct gc *gc)
{
	FD_AUTO fd = openat(gc->repo->common_fd, BOX_REF_BASE,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		return;
	fd_take(&fd);
	for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
		struct error why = ERROR_INIT;
		int rc = 0;

		if (!is_stale_lock(gc, dirfd(dir), e->d_name))
			continue;
		if (!gc->dry_run && unlinkat(dirfd(dir), e->d_name, 0))
			rc = error_sys(&why, errno, "cannot remove the lock");
		done(gc, "lock", e->d_name, rc, &why);
	}
	closedir(dir);
}

/* Of sessions of any repository: a cgroup does not say whose it was, only that nobody holds it. */
static void gc_cgroups(const struct gc *gc)
{
	STRV_AUTO swept = STRV_INIT;

	limits_cgroup_sweep(gc->dry_run, &swept);
	for (size_t i = 0; i < swept.len; i++)
		note(gc, "cgroup", swept.v[i], NULL);
}

/* Objects that an intake was looking at when it was killed. */
static int gc_quarantines(const struct gc *gc, struct error *err)
{
	STRV_AUTO swept = STRV_INIT;
	FD_AUTO dir = openat(gc->root->fd, INTAKE_DIR,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return errno == ENOENT ? 0 : error_sys(err, errno, "cannot open " INTAKE_DIR);
	if (quarantine_sweep(dir, gc->dry_run, &swept, err) < 0)
		return -1;
	for (size_t i = 0; i < swept.len; i++)
		note(gc, "quarantine", swept.v[i], NULL);
	return 0;
}

int box_gc(const struct repo *repo, uint64_t keep_ms, bool dry_run, struct gc_report *out,
	   struct error *err)
{
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;
	struct error none = ERROR_INIT;
	struct gc gc = {
		.repo = repo, .root = &root, .keep_ms = keep_ms, .dry_run = dry_run, .report = out
	};
	STRV_AUTO orphans = STRV_INIT;
	STRV_AUTO ids = STRV_INIT;

	if (box_root_open(repo, false, &root, &none) < 0 && none.kind != ERR_NOTFOUND) {
		*err = none;
		return -1;
	}
	if (find_orphans(&gc, &orphans, err) < 0 ||
	    (root.fd >= 0 && box_ids(&root, &ids, NULL, err) < 0))
		return -1;
	for (size_t i = 0; i < ids.len; i++)
		gc_box(&gc, ids.v[i]);
	if (root.fd >= 0 && (gc_names(&gc, err) < 0 || gc_bundles(&gc, err) < 0 ||
			     gc_quarantines(&gc, err) < 0))
		return -1;
	gc_pins(&gc, &orphans);
	gc_ref_locks(&gc);
	gc_cgroups(&gc);
	return 0;
}
