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

/*
 * Gives away what a session that was killed between making and giving left:
 * else everything made in it later would be ours too, and the box could not
 * remove it. Not across a mount: there it may be the host's own directory.
 */
static int give_late(int parent, const char *name)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	struct stat around, st;
	int dir = (int)syscall(SYS_openat2, parent, name, &how, sizeof(how));
	if (dir < 0)
		return 0;
	int r = fstat(dir, &st) || fstat(parent, &around) ? -1 : 0;
	if (!r && st.st_uid == geteuid() && st.st_uid != around.st_uid)
		r = fchownat(dir, "", around.st_uid, around.st_gid, AT_EMPTY_PATH);
	close_keep(dir);
	return r;
}

/* Another session of the box may make the same one at the same time. */
static int make_dir(int parent, const char *name, uint32_t mode)
{
	if (!mkdirat(parent, name, mode))
		return give(parent, name);
	return errno == EEXIST ? give_late(parent, name) : -1;
}

/* An empty file to mount over. */
static int make_spot(int parent, const char *name)
{
	if (mknodat(parent, name, S_IFREG | 0644, 0))
		return errno == EEXIST ? 0 : -1;
	return give(parent, name);
}

/* True where dir is ours in a directory that is not. */
static bool is_ours(int parent, int dir)
{
	struct stat around, st;

	return !fstat(dir, &st) && st.st_uid == geteuid() && !fstat(parent, &around) &&
	       around.st_uid != st.st_uid;
}

/*
 * Opens (O_PATH) the directory at the first `len` bytes of path, making what is
 * missing one component at a time: a multi-component mkdirat would follow a
 * symlink that a former command planted in a directory of the box.
 */
static int open_dirs(int root_fd, const char *path, size_t len)
{
	const char *end = path + len;
	int cur = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);

	for (;;) {
		while (path < end && *path == '/')
			path++;
		size_t n = component(path);
		char name[256];
		if (path >= end)
			return cur;
		if (n >= sizeof(name)) {
			errno = ENAMETOOLONG;
			close_keep(cur);
			return -1;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		int next = openat(cur, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 && errno == ENOENT && !make_dir(cur, name, 0755))
			next = openat(cur, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next >= 0 && is_ours(cur, next) && give_late(cur, name)) {
			close_keep(next);
			next = -1;
		}
		close_keep(cur);
		if (next < 0)
			return -1;
		cur = next;
		path += n;
	}
}

/*
 * The directory that holds the last component of path, made where missing;
 * *last points at that component. Borrowed: it is kept for the next step, since
 * most entries have the same parent as the one before.
 */
static int parent_of(struct mount_roots *roots, const char *path, const char **last)
{
	size_t len = strlen(path);

	while (len && path[len - 1] != '/')
		len--;
	*last = path + len;
	if (!**last || len >= sizeof(roots->parent_path)) {
		errno = **last ? ENAMETOOLONG : EINVAL;
		return -1;
	}
	if (roots->parent_fd >= 0 && roots->parent_len == len &&
	    !memcmp(roots->parent_path, path, len))
		return roots->parent_fd;
	inside_forget_parent(roots);
	roots->parent_fd = open_dirs(roots->root_fd, path, len);
	memcpy(roots->parent_path, path, len);
	roots->parent_len = len;
	return roots->parent_fd;
}

void inside_forget_parent(struct mount_roots *roots)
{
	close_keep(roots->parent_fd);
	roots->parent_fd = -1;
}

/* A mount on the kept directory, or above it, hides what the descriptor shows. */
static void forget_if_covered(struct mount_roots *roots, const char *dst)
{
	size_t len = strlen(dst);

	if (len <= roots->parent_len && !memcmp(roots->parent_path, dst, len))
		inside_forget_parent(roots);
}

/* The mount target, made where missing: a directory, or an empty file. */
static int open_target(struct mount_roots *roots, const char *dst, bool dir)
{
	const char *last;
	int parent = parent_of(roots, dst, &last);

	if (parent < 0)
		return -1;
	int fd = resolve(parent, last, O_PATH);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (dir ? make_dir(parent, last, 0755) : make_spot(parent, last))
		return -1;
	return resolve(parent, last, O_PATH);
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
	return move_mount(mount_fd, "", target, "",
			  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
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

static int open_source(const struct plan *p, const struct plan_mount *m, struct mount_roots *roots)
{
	const char *src = plan_str(p, m->src);

	if (!(m->flags & PLAN_SRC_HOST_ONLY))
		return resolve(roots->old_fd, src, O_PATH);
	const char *box = plan_str(p, p->box_root);
	size_t n = strlen(box);
	if (strncmp(src, box, n) != 0 || src[n] != '/') {
		errno = EINVAL;
		return -1;
	}
	return resolve(roots->box_fd, src + n, O_PATH);
}

static int do_bind(struct mount_roots *roots, const char *dst, const struct plan_mount *m, int src)
{
	struct stat st;

	if (fstat(src, &st))
		return -1;
	int target = open_target(roots, dst, S_ISDIR(st.st_mode));
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

static int do_new_fs(struct mount_roots *roots, const char *dst, const char *type,
		     const char *options, unsigned attr)
{
	int target = open_target(roots, dst, true);
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

static int overlay_fd(struct mount_roots *roots, int src, int target, const struct plan_mount *m)
{
	char lower[sizeof(OLD_PROC_FD) + 12 + sizeof(EMPTY_DIR)] = OLD_PROC_FD;
	int empty = open_target(roots, EMPTY_DIR, true);
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
static int do_overlay(struct mount_roots *roots, const char *dst, const struct plan_mount *m,
		      int src)
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
	int target = open_target(roots, dst, true);
	if (target < 0)
		return -1;
	int r = overlay_fd(roots, src, target, m);
	close_keep(target);
	return r;
}

static int do_source(const struct plan *p, const struct plan_mount *m, struct mount_roots *roots)
{
	const char *dst = plan_str(p, m->dst);
	int src = open_source(p, m, roots);
	if (src < 0)
		return -1;
	int r = m->op == PLAN_BIND ? do_bind(roots, dst, m, src) : do_overlay(roots, dst, m, src);
	close_keep(src);
	return r;
}

static int do_self(struct mount_roots *roots, const char *dst, const struct plan_mount *m)
{
	int target = resolve(roots->root_fd, dst, O_PATH);
	if (target < 0)
		return -1;
	int r = bind_fd(target, target, m);
	close_keep(target);
	return r;
}

static int do_mask(struct mount_roots *roots, const char *dst, const struct plan_mount *m)
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

static int make_file(int parent, const char *last, const struct plan *p, const struct plan_mount *m)
{
	int fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			m->mode);
	if (fd < 0)
		return -1;
	int r = write_all(fd, (const char *)p + m->data, m->data_len);
	close_keep(fd);
	return r;
}

static int do_entry(const struct plan *p, const struct plan_mount *m, struct mount_roots *roots)
{
	const char *last;
	int parent = parent_of(roots, plan_str(p, m->dst), &last);

	if (parent < 0)
		return -1;
	if (m->op == PLAN_SYMLINK)
		return symlinkat(plan_str(p, m->data), parent, last);
	if (m->op == PLAN_FILE)
		return make_file(parent, last, p, m);
	return make_dir(parent, last, m->mode);
}

static int step(const struct plan *p, const struct plan_mount *m, struct mount_roots *roots)
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
		return do_new_fs(roots, dst, "proc", m->data ? plan_str(p, m->data) : "",
				 attributes(m) | MOUNT_ATTR_NOEXEC);
	case PLAN_DEVPTS:
		return do_new_fs(roots, dst, "devpts", "newinstance,ptmxmode=0666,mode=0620",
				 (attributes(m) | MOUNT_ATTR_NOEXEC) & ~(unsigned)MOUNT_ATTR_NODEV);
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

int inside_mount(const struct plan *p, const struct plan_mount *m, struct mount_roots *roots)
{
	bool entry = m->op == PLAN_DIR || m->op == PLAN_FILE || m->op == PLAN_SYMLINK;

	if (!step(p, m, roots)) {
		if (!entry)
			forget_if_covered(roots, plan_str(p, m->dst));
		return !entry;
	}
	/* A file or a symlink that the box put where a directory was is its own loss, as if it had
	 * removed it. */
	bool missing = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
	return missing && m->flags & PLAN_OPTIONAL ? 0 : -1;
}
