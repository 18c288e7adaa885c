/* sys/file: reading, writing and removing, also what somebody hostile prepared. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "t/unit/scratch.h"

static void plant_hostile(const struct scratch *s)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	FD_AUTO sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	scratch_put(s, "plain", "text");
	cr_assert_eq(symlinkat("plain", s->fd, "link"), 0);
	cr_assert_eq(mkfifoat(s->fd, "fifo", 0600), 0);
	cr_assert_eq(mkdirat(s->fd, "dir", 0700), 0);
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/sock", s->path);
	cr_assert_eq(bind(sock, (const struct sockaddr *)&sun, sizeof(sun)), 0);
}

Test(file_read, takes_regular_files_only, .timeout = 5)
{
	static const struct {
		const char *path;
		size_t max;
		enum error_kind kind;
	} rows[] = {
		{ "plain", 4, ERR_NONE },    { "plain", SIZE_MAX - 1, ERR_NONE },
		{ "plain", 3, ERR_LIMIT },   { "plain", 0, ERR_LIMIT },
		{ "missing", 9, ERR_NOTFOUND }, { "plain/x", 9, ERR_NOTFOUND },
		{ "link", 9, ERR_CORRUPT },  { "fifo", 9, ERR_CORRUPT },
		{ "sock", 9, ERR_CORRUPT },  { "dir", 9, ERR_CORRUPT },
	};
	SCRATCH_AUTO s = scratch_make();

	plant_hostile(&s);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		BUF_AUTO out = BUF_INIT;

		buf_str(&out, "before ");
		file_read(s.fd, rows[i].path, rows[i].max, &out, &err);
		cr_assert_eq(err.kind, rows[i].kind, "%s: %s", rows[i].path, err.msg);
		cr_assert_str_eq(out.data, rows[i].kind ? "before " : "before text");
	}
}

Test(file_read, device_is_refused)
{
	struct error err = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;

	cr_assert_eq(file_read(AT_FDCWD, "/dev/zero", 10, &out, &err), -1);
	cr_assert_eq(err.kind, ERR_CORRUPT);
}

Test(file_read, large_file_is_whole)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO out = BUF_INIT;

	for (int i = 0; i < 60000; i++)
		buf_fmt(&in, "%d\n", i);
	scratch_put(&s, "large", in.data);
	cr_assert_eq(file_read(s.fd, "large", in.len, &out, &err), 0, "%s", err.msg);
	cr_assert_eq(out.len, in.len);
	cr_assert_str_eq(out.data, in.data);
	cr_assert_eq(file_read(s.fd, "large", in.len - 1, &out, &err), -1);
	cr_assert_eq(err.kind, ERR_LIMIT);
}

Test(file_open_beneath, no_way_out)
{
	static const struct {
		const char *path;
		enum error_kind kind;
		int sys;
	} rows[] = {
		{ "d/f", ERR_NONE, 0 },		 { "./d/../d/f", ERR_NONE, 0 },
		{ "d/missing", ERR_NOTFOUND, ENOENT }, { "../x", ERR_SYS, EXDEV },
		{ "d/../../x", ERR_SYS, EXDEV }, { "/etc/passwd", ERR_SYS, EXDEV },
		{ "to-dir/f", ERR_SYS, ELOOP },	 { "d/out", ERR_SYS, ELOOP },
	};
	SCRATCH_AUTO s = scratch_make();

	cr_assert_eq(mkdirat(s.fd, "d", 0700), 0);
	scratch_put(&s, "d/f", "x");
	cr_assert_eq(symlinkat("d", s.fd, "to-dir"), 0);
	cr_assert_eq(symlinkat("/etc/passwd", s.fd, "d/out"), 0);
	cr_assert_eq(faccessat(s.fd, "d/out", R_OK, 0), 0, "control: an ordinary open follows");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		FD_AUTO fd = file_open_beneath(s.fd, rows[i].path, O_RDONLY, 0, &err);

		cr_assert_eq(fd >= 0, rows[i].kind == ERR_NONE, "%s", rows[i].path);
		cr_assert_eq(err.kind, rows[i].kind, "%s: %s", rows[i].path, err.msg);
		cr_assert_eq(err.sys, rows[i].sys, "%s: %s", rows[i].path, err.msg);
		if (fd >= 0)
			cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
}

Test(file_open_beneath, creates_with_mode)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	FD_AUTO fd = file_open_beneath(s.fd, "new", O_WRONLY | O_CREAT | O_EXCL, 0600, &err);

	cr_assert_geq(fd, 0, "%s", err.msg);
}

static mode_t mode_of(const struct scratch *s, const char *path)
{
	struct stat st;

	cr_assert_eq(fstatat(s->fd, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static struct file_content file_of(const char *text, mode_t mode)
{
	return (struct file_content){ .data = text, .len = strlen(text), .mode = mode };
}

Test(file_create, never_follows_nor_replaces)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	cr_assert_eq(symlinkat("target", s.fd, "link"), 0);
	umask(077);
	cr_assert_eq(file_create(s.fd, "f", file_of("ab", 0644), &err), 0, "%s", err.msg);
	cr_assert_eq(mode_of(&s, "f"), 0644, "the umask does not matter");
	cr_assert_eq(file_create(s.fd, "f", file_of("cd", 0644), &err), -1);
	cr_assert_eq(err.kind, ERR_EXISTS);
	cr_assert_eq(file_create(s.fd, "link", file_of("cd", 0600), &err), -1);
	cr_assert_eq(err.kind, ERR_EXISTS);
	cr_assert(!file_exists(s.fd, "target"));
	cr_assert_eq(file_create(s.fd, "no/f", file_of("cd", 0600), &err), -1);
	cr_assert_eq(err.kind, ERR_NOTFOUND);
}

/* No write beyond 16 bytes succeeds in this process. */
static void limit_file_size(void)
{
	struct rlimit small = { .rlim_cur = 16, .rlim_max = 16 };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, NULL);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
}

static int entries(const struct scratch *s)
{
	DIR *dir = opendir(s->path);
	int n = 0;

	cr_assert_not_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* "." and ".." */
}

Test(file_write_atomic, replaces_whole_or_not_at_all)
{
	struct file_content longer = file_of("much longer than that limit", 0600);
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;

	cr_assert_eq(file_write_atomic(s.fd, "f", file_of("old", 0640), &err), 0, "%s", err.msg);
	cr_assert_eq(file_write_atomic(s.fd, "f", file_of("new", 0600), &err), 0, "%s", err.msg);
	cr_assert_eq(mode_of(&s, "f"), 0600);
	limit_file_size();
	cr_assert_eq(file_write_atomic(s.fd, "f", longer, &err), -1);
	cr_assert_eq(err.sys, EFBIG);
	cr_assert_eq(file_create(s.fd, "g", longer, &err), -1);
	cr_assert_eq(file_read(s.fd, "f", 99, &out, &err), 0);
	cr_assert_str_eq(out.data, "new");
	cr_assert_eq(entries(&s), 1, "neither a temporary file nor half a new one stays");
}

Test(file_write_atomic, replaces_a_symlink_not_its_target)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;

	scratch_put(&s, "target", "precious");
	cr_assert_eq(symlinkat("target", s.fd, "f"), 0);
	cr_assert_eq(file_write_atomic(s.fd, "f", file_of("new", 0600), &err), 0);
	cr_assert_eq(file_read(s.fd, "target", 99, &out, &err), 0);
	cr_assert_str_eq(out.data, "precious");
}

Test(file_mkdir, kinds)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	umask(077);
	cr_assert_eq(file_mkdir(s.fd, "d", 0755, &err), 0);
	cr_assert_eq(mode_of(&s, "d"), 0755);
	cr_assert_eq(file_mkdir(s.fd, "d", 0755, &err), -1);
	cr_assert_eq(err.kind, ERR_EXISTS);
	cr_assert_eq(file_mkdir(s.fd, "x/y", 0755, &err), -1);
	cr_assert_eq(err.kind, ERR_NOTFOUND);
}

Test(file_mkdir_p, every_component)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO absolute = BUF_INIT;

	cr_assert_eq(file_mkdir_p(s.fd, "a/b//c/", 0700, &err), 0, "%s", err.msg);
	cr_assert_eq(file_mkdir_p(s.fd, "a/b/c", 0700, &err), 0, "again");
	cr_assert_eq(symlinkat("a", s.fd, "link"), 0);
	cr_assert_eq(file_mkdir_p(s.fd, "link/d", 0700, &err), 0, "%s", err.msg);
	cr_assert(file_exists(s.fd, "a/d"));
	buf_fmt(&absolute, "%s/x/y", s.path);
	cr_assert_eq(file_mkdir_p(AT_FDCWD, absolute.data, 0700, &err), 0, "%s", err.msg);
	cr_assert(file_exists(s.fd, "x/y"));
	scratch_put(&s, "file", "");
	cr_assert_eq(file_mkdir_p(s.fd, "file", 0700, &err), -1);
	cr_assert_eq(err.kind, ERR_EXISTS);
	cr_assert_eq(file_mkdir_p(s.fd, "file/sub", 0700, &err), -1);
}

Test(file_canonical, resolves_or_fails)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO out = BUF_INIT;

	cr_assert_eq(mkdirat(s.fd, "d", 0700), 0);
	cr_assert_eq(symlinkat("d", s.fd, "link"), 0);
	buf_fmt(&path, "%s/link/../link", s.path);
	buf_str(&out, "stays on failure");
	cr_assert_eq(file_canonical("/nonexistent/x", &out, &err), -1);
	cr_assert_eq(err.kind, ERR_NOTFOUND);
	cr_assert_str_eq(out.data, "stays on failure");
	cr_assert_eq(file_canonical(path.data, &out, &err), 0);
	buf_reset(&path);
	buf_fmt(&path, "%s/d", s.path);
	cr_assert_str_eq(out.data, path.data);
}

Test(file_remove_tree, missing_is_fine)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	cr_assert_eq(file_remove_tree(s.fd, "missing", &err), 0);
	scratch_put(&s, "f", "");
	cr_assert_eq(file_remove_tree(s.fd, "f", &err), 0);
	cr_assert(!file_exists(s.fd, "f"));
	cr_assert_eq(file_remove_tree(s.fd, "missing/x", &err), 0);
}

static void plant_tree(const struct scratch *s)
{
	cr_assert_eq(mkdirat(s->fd, "outside", 0700), 0);
	scratch_put(s, "outside/precious", "x");
	cr_assert_eq(mkdirat(s->fd, "t", 0700), 0);
	cr_assert_eq(mkdirat(s->fd, "t/shut", 0700), 0);
	scratch_put(s, "t/shut/f", "x");
	cr_assert_eq(mkdirat(s->fd, "t/shut/sub", 0700), 0);
	cr_assert_eq(mkdirat(s->fd, "t/read-only", 0700), 0);
	scratch_put(s, "t/read-only/f", "x");
	cr_assert_eq(symlinkat("../outside", s->fd, "t/link"), 0);
	cr_assert_eq(symlinkat("../outside/precious", s->fd, "t/link-to-file"), 0);
	cr_assert_eq(mkfifoat(s->fd, "t/fifo", 0), 0);
	cr_assert_eq(fchmodat(s->fd, "t/shut/sub", 0000, 0), 0);
	cr_assert_eq(fchmodat(s->fd, "t/shut", 0000, 0), 0);
	cr_assert_eq(fchmodat(s->fd, "t/read-only", 0500, 0), 0);
	cr_assert_eq(fchmodat(s->fd, "t", 0300, 0), 0);
}

/* Root passes every permission: who removes must be somebody else for the test to mean anything. */
static int remove_as_user(const struct scratch *s, const char *path)
{
	pid_t pid;
	int status;

	cr_assert_eq(fchownat(s->fd, ".", 1000, 1000, 0), 0);
	pid = fork();
	if (pid == 0) {
		struct error err = ERROR_INIT;
		FD_AUTO top = -1;

		if (setresgid(1000, 1000, 1000) < 0 || setresuid(1000, 1000, 1000) < 0)
			_exit(9);
		top = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		_exit(file_remove_tree(top, path, &err) < 0 ? 1 : 0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void give_away(const struct scratch *s)
{
	static const char *const paths[] = { "t",	   "t/shut", "t/shut/f", "t/shut/sub",
					     "t/read-only", "t/fifo" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		cr_assert_eq(fchownat(s->fd, paths[i], 1000, 1000, AT_SYMLINK_NOFOLLOW), 0);
}

Test(file_remove_tree, shut_directories_and_symlinks_to_outside, .timeout = 10)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	plant_tree(&s);
	if (geteuid() == 0) {
		give_away(&s);
		cr_assert_eq(remove_as_user(&s, "t"), 0);
	} else {
		cr_assert_eq(file_remove_tree(s.fd, "t", &err), 0, "%s", err.msg);
	}
	cr_assert(!file_exists(s.fd, "t"));
	cr_assert(file_exists(s.fd, "outside/precious"));
}

Test(file_remove_tree, a_symlink_is_removed_itself)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	plant_tree(&s);
	cr_assert_eq(file_remove_tree(s.fd, "t/link", &err), 0, "%s", err.msg);
	cr_assert(file_exists(s.fd, "outside/precious"));
	cr_assert(!file_exists(s.fd, "t/link"));
}

Test(file_remove_tree, deeper_than_descriptors_and_paths, .timeout = 60)
{
	SCRATCH_AUTO s = scratch_make();
	struct rlimit few = { .rlim_cur = 32, .rlim_max = 32 };
	struct error err = ERROR_INIT;
	FD_AUTO at = -1;

	cr_assert_eq(mkdirat(s.fd, "t", 0700), 0);
	at = openat(s.fd, "t", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 5000; i++) {
		int next;

		cr_assert_eq(mkdirat(at, "d", 0700), 0);
		next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd_close(&at);
		at = next;
	}
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_assert_eq(file_remove_tree(s.fd, "t", &err), 0, "%s", err.msg);
	cr_assert(!file_exists(s.fd, "t"));
}

Test(file_remove_tree, wide, .timeout = 60)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	char name[32];

	cr_assert_eq(mkdirat(s.fd, "t", 0700), 0);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "t/d%d", i);
		cr_assert_eq(mkdirat(s.fd, name, 0700), 0);
		snprintf(name, sizeof(name), "t/d%d/f", i);
		scratch_put(&s, name, "");
		snprintf(name, sizeof(name), "t/f%d", i);
		scratch_put(&s, name, "");
	}
	cr_assert_eq(file_remove_tree(s.fd, "t", &err), 0, "%s", err.msg);
	cr_assert(!file_exists(s.fd, "t"));
}

Test(file_remove_tree, mount_points_are_not_entered)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	BUF_AUTO outside = BUF_INIT;
	BUF_AUTO inside = BUF_INIT;

	cr_assert_eq(mkdirat(s.fd, "outside", 0700), 0);
	scratch_put(&s, "outside/precious", "x");
	cr_assert_eq(mkdirat(s.fd, "t", 0700), 0);
	cr_assert_eq(mkdirat(s.fd, "t/m", 0700), 0);
	buf_fmt(&outside, "%s/outside", s.path);
	buf_fmt(&inside, "%s/t/m", s.path);
	if (mount(outside.data, inside.data, NULL, MS_BIND, NULL) < 0)
		cr_skip_test("needs the right to mount");
	cr_assert_eq(file_remove_tree(s.fd, "t", &err), -1);
	cr_assert_eq(err.sys, EXDEV, "%s", err.msg);
	cr_assert_eq(file_remove_tree(s.fd, "t/m", &err), -1);
	cr_assert_eq(err.sys, EBUSY, "%s", err.msg);
	cr_assert(file_exists(s.fd, "outside/precious"));
	cr_assert_eq(umount2(inside.data, MNT_DETACH), 0);
}
