/* sys/proc, sys/fd, sys/lock, sys/rand. */
#include "base/base.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/num.h"
#include "sys/lock.h"
#include "sys/proc.h"
#include "sys/rand.h"
#include "t/unit/scratch.h"

#define SH(text) ((const char *const[]){ "sh", "-c", text, NULL })

static const char *const environment[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };

/* Runs a shell line; fails the test unless it exits with 0. Output is appended to out. */
static void shell(const char *line, const struct proc_fd *fds, size_t fds_len, struct buf *out)
{
	struct proc_spec spec = { .path = "/bin/sh", .argv = SH(line), .envp = environment,
				  .fds = fds, .fds_len = fds_len };
	struct proc_capture cap = { .max = 65536, .timeout_ms = 10000, .out = out };
	struct error err = ERROR_INIT;
	int status = -1;

	cr_assert_eq(proc_run(&spec, &cap, &status, &err), 0, "%s", err.msg);
	cr_assert_eq(status, 0, "'%s' gave status %x", line, status);
}

Test(fd, close_keeps_errno_and_marks)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	errno = 77;
	fd_close(&fd);
	cr_assert_eq(fd, -1);
	fd_close(&fd);
	cr_assert_eq(errno, 77);
}

Test(fd, everything_is_close_on_exec)
{
	struct error err = ERROR_INIT;
	int fds[6];

	cr_assert_eq(fd_pipe(fds, &err), 0);
	cr_assert_eq(fd_socketpair(SOCK_STREAM, fds + 2, &err), 0);
	fds[4] = fd_dup(0, &err);
	fds[5] = fd_sealed("x", "abc", 3, &err);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		cr_assert_geq(fds[i], 3);
		cr_assert(fcntl(fds[i], F_GETFD) & FD_CLOEXEC, "%zu", i);
		fd_close(&fds[i]);
	}
	cr_assert_eq(fd_dup(9999, &err), -1);
	cr_assert_eq(err.sys, EBADF);
}

Test(fd, sealed_cannot_change)
{
	struct error err = ERROR_INIT;
	char back[4] = "";
	FD_AUTO fd = fd_sealed("x", "abc", 3, &err);

	cr_assert_geq(fd, 0, "%s", err.msg);
	cr_assert_eq(fd_read_full(fd, back, 3, &err), 0);
	cr_assert_str_eq(back, "abc");
	cr_assert_eq(pwrite(fd, "x", 1, 0), -1);
	cr_assert_eq(ftruncate(fd, 1), -1);
	cr_assert_eq(fcntl(fd, F_ADD_SEALS, 0), -1);
}

Test(fd, early_end_is_the_peers_fault)
{
	struct error err = ERROR_INIT;
	char back[8];
	int pair[2];

	cr_assert_eq(fd_pipe(pair, &err), 0);
	cr_assert_eq(fd_write_full(pair[1], "abc", 3, &err), 0);
	fd_close(&pair[1]);
	cr_assert_eq(fd_read_full(pair[0], back, 4, &err), -1);
	cr_assert_eq(err.kind, ERR_PEER);
	cr_assert_eq(fd_nonblock(pair[0], true, &err), 0);
	cr_assert(fcntl(pair[0], F_GETFL) & O_NONBLOCK);
	cr_assert_eq(fd_nonblock(pair[0], false, &err), 0);
	cr_assert(!(fcntl(pair[0], F_GETFL) & O_NONBLOCK));
	fd_close(&pair[0]);
}

Test(proc, environment_and_descriptors_are_what_was_listed)
{
	FD_AUTO leak = open("/dev/null", O_RDONLY); /* as if inherited: not close-on-exec */
	BUF_AUTO out = BUF_INIT;

	cr_assert_geq(leak, 0);
	cr_assert(!(fcntl(leak, F_GETFD) & FD_CLOEXEC), "control: it would be inherited");
	shell("env | grep -v -e ^_= -e ^PWD= -e ^SHLVL= -e ^OLDPWD= | sort; ls /proc/$$/fd",
	      NULL, 0, &out);
	cr_assert_str_eq(out.data, "ONLY=this\nPATH=/usr/bin:/bin\n0\n1\n2\n");
}

Test(proc, standard_descriptors_default_to_null)
{
	BUF_AUTO out = BUF_INIT;

	shell("readlink /proc/$$/fd/0 /proc/$$/fd/2", NULL, 0, &out);
	cr_assert_str_eq(out.data, "/dev/null\n/dev/null\n");
}

/* Three files holding "0", "1", "2": descriptors whose numbers the test chooses. */
static void open_numbered(const struct scratch *s, const int numbers[3])
{
	for (int i = 0; i < 3; i++) {
		char name[16], text[16];
		FD_AUTO fd = -1;

		snprintf(name, sizeof(name), "f%d", i);
		snprintf(text, sizeof(text), "%d", i);
		scratch_put(s, name, text);
		fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC);
		cr_assert_eq(dup3(fd, numbers[i], O_CLOEXEC), numbers[i]);
	}
}

Test(proc, overlapping_numbers)
{
	static const struct {
		struct proc_fd fds[3];
		const char *text;
	} rows[] = {
		{ { { 20, 21 }, { 21, 20 }, { 22, 22 } }, "102" }, /* swap, and in place */
		{ { { 20, 21 }, { 21, 22 }, { 22, 20 } }, "201" }, /* rotation */
		{ { { 22, 20 }, { 21, 22 }, { 20, 21 } }, "201" },
		{ { { 20, 20 }, { 20, 21 }, { 20, 22 } }, "000" }, /* one, three times */
	};
	static const int numbers[3] = { 20, 21, 22 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		SCRATCH_AUTO s = scratch_make();
		BUF_AUTO out = BUF_INIT;

		open_numbered(&s, numbers);
		shell("cd /proc/self/fd && cat 20 21 22", rows[i].fds, 3, &out);
		cr_assert_str_eq(out.data, rows[i].text, "row %zu: %s", i, out.data);
	}
}

Test(proc, exec_failure_is_reported)
{
	static const struct {
		const char *path, *cwd;
		enum error_kind kind;
	} rows[] = {
		{ "/nonexistent/program", NULL, ERR_NOTFOUND },
		{ "no-such-program-anywhere", NULL, ERR_NOTFOUND },
		{ "/etc/passwd", NULL, ERR_SYS },
		{ "/bin/true", "/nonexistent", ERR_NOTFOUND },
		{ "true", "/", ERR_NONE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_spec spec = { .path = rows[i].path, .argv = SH(""),
					  .envp = environment, .cwd = rows[i].cwd };
		struct error err = ERROR_INIT;
		struct proc p = PROC_INIT;

		proc_spawn(&spec, &p, &err);
		cr_assert_eq(err.kind, rows[i].kind, "%s: %s", rows[i].path, err.msg);
		cr_assert_eq(p.pid > 0, rows[i].kind == ERR_NONE);
		proc_kill(&p);
		proc_kill(&p);
	}
}

Test(proc, signals_start_at_their_defaults)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	BUF_AUTO out = BUF_INIT;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	/* glibc ignores its own signals 32 and 33 in what posix_spawn() starts. */
	shell("sed -nE 's/^(SigBlk|SigIgn):.*([08]0000000)$/\\1 \\2/p' /proc/self/status", NULL, 0,
	      &out);
	cr_assert_str_eq(out.data, "SigBlk 00000000\nSigIgn 80000000\n");
}

Test(proc, wait_has_a_deadline)
{
	struct proc_spec spec = { .path = "/bin/sh", .argv = SH("exec sleep 60"),
				  .envp = environment };
	struct error err = ERROR_INIT;
	struct proc p = PROC_INIT;
	pid_t pid;
	int status;

	cr_assert_eq(proc_spawn(&spec, &p, &err), 0, "%s", err.msg);
	pid = p.pid;
	cr_assert_eq(proc_wait(&p, 20, &status, &err), -1);
	cr_assert_eq(err.kind, ERR_LIMIT);
	cr_assert_eq(kill(pid, 0), 0, "it lives on");
	proc_kill(&p);
	cr_assert_eq(kill(pid, 0), -1, "reaped");
}

Test(proc, wait_gives_the_status)
{
	struct proc_spec spec = { .path = "/bin/sh", .argv = SH("kill -TERM $$"),
				  .envp = environment };
	struct error err = ERROR_INIT;
	struct proc p = PROC_INIT;
	int status;

	cr_assert_eq(proc_spawn(&spec, &p, &err), 0);
	cr_assert_eq(proc_wait(&p, UINT64_MAX, &status, &err), 0);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	cr_assert_eq(p.pidfd, -1);
}

struct run_row {
	const char *line;
	uint64_t timeout_ms;
	enum error_kind kind;
	const char *out, *errout;
};

Test(proc, run_feeds_and_collects, .timeout = 30)
{
	static const struct run_row rows[] = {
		{ "cat; echo e >&2", 9000, ERR_NONE, "input", "e\n" },
		{ "exec <&-; echo x", 9000, ERR_NONE, "x\n", "" },
		{ "head -c 100 /dev/zero | tr '\\0' a", 9000, ERR_LIMIT, NULL, NULL },
		{ "head -c 100 /dev/zero | tr '\\0' a >&2", 9000, ERR_LIMIT, NULL, NULL },
		{ "sleep 60", 50, ERR_LIMIT, NULL, NULL },
		{ "exec >&- 2>&-; sleep 60", 50, ERR_LIMIT, NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_spec spec = { .path = "/bin/sh", .argv = SH(rows[i].line),
					  .envp = environment };
		BUF_AUTO out = BUF_INIT;
		BUF_AUTO errout = BUF_INIT;
		struct proc_capture cap = { .in = "input", .in_len = 5, .max = 99,
					    .timeout_ms = rows[i].timeout_ms, .out = &out,
					    .errout = &errout };
		struct error err = ERROR_INIT;
		int status = 0;

		proc_run(&spec, &cap, &status, &err);
		cr_assert_eq(err.kind, rows[i].kind, "%s: %s", rows[i].line, err.msg);
		if (rows[i].out)
			cr_assert_str_eq(out.data, rows[i].out);
		if (rows[i].errout)
			cr_assert_str_eq(errout.data, rows[i].errout);
		cr_assert_eq(waitpid(-1, &status, WNOHANG), -1, "no child is left");
	}
}

Test(proc, start_time_tells_processes_apart)
{
	struct error err = ERROR_INIT;
	uint64_t start = 0;
	FD_AUTO self = -1;

	cr_assert_eq(proc_start_time(getpid(), &start, &err), 0, "%s", err.msg);
	cr_assert_gt(start, 0);
	self = proc_open(getpid(), start, &err);
	cr_assert_geq(self, 0, "%s", err.msg);
	cr_assert_eq(proc_open(getpid(), start + 1, &err), -1);
	cr_assert_eq(err.kind, ERR_NOTFOUND);
	cr_assert_eq(proc_open(-1, start, &err), -1);
	cr_assert_eq(proc_start_time(0x7ffffff0, &start, &err), -1);
	cr_assert_eq(err.kind, ERR_NOTFOUND);
}

/* The program's name is in the file before the start time, and its owner chooses it. */
Test(proc, start_time_with_a_hostile_name)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	struct proc p = PROC_INIT;
	uint64_t start = 0;
	uint64_t own = 0;
	BUF_AUTO path = BUF_INIT;
	struct proc_spec spec = { .argv = (const char *const[]){ "x", "60", NULL },
				  .envp = environment };

	buf_fmt(&path, "%s/a) R 1 2 (", s.path);
	cr_assert_eq(symlink("/bin/sleep", path.data), 0);
	spec.path = path.data;
	cr_assert_eq(proc_start_time(getpid(), &own, &err), 0);
	cr_assert_eq(proc_spawn(&spec, &p, &err), 0, "%s", err.msg);
	cr_assert_eq(proc_start_time(p.pid, &start, &err), 0, "%s", err.msg);
	cr_assert(start >= own && start < own + 6000, "%llu", (unsigned long long)start);
	proc_kill(&p);
}

Test(lock, excludes_and_ends_with_the_descriptor)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	FD_AUTO shared = lock_acquire(s.fd, "l", LOCK_SHARED, 0, &err);
	FD_AUTO also = lock_acquire(s.fd, "l", LOCK_SHARED, 0, &err);

	cr_assert_geq(shared, 0, "%s", err.msg);
	cr_assert_geq(also, 0, "%s", err.msg);
	cr_assert(!lock_is_held(s.fd, "l", LOCK_SHARED));
	cr_assert(lock_is_held(s.fd, "l", LOCK_EXCLUSIVE));
	cr_assert_eq(lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 0, &err), -1);
	cr_assert_eq(err.kind, ERR_BUSY);
	fd_close(&shared);
	fd_close(&also);
	shared = lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 0, &err);
	cr_assert_geq(shared, 0);
	cr_assert(lock_is_held(s.fd, "l", LOCK_SHARED));
	cr_assert(!lock_is_held(s.fd, "missing", LOCK_SHARED));
	cr_assert(!file_exists(s.fd, "missing"), "asking creates nothing");
}

Test(lock, deadline, .timeout = 10)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	FD_AUTO held = lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 0, &err);
	uint64_t start = clock_mono_us();

	cr_assert_eq(lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 100, &err), -1);
	cr_assert_eq(err.kind, ERR_BUSY);
	cr_assert_geq(clock_mono_us() - start, 100000);
	cr_assert_lt(clock_mono_us() - start, 2000000);
}

Test(lock, unlinked_file_is_no_lock, .timeout = 10)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	FD_AUTO held = lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 0, &err);
	pid_t pid = fork();
	int status;

	if (pid == 0) { /* waits for the first holder, must then hold the file that has the name */
		struct stat mine, named;
		int fd = lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 5000, &err);

		_exit(fd < 0 || fstat(fd, &mine) < 0 || fstatat(s.fd, "l", &named, 0) < 0 ||
		      mine.st_ino != named.st_ino);
	}
	usleep(50000);
	cr_assert_eq(unlinkat(s.fd, "l", 0), 0);
	fd_close(&held);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
}

Test(lock, refuses_symlinks)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	cr_assert_eq(symlinkat("target", s.fd, "l"), 0);
	cr_assert_eq(lock_acquire(s.fd, "l", LOCK_EXCLUSIVE, 0, &err), -1);
	cr_assert_eq(err.sys, ELOOP);
	cr_assert(!file_exists(s.fd, "target"));
	cr_assert(!lock_is_held(s.fd, "l", LOCK_EXCLUSIVE));
}

Test(rand, digits)
{
	char a[101], b[101];

	rand_hex(a, 100);
	rand_hex(b, 100);
	cr_assert_eq(strlen(a), 100);
	cr_assert_eq(strspn(a, "0123456789abcdef"), 100);
	cr_assert_str_neq(a, b);
	rand_hex(a, 0);
	cr_assert_str_empty(a);
	rand_hex(a, 7);
	cr_assert_eq(strlen(a), 7);
}
