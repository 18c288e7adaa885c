#include "base/base.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "policy/lower-parts.h"
#include "sys/fd.h"
#include "sys/file.h"

#define HOME_FALLBACK "/home/box"
#define FILES_MAX     65536
#define SHM_DEFAULT   (1ull << 30)

/* Places that a box makes for itself; a work tree or a home can not appear there. */
static const char *const reserved[] = { "/bin",	   "/boot", "/etc",	"/lib",	 "/lib32", "/lib64",
					"/libx32", "/proc", "/run/box", "/sbin", "/sys" };

static bool is_reserved(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (path_within(path, reserved[i]) || path_within(reserved[i], path))
			return true;
	return path_within("/var/tmp", path) || path_within("/tmp", path) ||
	       path_within("/usr", path) || path_within(HOME_FALLBACK, path) ||
	       path_within("/dev/pts", path);
}

const char *lower_home(const struct lower_box *box)
{
	const char *home = box->home;

	/*
	 * HOME inside the work tree, or a repository that is the home itself: the work tree has the
	 * place.
	 */
	if (home[0] != '/' || is_reserved(home) || path_within(home, box->repo_top))
		return HOME_FALLBACK;
	/* Nothing can be made in what is shown read-only. */
	if ((path_within(home, "/usr") || path_within(home, "/opt")) && access(home, F_OK))
		return HOME_FALLBACK;
	return home;
}

static int check_top(const struct lower_box *box, struct error *err)
{
	if (box->repo_top[0] == '/' && !is_reserved(box->repo_top))
		return 0;
	error_set(err, ERR_REFUSED,
		  "a repository at '%.256s' can not be shown at its own path in a box",
		  box->repo_top);
	return error_hint(err, "clone it to another directory");
}

static void own_place(struct lower *l, struct spots *spots, const char *name, const char *dst)
{
	BUF_AUTO src = BUF_INIT;

	buf_fmt(&src, "%s/%s", l->box->box_dir, name);
	struct spot spot = {
		.dst = dst, .src = src.data, .op = PLAN_BIND, .flags = PLAN_SRC_HOST_ONLY
	};
	spots_add(spots, &spot);
	lower_may_write(l, dst);
}

/*
 * Makes every directory strictly between base and path a mount point, so that
 * none can be renamed while commands run: what lies in it would be replaceable.
 */
static void hold_between(struct spots *spots, const char *base, const char *path, struct spot *how)
{
	size_t base_len = strlen(base);

	if (!path_within(path, base) || !path[base_len])
		return;
	BUF_AUTO dir = BUF_INIT;
	for (const char *slash = strchr(path + base_len + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		buf_reset(&dir);
		buf_add(&dir, path, (size_t)(slash - path));
		how->dst = dir.data;
		how->op = PLAN_SELF;
		if (!spots_has(spots, dir.data))
			spots_add(spots, how);
	}
}

/* Where the work tree and the home lie below other places that the box can write. */
static void hold_ways(const struct lower_box *box, struct spots *spots)
{
	const char *home = lower_home(box);
	const char *const bases[] = { "/tmp", "/var/tmp", home };
	struct spot made = { .make = true };

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		hold_between(spots, bases[i], home, &made);
		hold_between(spots, bases[i], box->repo_top, &made);
	}
}

/*
 * What the box may not change in its work tree, where it is there. A symlink on
 * the way is not followed: the box could have put it there.
 */
static int protect(const struct lower *l, const struct policy *p, struct spots *spots,
		   struct error *err)
{
	FD_AUTO box_fd = file_open_dir(AT_FDCWD, l->box->box_dir, err);
	BUF_AUTO path = BUF_INIT;

	if (box_fd < 0)
		return -1;
	for (size_t i = 0; i < p->protect.len; i++) {
		struct error missing = ERROR_INIT;
		buf_reset(&path);
		buf_fmt(&path, "work/%s", p->protect.v[i]);
		FD_AUTO fd = file_open_beneath(box_fd, path.data, O_PATH, 0, &missing);
		if (fd < 0)
			continue;
		buf_reset(&path);
		buf_fmt(&path, "%s/%s", l->box->repo_top, p->protect.v[i]);
		struct spot held = { .flags = PLAN_OPTIONAL };
		hold_between(spots, l->box->repo_top, path.data, &held);
		struct spot kept = { .dst = path.data,
				     .op = PLAN_SELF,
				     .flags = PLAN_RO | PLAN_OPTIONAL };
		spots_add(spots, &kept);
	}
	return 0;
}

static void objects(struct lower *l)
{
	BUF_AUTO dst = BUF_INIT;

	/*
	 * Binds, not overlays: the host goes on writing there, and what an overlay
	 * shows of a lower layer that changes is undefined.
	 */
	for (size_t i = 0; l->box->objects[i]; i++) {
		buf_reset(&dst);
		buf_fmt(&dst, "/run/box/objects/%zu", i);
		lower_step(l->out, PLAN_BIND, PLAN_RO | PLAN_NOEXEC | (i ? PLAN_OPTIONAL : 0),
			   l->box->objects[i], dst.data);
		/* The list is flattened; what a store says itself are paths of the host, and git
		 * would complain. */
		buf_str(&dst, "/info/alternates");
		lower_step(l->out, PLAN_MASK, PLAN_OPTIONAL, NULL, dst.data);
	}
	lower_may_read(l, "/run");
}

static void devices(struct lower *l, uint64_t memory)
{
	BUF_AUTO options = BUF_INIT;

	lower_dev(l);
	lower_step(l->out, PLAN_DEVPTS, PLAN_DEV, NULL, "/dev/pts");
	lower_symlink(l->out, "/dev/ptmx", "pts/ptmx");
	/*
	 * Its pages count against the box only where there is a cgroup, hence a bound of its own.
	 *
	 */
	buf_fmt(&options, "mode=1777,size=%llu,nr_inodes=65536",
		(unsigned long long)(memory ? memory / 4 : SHM_DEFAULT));
	struct plan_step shm = { .op = PLAN_TMPFS,
				 .mode = 01777,
				 .dst = "/dev/shm",
				 .data = options.data,
				 .data_len = options.len };
	plan_mount(l->out, &shm);
	lower_may_write(l, "/dev/shm");
}

static void limits(const struct policy *p, struct plan_builder *out)
{
	plan_rlimit(out, RLIMIT_CORE, 0);
	plan_rlimit(out, RLIMIT_NOFILE, FILES_MAX);
	/*
	 * Memory has no rlimit that fits: AS and DATA both count address space that
	 * runtimes and sanitizers reserve and never use. The cgroup or the monitor's
	 * watchdog holds it.
	 */
	if (p->processes)
		plan_rlimit(out, RLIMIT_NPROC, p->processes);
	if (p->file_size)
		plan_rlimit(out, RLIMIT_FSIZE, p->file_size);
	if (p->cpu_ms)
		plan_rlimit(out, RLIMIT_CPU, (p->cpu_ms + 999) / 1000);
	out->head.memory_hi = (uint32_t)(p->memory >> 32);
	out->head.memory_lo = (uint32_t)p->memory;
}

static int places(struct lower *l, const struct policy *p, struct spots *spots, struct error *err)
{
	const struct lower_box *box = l->box;
	BUF_AUTO git = BUF_INIT;

	if (lower_grants(l, p, spots, err))
		return -1;
	own_place(l, spots, "tmp", "/tmp");
	own_place(l, spots, "tmp", "/var/tmp");
	own_place(l, spots, "home", lower_home(box));
	hold_ways(box, spots);
	own_place(l, spots, "work", box->repo_top);
	buf_fmt(&git, "%s/.git", box->repo_top);
	own_place(l, spots, "git", git.data);
	return protect(l, p, spots, err);
}

int lower_box(const struct policy *p, const struct lower_box *box, struct plan_builder *out,
	      struct error *err)
{
	SPOTS_AUTO spots = SPOTS_INIT;
	struct lower l;

	if (check_top(box, err))
		return -1;
	lower_begin(&l, box, out);
	out->head.cwd = plan_string(out, box->repo_top);
	lower_usr_links(&l);
	lower_accounts(&l, lower_home(box));
	lower_etc_made(&l);
	lower_etc_host(&l);
	devices(&l, p->memory);
	lower_proc(&l);
	objects(&l);
	lower_symlink(out, "/var/run", "/run");
	if (places(&l, p, &spots, err))
		return -1;
	spots_emit(&spots, out);
	lower_hide_boxes(&l, &spots);
	limits(p, out);
	return lower_end(&l, FILTER_PAYLOAD, err);
}
