#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

/* The second, empty lower layer that an overlay without an upper one needs. */
#define EMPTY_DIR "/run/box/empty"
#define OLD_PROC_FD "/.old/proc/self/fd/"

static void close_keep(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}

static int resolve(int dirfd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	while (*path == '/')
		path++;
	return (int)syscall(SYS_openat2, dirfd, *path ? path : ".", &how, sizeof(how));
}

/* Length of the first component of path. */
static size_t component(const char *path)
{
	size_t n = 0;

	while (path[n] && path[n] != '/')
		n++;
	return n;
}

/*
 * What we make belongs to whom the directory around it belongs: where the
 * operator is root, init's additions to the box's home must be the payload's.
 */
static int give(int parent, const char *name)
{
	struct stat st;

	if (fstat(parent, &st))
		return -1;
	if (st.st_uid == geteuid())
		return 0;
	return fchownat(parent, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
}

/* Another session of the box may make the same one at the same time. */
static int make_dir(int parent, const char *name, uint32_t mode)
{
	if (mkdirat(parent, name, mode))
		return errno == EEXIST ? 0 : -1;
	return give(parent, name);
}

static int make_file(int parent, const char *name)
{
	int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno == EEXIST ? 0 : -1;
	close(fd);
	return give(parent, name);
}

/*
 * Opens (O_PATH) the directory that holds the last component of path, making
 * what is missing one component at a time: a multi-component mkdirat would
 * follow a symlink that a former command planted in a directory of the box.
 * *last points at the last component.
 */
static int open_parent(int root_fd, const char *path, const char **last)
{
	int cur = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);

	for (;;) {
		while (*path == '/')
			path++;
		size_t n = component(path);
		char name[256];
		if (n == 0 || n >= sizeof(name)) {
			errno = n ? ENAMETOOLONG : EINVAL;
			close_keep(cur);
			return -1;
		}
		if (!path[n]) {
			*last = path;
			return cur;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		int next = openat(cur, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 && errno == ENOENT && !make_dir(cur, name, 0755))
			next = openat(cur, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close_keep(cur);
		if (next < 0)
			return -1;
		cur = next;
		path += n;
	}
}

/* The mount target, made where missing: a directory, or an empty file. */
static int open_target(int root_fd, const char *dst, bool dir)
{
	int fd = resolve(root_fd, dst, O_PATH);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	const char *last;
	int parent = open_parent(root_fd, dst, &last);
	if (parent < 0)
		return -1;
	fd = dir ? make_dir(parent, last, 0755) : make_file(parent, last);
	if (fd >= 0)
		fd = openat(parent, last, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	close_keep(parent);
	return fd;
}

static unsigned attributes(const struct plan_mount *m)
{
	unsigned attr = MOUNT_ATTR_NOSUID;

	if (!(m->flags & PLAN_DEV))
		attr |= MOUNT_ATTR_NODEV;
	if (m->flags & PLAN_RO)
		attr |= MOUNT_ATTR_RDONLY;
	if (m->flags & PLAN_NOEXEC)
		attr |= MOUNT_ATTR_NOEXEC;
	return attr;
}

static int attach(int mount_fd, int target)
{
	return move_mount(mount_fd, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* Shows what src_fd names at target. Both are O_PATH descriptors of this mount namespace. */
static int bind_fd(int src_fd, int target, const struct plan_mount *m)
{
	unsigned rec = m->flags & PLAN_REC ? AT_RECURSIVE : 0;
	int tree = open_tree(src_fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | rec);
	if (tree < 0)
		return -1;
	struct mount_attr attr = { .attr_set = attributes(m) };
	int r = mount_setattr(tree, "", AT_EMPTY_PATH | rec, &attr, sizeof(attr));
	if (!r)
		r = attach(tree, target);
	close_keep(tree);
	return r;
}

static int open_source(const struct plan *p, const struct plan_mount *m, const struct mount_roots *roots)
{
	const char *src = plan_str(p, m->src);

	if (!(m->flags & PLAN_SRC_HOST_ONLY))
		return resolve(roots->old_fd, src, O_PATH);
	const char *box = plan_str(p, p->box_root);
	size_t n = strlen(box);
	if (strncmp(src, box, n) || src[n] != '/') {
		errno = EINVAL;
		return -1;
	}
	return resolve(roots->box_fd, src + n, O_PATH);
}

static int do_bind(const struct mount_roots *roots, const char *dst, const struct plan_mount *m, int src)
{
	struct stat st;

	if (fstat(src, &st))
		return -1;
	int target = open_target(roots->root_fd, dst, S_ISDIR(st.st_mode));
	if (target < 0)
		return -1;
	int r = bind_fd(src, target, m);
	close_keep(target);
	return r;
}

static int set_option(int fs, const char *key, const char *value)
{
	if (!value)
		return fsconfig(fs, FSCONFIG_SET_FLAG, key, NULL, 0);
	return fsconfig(fs, FSCONFIG_SET_STRING, key, value, 0);
}

/* "key=value,flag,..." as of mount(8), applied one by one. */
static int set_options(int fs, const char *options)
{
	while (*options) {
		char word[128];
		size_t n = 0;
		char *value = NULL;
		for (; options[n] && options[n] != ','; n++) {
			if (n + 1 >= sizeof(word)) {
				errno = ENAMETOOLONG;
				return -1;
			}
			word[n] = options[n];
			if (!value && word[n] == '=') {
				word[n] = '\0';
				value = word + n + 1;
			}
		}
		word[n] = '\0';
		if (set_option(fs, word, value))
			return -1;
		options += n + (options[n] == ',');
	}
	return 0;
}

/* Makes the configured file system fs appear at target. Takes neither descriptor. */
static int finish_fs(int fs, int target, unsigned attr)
{
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -1;
	int mnt = fsmount(fs, FSMOUNT_CLOEXEC, attr);
	if (mnt < 0)
		return -1;
	int r = attach(mnt, target);
	close_keep(mnt);
	return r;
}

static int new_fs(const char *type, const char *options, int target, unsigned attr)
{
	int fs = fsopen(type, FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	int r = set_options(fs, options);
	if (!r)
		r = finish_fs(fs, target, attr);
	close_keep(fs);
	return r;
}

static int do_new_fs(const struct mount_roots *roots, const char *dst, const char *type, const char *options,
		     unsigned attr)
{
	int target = open_target(roots->root_fd, dst, true);
	if (target < 0)
		return -1;
	int r = new_fs(type, options, target, attr);
	close_keep(target);
	return r;
}

static void decimal(char *dst, unsigned n)
{
	char digits[12];
	size_t len = 0;

	do {
		digits[len++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (len)
		*dst++ = digits[--len];
	*dst = '\0';
}

static int overlay_fd(const struct mount_roots *roots, int src, int target, const struct plan_mount *m)
{
	char lower[sizeof(OLD_PROC_FD) + 12 + sizeof(EMPTY_DIR)] = OLD_PROC_FD;
	int empty = open_target(roots->root_fd, EMPTY_DIR, true);
	if (empty < 0)
		return -1;
	close(empty);
	decimal(lower + strlen(lower), (unsigned)src);
	size_t n = strlen(lower);
	memcpy(lower + n, ":" EMPTY_DIR, sizeof(":" EMPTY_DIR));

	int fs = fsopen("overlay", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	int r = set_option(fs, "lowerdir", lower);
	if (!r)
		r = set_option(fs, "userxattr", NULL);
	if (!r)
		r = finish_fs(fs, target, attributes(m) | MOUNT_ATTR_RDONLY);
	close_keep(fs);
	return r;
}

/*
 * Sockets and FIFOs of the host below an overlay are other inodes than the
 * host's, so nothing listens there. A regular file is bound instead; anything
 * else is refused.
 */
static int do_overlay(const struct mount_roots *roots, const char *dst, const struct plan_mount *m, int src)
{
	struct stat st;

	if (fstat(src, &st))
		return -1;
	if (S_ISREG(st.st_mode))
		return do_bind(roots, dst, m, src);
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	int target = open_target(roots->root_fd, dst, true);
	if (target < 0)
		return -1;
	int r = overlay_fd(roots, src, target, m);
	close_keep(target);
	return r;
}

static int do_source(const struct plan *p, const struct plan_mount *m, const struct mount_roots *roots)
{
	const char *dst = plan_str(p, m->dst);
	int src = open_source(p, m, roots);
	if (src < 0)
		return -1;
	int r = m->op == PLAN_BIND ? do_bind(roots, dst, m, src) : do_overlay(roots, dst, m, src);
	close_keep(src);
	return r;
}

static int do_self(const struct mount_roots *roots, const char *dst, const struct plan_mount *m)
{
	int target = resolve(roots->root_fd, dst, O_PATH);
	if (target < 0)
		return -1;
	int r = bind_fd(target, target, m);
	close_keep(target);
	return r;
}

static int do_mask(const struct mount_roots *roots, const char *dst, const struct plan_mount *m)
{
	struct stat st;
	int target = resolve(roots->root_fd, dst, O_PATH);
	if (target < 0)
		return -1;
	int r = fstat(target, &st);
	if (!r && S_ISDIR(st.st_mode)) {
		r = new_fs("tmpfs", "size=0,mode=0555", target, attributes(m) | MOUNT_ATTR_RDONLY);
	} else if (!r) {
		int null = resolve(roots->old_fd, "/dev/null", O_PATH);
		struct plan_mount ro = { .flags = PLAN_RO | PLAN_DEV };
		r = null < 0 ? -1 : bind_fd(null, target, &ro);
		close_keep(null);
	}
	close_keep(target);
	return r;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int do_entry(const struct plan *p, const struct plan_mount *m, const struct mount_roots *roots)
{
	const char *data = (const char *)p + m->data;
	const char *last;
	int fd, r;
	int parent = open_parent(roots->root_fd, plan_str(p, m->dst), &last);
	if (parent < 0)
		return -1;
	if (m->op == PLAN_SYMLINK) {
		r = symlinkat(plan_str(p, m->data), parent, last);
	} else if (m->op == PLAN_DIR) {
		r = make_dir(parent, last, m->mode);
	} else {
		fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, m->mode);
		r = fd < 0 ? -1 : write_all(fd, data, m->data_len);
		close_keep(fd);
	}
	close_keep(parent);
	return r;
}

static int step(const struct plan *p, const struct plan_mount *m, const struct mount_roots *roots)
{
	const char *dst = plan_str(p, m->dst);

	switch ((enum plan_op)m->op) {
	case PLAN_DIR:
	case PLAN_FILE:
	case PLAN_SYMLINK:
		return do_entry(p, m, roots);
	case PLAN_BIND:
	case PLAN_OVERLAY:
		return do_source(p, m, roots);
	case PLAN_TMPFS:
		return do_new_fs(roots, dst, "tmpfs", plan_str(p, m->data), attributes(m));
	case PLAN_PROC:
		return do_new_fs(roots, dst, "proc", "", attributes(m) | MOUNT_ATTR_NOEXEC);
	case PLAN_DEVPTS:
		return do_new_fs(roots, dst, "devpts", "newinstance,ptmxmode=0666,mode=0620",
				 (attributes(m) | MOUNT_ATTR_NOEXEC) & ~(unsigned)MOUNT_ATTR_NODEV);
	case PLAN_MQUEUE:
		return do_new_fs(roots, dst, "mqueue", "", attributes(m) | MOUNT_ATTR_NOEXEC);
	case PLAN_SELF:
		return do_self(roots, dst, m);
	case PLAN_MASK:
		return do_mask(roots, dst, m);
	case PLAN_OP_MAX:
		break;
	}
	errno = EINVAL;
	return -1;
}

int inside_mount(const struct plan *p, const struct plan_mount *m, const struct mount_roots *roots)
{
	if (!step(p, m, roots))
		return 0;
	/* A file or a symlink that the box put where a directory was is its own loss, as if it had removed it. */
	bool missing = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
	return missing && m->flags & PLAN_OPTIONAL ? 0 : -1;
}
