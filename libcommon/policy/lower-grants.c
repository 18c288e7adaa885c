#include "base/base.h"

#include <limits.h>
#include <sys/stat.h>

#include "policy/lower-parts.h"

#define BOXES "/box/b/"	   /* between the repository's git directory and a box's id */
#define OVERFLOW_UID 65534 /* whom root appears as in a user namespace without root */

/*
 * What a distribution installs, and nobody but root can change. Everything else
 * is shown as an overlay: a bind would let the box connect to every socket below
 * it and write into every FIFO, read-only or not. The place counts as well as
 * the owner, since for an operator who is root everything is root's.
 */
static bool is_software(const char *path, const struct stat *st)
{
	bool root = st->st_uid == 0 || st->st_uid == OVERFLOW_UID;
	bool place = path_within(path, "/usr") || path_within(path, "/nix/store");

	return root && place && !(st->st_mode & 022);
}

/*
 * A place that is shown under its own name: what lies below it needs no mount, and its symlinks are
 * visible.
 */
static bool shown_already(const struct spots *spots, const char *path)
{
	for (size_t i = 0; i < spots->len; i++) {
		const struct spot *s = &spots->v[i];
		if (s->src && strcmp(s->src, s->dst) == 0 && path_within(path, s->dst))
			return true;
	}
	return false;
}

static void add_place(struct lower *l, struct spots *spots, const struct spot *spot, bool write)
{
	spots_add(spots, spot);
	if (spot->file)
		lower_may_file(l, spot->dst, write);
	else if (write)
		lower_may_write(l, spot->dst);
	else
		lower_may_read(l, spot->dst);
}

static void add_grant(struct lower *l, struct spots *spots, const struct spot *spot, bool write)
{
	struct spot own = *spot;

	own.dst = spot->src;
	if (write || !shown_already(spots, own.dst))
		add_place(l, spots, &own, write);
	/* Reached through a symlink: shown at that name too, unless the link itself is shown. */
	if (strcmp(spot->src, spot->dst) != 0 && (write || !shown_already(spots, spot->dst)))
		add_place(l, spots, spot, write);
}

static int grant(struct lower *l, struct spots *spots, const char *path, bool write,
		 struct error *err)
{
	char canonical[PATH_MAX];
	struct stat st;

	if (lstat(path, &st) || !realpath(path, canonical) || stat(canonical, &st))
		return 0; /* not installed here */
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return error_set(err, ERR_REFUSED,
				 "'%.256s' can not be shown in a box: neither file nor directory",
				 path);
	struct spot spot = {
		.dst = path, .src = canonical, .flags = PLAN_OPTIONAL, .file = S_ISREG(st.st_mode)
	};
	bool software = is_software(canonical, &st);
	spot.op = write || software || spot.file ? PLAN_BIND : PLAN_OVERLAY;
	spot.flags |= write ? 0 : PLAN_RO;
	/* What is mounted below the software of the system belongs to it. */
	spot.flags |= software ? PLAN_REC : 0;
	add_grant(l, spots, &spot, write);
	return 0;
}

int lower_grants(struct lower *l, const struct policy *p, struct spots *spots, struct error *err)
{
	for (size_t i = 0; i < p->read.len; i++)
		if (grant(l, spots, p->read.v[i], false, err))
			return -1;
	for (size_t i = 0; i < p->write.len; i++)
		if (grant(l, spots, p->write.v[i], true, err))
			return -1;
	return 0;
}

size_t lower_common_len(const struct lower_box *box)
{
	const char *cut = NULL;

	for (const char *at = box->box_dir; (at = strstr(at, BOXES)); at++)
		cut = at;
	return cut ? (size_t)(cut - box->box_dir) : 0;
}

/*
 * A repository below software that is shown as a whole: the directories of its
 * other boxes would be shown too, with what they keep from each other.
 */
void lower_hide_boxes(struct lower *l, const struct spots *spots)
{
	const char *dir = l->box->box_dir;
	size_t len = lower_common_len(l->box);
	BUF_AUTO boxes = BUF_INIT;

	if (!len || path_within(dir, l->box->repo_top) || !shown_already(spots, dir))
		return;
	buf_add(&boxes, dir, len + strlen("/box"));
	lower_step(l->out, PLAN_MASK, 0, NULL, boxes.data);
}

static bool within_any(const struct strv *dirs, const char *path)
{
	for (size_t i = 0; i < dirs->len; i++)
		if (path_within(path, dirs->v[i]))
			return true;
	return false;
}

bool lower_visible(const struct policy *p, const struct lower_box *box, const char *path)
{
	static const char *const tops[] = { "/bin", "/sbin", "/lib", "/lib64" };

	for (size_t i = 0; i < ARRAY_SIZE(tops); i++)
		if (path_within(path, tops[i]))
			return true;
	return path_within(path, box->repo_top) || within_any(&p->read, path) ||
	       within_any(&p->write, path);
}
