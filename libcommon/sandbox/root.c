#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

#define OLD_NAME ".old"

static int fail(struct fault *f, enum fault_step step, size_t index)
{
	f->step = (uint16_t)step;
	f->index = (uint16_t)index;
	f->sys = errno;
	return -1;
}

/*
 * The new root is a tmpfs mounted over /proc, a directory that every system
 * has; pivot_root moves it to the top, so the host's /proc is visible again
 * below the old root, which overlay sources and the mounting of a fresh procfs
 * need.
 */
static int enter_new_root(void)
{
	if (mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV,
		  "mode=0755,size=16m,nr_inodes=16k"))
		return -1;
	if (chdir("/proc") || mkdir(OLD_NAME, 0700))
		return -1;
	if (syscall(SYS_pivot_root, ".", OLD_NAME))
		return -1;
	return chdir("/");
}

static int mount_all(const struct plan *p, struct mount_roots *roots, struct mounted *done,
		     struct fault *f)
{
	const struct plan_mount *m = plan_mounts(p);

	for (size_t i = 0; i < p->mounts.len; i++) {
		int r = inside_mount(p, &m[i], roots);
		if (r < 0)
			return fail(f, STEP_MOUNT, i);
		done->made[i] = r > 0;
	}
	return 0;
}

int inside_enter_root(struct fault *f)
{
	/* First act: nothing that the host mounts later may appear inside, nor ours outside. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return fail(f, STEP_PRIVATE, 0);
	return enter_new_root() ? fail(f, STEP_ROOT, 0) : 0;
}

int inside_build_root(const struct plan *p, struct mounted *done, struct fault *f)
{
	struct mount_roots roots = { .box_fd = -1, .parent_fd = -1 };
	roots.old_fd = open("/" OLD_NAME, O_PATH | O_DIRECTORY | O_CLOEXEC);
	roots.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (roots.old_fd < 0 || roots.root_fd < 0)
		return fail(f, STEP_ROOT, 1);
	const char *box = plan_str(p, p->box_root);
	if (box[0]) {
		roots.box_fd = openat(roots.old_fd, box + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (roots.box_fd < 0)
			return fail(f, STEP_ROOT, 2);
	}
	if (mount_all(p, &roots, done, f))
		return -1;
	inside_forget_parent(&roots);
	close(roots.old_fd);
	close(roots.root_fd);
	if (roots.box_fd >= 0)
		close(roots.box_fd);
	return 0;
}

int inside_leave_old_root(const struct plan *p, struct fault *f)
{
	if (umount2("/" OLD_NAME, MNT_DETACH) || rmdir("/" OLD_NAME))
		return fail(f, STEP_DETACH_OLD, 0);
	if (p->bits & PLAN_ROOT_RO &&
	    mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL))
		return fail(f, STEP_ROOT_RO, 0);
	return 0;
}
