#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/buf.h"
#include "base/num.h"
#include "sandbox/limits.h"
#include "sandbox/scope.h"
#include "sys/fd.h"
#include "sys/file.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define ROOT_PARENT "git-box" /* where an operator who is root keeps sessions */
#define LEAF_PREFIX "git-box-"
#define LEAF_NAME 16 /* hex digits after the prefix */
#define SMALL_FILE 4096

static void say(char why[256], const char *reason)
{
	(void)snprintf(why, 256, "%s", reason);
}

static bool is_pure_v2(void)
{
	struct statfs fs;

	return !statfs(CGROUP_ROOT, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Directory of the cgroup that /proc/<who>/cgroup names, or -1 with *why. Its path is added to
 * path_out. */
static int open_cgroup(const char *who, struct buf *path_out, char why[256])
{
	BUF_AUTO text = BUF_INIT, name = BUF_INIT;
	struct error ignored = ERROR_INIT;

	buf_fmt(&name, "/proc/%s/cgroup", who);
	if (file_read(AT_FDCWD, name.data, SMALL_FILE, &text, &ignored)) {
		(void)snprintf(why, 256, "%s cannot be read", name.data);
		return -1;
	}
	const char *line = strstr(text.data, "0::/");
	if (!line) {
		say(why, "we are in no cgroup v2");
		return -1;
	}
	const char *end = strchrnul(line, '\n');
	buf_str(path_out, CGROUP_ROOT);
	buf_add(path_out, line + 3, (size_t)(end - line - 3));
	int fd = file_open_dir(AT_FDCWD, path_out->data, &ignored);
	if (fd < 0)
		say(why, "our own cgroup is not visible here");
	return fd;
}

static int open_own(char why[256])
{
	BUF_AUTO path = BUF_INIT;

	return open_cgroup("self", &path, why);
}

static int write_value(int dir, const char *name, const char *value)
{
	FD_AUTO fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	return write(fd, value, strlen(value)) == (ssize_t)strlen(value) ? 0 : -1;
}

static int write_number(int dir, const char *name, uint64_t n)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	return write_value(dir, name, text);
}

/* Where systemd is pid 1 the tree is its own to change. */
static bool have_systemd(void)
{
	return file_exists(AT_FDCWD, "/run/systemd/system");
}

static int open_below(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Root may make a place of its own at the top; controllers are switched on down to it. */
static int open_root_parent(void)
{
	FD_AUTO top = open(CGROUP_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0 || geteuid() != 0 || have_systemd())
		return -1;
	(void)write_value(top, "cgroup.subtree_control", "+memory +pids");
	if (mkdirat(top, ROOT_PARENT, 0755) && errno != EEXIST)
		return -1;
	FD_AUTO parent = open_below(top, ROOT_PARENT);
	if (parent < 0 || write_value(parent, "cgroup.subtree_control", "+memory +pids"))
		return -1;
	return fd_take(&parent);
}

static int set_limits(int leaf, const struct limits_want *want)
{
	if (want->memory) {
		if (write_number(leaf, "memory.max", want->memory))
			return -1;
		/* Not there where swap accounting is off. */
		(void)write_value(leaf, "memory.swap.max", "0");
		(void)write_value(leaf, "memory.oom.group", "1");
	}
	return want->processes ? write_number(leaf, "pids.max", want->processes) : 0;
}

/*
 * A leaf below parent with every wanted limit in force, or -1 and nothing left. Our lock on it,
 * which the monitor shares, tells a leaf in use from a leftover: see limits_cgroup_sweep().
 */
static int make_leaf(int parent, const char *name, const struct limits_want *want)
{
	if (mkdirat(parent, name, 0755))
		return -1;
	FD_AUTO leaf = open_below(parent, name);
	if (leaf >= 0 && !flock(leaf, LOCK_EX | LOCK_NB) && !set_limits(leaf, want))
		return fd_take(&leaf);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
	return -1;
}

static uint64_t read_number(int dir, const char *name, const char *key)
{
	BUF_AUTO text = BUF_INIT;
	struct error ignored = ERROR_INIT;
	uint64_t n;

	if (file_read(dir, name, SMALL_FILE, &text, &ignored))
		return 0;
	char *at = key ? strstr(text.data, key) : text.data;
	if (!at)
		return 0;
	at += key ? strlen(key) : 0;
	at[strcspn(at, "\n")] = '\0';
	return num_u64(at, 0, UINT64_MAX, &n, &ignored) ? 0 : n;
}

/* A number that is there and at most max: a limit that is not set reads "max". */
static bool is_held(int dir, const char *name, uint64_t max)
{
	uint64_t n = read_number(dir, name, NULL);

	return !max || (n && n <= max);
}

/* The scope's directory once the monitor is in it and every limit reads as wanted, or -1 with *why.
 */
static int open_scope(const struct limits_want *want, const char *unit, char why[256])
{
	BUF_AUTO path = BUF_INIT;
	char pid[16];

	(void)snprintf(pid, sizeof(pid), "%d", (int)want->monitor);
	FD_AUTO dir = open_cgroup(pid, &path, why);
	if (dir < 0)
		return -1;
	const char *name = strrchr(path.data, '/');
	if (!name || strcmp(name + 1, unit) != 0) {
		say(why, "systemd made a scope but did not put the monitor into it");
		return -1;
	}
	if (!is_held(dir, "memory.max", want->memory) ||
	    !is_held(dir, "pids.max", want->processes)) {
		say(why, "the systemd manager has no memory or pids controller "
			 "(see Delegate= of user@.service)");
		return -1;
	}
	return fd_take(&dir);
}

static void make_scope(const struct limits_want *want, struct limits_cgroup *out, char why[256])
{
	BUF_AUTO socket_path = BUF_INIT, unit = BUF_INIT;
	struct error err = ERROR_INIT;

	buf_fmt(&unit, "%s.scope", out->leaf);
	scope_socket(&socket_path);
	const struct scope_want scope = {
		.unit = unit.data,
		.pid = want->monitor,
		.memory = want->memory,
		/* The monitor is inside, too, and not the box's to pay for. */
		.processes = want->processes ? want->processes + 1 : 0,
	};
	if (scope_start(socket_path.data, &scope, &err)) {
		(void)snprintf(why, 256, "%.*s", 255, err.msg);
		return;
	}
	struct limits_want held = *want;
	held.processes = scope.processes;
	out->dir_fd = open_scope(&held, unit.data, why);
}

static void make_below(int *parent, const struct limits_want *want, struct limits_cgroup *out)
{
	if (*parent < 0)
		return;
	out->dir_fd = make_leaf(*parent, out->leaf, want);
	if (out->dir_fd >= 0)
		out->parent_fd = fd_take(parent);
}

void limits_cgroup_make(const struct limits_want *want, const char *leaf, struct limits_cgroup *out,
			char why[256])
{
	*out = (struct limits_cgroup)LIMITS_CGROUP_INIT;
	(void)snprintf(out->leaf, sizeof(out->leaf), LEAF_PREFIX "%s", leaf);
	if (!is_pure_v2()) {
		say(why, "no pure cgroup v2 hierarchy at " CGROUP_ROOT
			 " (boot with systemd.unified_cgroup_hierarchy=1)");
		return;
	}
	FD_AUTO own = open_own(why);
	make_below(&own, want, out);
	if (out->dir_fd >= 0)
		return;
	FD_AUTO parent = open_root_parent();
	make_below(&parent, want, out);
	if (out->dir_fd < 0)
		make_scope(want, out, why);
}

/* Waits until nothing runs in the leaf; cgroup.events signals changes by POLLPRI. */
static void wait_empty(int leaf)
{
	for (int tries = 0; tries < 20 && read_number(leaf, "cgroup.events", "populated ");
	     tries++) {
		FD_AUTO fd = openat(leaf, "cgroup.events", O_RDONLY | O_CLOEXEC);
		struct pollfd p = { .fd = fd, .events = POLLPRI };
		(void)poll(&p, 1, 100);
	}
}

void limits_cgroup_remove(struct limits_cgroup *cg)
{
	/* A scope has no parent that is ours: it ends with its last process. */
	if (cg->dir_fd >= 0 && cg->parent_fd >= 0) {
		(void)write_value(cg->dir_fd, "cgroup.kill", "1");
		wait_empty(cg->dir_fd);
		(void)unlinkat(cg->parent_fd, cg->leaf, AT_REMOVEDIR);
	}
	fd_close(&cg->dir_fd);
	fd_close(&cg->parent_fd);
}

static bool is_leaf_name(const char *name)
{
	size_t len = strlen(LEAF_PREFIX);

	return strncmp(name, LEAF_PREFIX, len) == 0 && strlen(name) == len + LEAF_NAME &&
	       strspn(name + len, "0123456789abcdef") == LEAF_NAME;
}

/* Nobody holds its lock and nothing runs in it: the kernel refuses to remove one with processes. */
static bool sweep_leaf(int parent, const char *name, bool dry_run)
{
	FD_AUTO leaf = open_below(parent, name);

	if (leaf < 0 || flock(leaf, LOCK_EX | LOCK_NB) ||
	    read_number(leaf, "cgroup.events", "populated "))
		return false;
	return dry_run || !unlinkat(parent, name, AT_REMOVEDIR);
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Takes the descriptor. */
static void sweep_below(int parent, bool dry_run, struct strv *swept)
{
	DIR *dir __attribute__((cleanup(dir_close))) = parent >= 0 ? fdopendir(parent) : NULL;

	if (!dir) {
		fd_close(&parent);
		return;
	}
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		if (is_leaf_name(e->d_name) && sweep_leaf(dirfd(dir), e->d_name, dry_run))
			strv_add(swept, e->d_name);
}

void limits_cgroup_sweep(bool dry_run, struct strv *swept)
{
	char why[256];

	if (!is_pure_v2())
		return;
	sweep_below(open_own(why), dry_run, swept);
	sweep_below(open(CGROUP_ROOT "/" ROOT_PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dry_run,
		    swept);
}
