#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/buf.h"
#include "base/num.h"
#include "sandbox/limits.h"
#include "sys/fd.h"
#include "sys/file.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define ROOT_PARENT "git-box" /* where an operator who is root keeps sessions */
#define SMALL_FILE 4096

static void say(char why[256], const char *reason)
{
	(void)snprintf(why, 256, "%s", reason);
}

/* Directory of our own cgroup in a pure v2 hierarchy, or -1 with *why. */
static int open_own(char why[256])
{
	BUF_AUTO text = BUF_INIT, path = BUF_INIT;
	struct error ignored = ERROR_INIT;
	struct statfs fs;

	if (statfs(CGROUP_ROOT, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		say(why, "no pure cgroup v2 hierarchy at " CGROUP_ROOT " (boot with systemd.unified_cgroup_hierarchy=1)");
		return -1;
	}
	if (file_read(AT_FDCWD, "/proc/self/cgroup", SMALL_FILE, &text, &ignored)) {
		say(why, "/proc/self/cgroup cannot be read");
		return -1;
	}
	const char *line = strstr(text.data, "0::/");
	if (!line) {
		say(why, "we are in no cgroup v2");
		return -1;
	}
	const char *end = strchrnul(line, '\n');
	buf_str(&path, CGROUP_ROOT);
	buf_add(&path, line + 3, (size_t)(end - line - 3));
	int fd = file_open_dir(AT_FDCWD, path.data, &ignored);
	if (fd < 0)
		say(why, "our own cgroup is not visible here");
	return fd;
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

/* Root may make a place of its own at the top; controllers are switched on down to it. */
static int open_root_parent(void)
{
	FD_AUTO top = open(CGROUP_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0 || geteuid() != 0)
		return -1;
	(void)write_value(top, "cgroup.subtree_control", "+memory +pids");
	if (mkdirat(top, ROOT_PARENT, 0755) && errno != EEXIST)
		return -1;
	FD_AUTO parent = openat(top, ROOT_PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
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

/* A leaf below parent with every wanted limit in force, or -1 and nothing left. */
static int make_leaf(int parent, const char *name, const struct limits_want *want)
{
	if (mkdirat(parent, name, 0755))
		return -1;
	FD_AUTO leaf = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (leaf >= 0 && !set_limits(leaf, want))
		return fd_take(&leaf);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
	return -1;
}

void limits_cgroup_make(const struct limits_want *want, const char *leaf, struct limits_cgroup *out, char why[256])
{
	*out = (struct limits_cgroup)LIMITS_CGROUP_INIT;
	(void)snprintf(out->leaf, sizeof(out->leaf), "git-box-%s", leaf);
	FD_AUTO own = open_own(why);
	if (own < 0)
		return;
	out->dir_fd = make_leaf(own, out->leaf, want);
	if (out->dir_fd >= 0) {
		out->parent_fd = fd_take(&own);
		return;
	}
	FD_AUTO parent = open_root_parent();
	if (parent >= 0)
		out->dir_fd = make_leaf(parent, out->leaf, want);
	if (out->dir_fd >= 0)
		out->parent_fd = fd_take(&parent);
	else
		say(why, "cgroup controllers are not delegated to us (start under 'systemd-run --user --scope -p Delegate=yes')");
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

void limits_cgroup_read(const struct limits_cgroup *cg, uint64_t *peak_out, uint64_t *oom_kills_out)
{
	*peak_out = 0;
	*oom_kills_out = 0;
	if (cg->dir_fd < 0)
		return;
	*peak_out = read_number(cg->dir_fd, "memory.peak", NULL);
	*oom_kills_out = read_number(cg->dir_fd, "memory.events", "oom_kill ");
}

/* Waits until nothing runs in the leaf; cgroup.events signals changes by POLLPRI. */
static void wait_empty(int leaf)
{
	for (int tries = 0; tries < 20 && read_number(leaf, "cgroup.events", "populated "); tries++) {
		FD_AUTO fd = openat(leaf, "cgroup.events", O_RDONLY | O_CLOEXEC);
		struct pollfd p = { .fd = fd, .events = POLLPRI };
		(void)poll(&p, 1, 100);
	}
}

void limits_cgroup_remove(struct limits_cgroup *cg)
{
	if (cg->dir_fd >= 0) {
		(void)write_value(cg->dir_fd, "cgroup.kill", "1");
		wait_empty(cg->dir_fd);
		(void)unlinkat(cg->parent_fd, cg->leaf, AT_REMOVEDIR);
	}
	fd_close(&cg->dir_fd);
	fd_close(&cg->parent_fd);
}
