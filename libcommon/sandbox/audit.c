#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

static unsigned long wanted_flags(const struct plan_mount *m)
{
	unsigned long want = ST_NOSUID;
	bool devices = m->flags & PLAN_DEV || m->op == PLAN_DEVPTS || m->op == PLAN_MASK;

	if (m->flags & PLAN_RO || m->op == PLAN_MASK || m->op == PLAN_OVERLAY)
		want |= ST_RDONLY;
	if (!devices)
		want |= ST_NODEV;
	if (m->flags & PLAN_NOEXEC)
		want |= ST_NOEXEC;
	return want;
}

/*
 * EILSEQ: what is at path now is not a mount of its own, or lacks a flag. statfs(2) follows
 * links, so statx(2) says first that there is none at the end; on the way there is none either,
 * since the mount point was reached without.
 */
static int check(const char *path, unsigned long want)
{
	struct statfs fs;
	struct statx sx;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &sx) || statfs(path, &fs))
		return -1;
	bool own = !(sx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
		   sx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	if (own && !S_ISLNK(sx.stx_mode) && ((unsigned long)fs.f_flags & want) == want)
		return 0;
	errno = EILSEQ;
	return -1;
}

/* A later step at the same place hides this one. */
static bool is_covered(const struct plan *p, const struct mounted *done, size_t i)
{
	const struct plan_mount *m = plan_mounts(p);
	const char *dst = plan_str(p, m[i].dst);

	for (size_t j = i + 1; j < p->mounts.len; j++)
		if (done->made[j] && !strcmp(plan_str(p, m[j].dst), dst))
			return true;
	return false;
}

int inside_audit(const struct plan *p, const struct mounted *done, struct fault *f)
{
	const struct plan_mount *m = plan_mounts(p);

	for (size_t i = 0; i < p->mounts.len; i++) {
		if (!done->made[i] || is_covered(p, done, i))
			continue;
		if (check(plan_str(p, m[i].dst), wanted_flags(&m[i]))) {
			*f = (struct fault){ STEP_AUDIT, (uint16_t)i, errno };
			return -1;
		}
	}
	return 0;
}

int inside_audit_root(const struct plan *p, struct fault *f)
{
	unsigned long root = ST_NOSUID | ST_NODEV | (p->bits & PLAN_ROOT_RO ? ST_RDONLY : 0);

	if (!check("/", root))
		return 0;
	*f = (struct fault){ .step = STEP_AUDIT, .index = UINT16_MAX, .sys = errno };
	return -1;
}
