/*
 * inject: makes one system call of a whole process tree fail. Linked into the
 * programs of `make VARIANT=inject` alone, by the linker's --wrap (t/inject/wraps),
 * so that the sources know nothing of it.
 *
 *	BOX_INJECT_STATE  a file of at least 4096 bytes, shared by all processes of
 *			  one run: struct state below; t/inject.sh makes and reads it
 *	BOX_INJECT_AT     number of the call that fails, counted over all processes;
 *			  0 or unset: none, calls are only counted
 *
 * Our own helpers start with an empty environment; these two variables are added
 * to it. What is cloned or forked inherits the mapping.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct state {
	_Atomic uint64_t calls;
	_Atomic uint64_t fired; /* calls that were made to fail: 0 or 1 */
	char what[64];		/* name of that call */
};

/* Test code: the rule against mutable statics is for the product. */
static struct state *shared;
static uint64_t fail_at;

__attribute__((constructor)) static void attach(void)
{
	const char *path = getenv("BOX_INJECT_STATE");
	const char *at = getenv("BOX_INJECT_AT");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
	void *p;

	if (fd < 0)
		return;
	p = (void *)syscall(SYS_mmap, NULL, 4096UL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0UL);
	close(fd);
	if (p == MAP_FAILED)
		return;
	fail_at = at ? strtoull(at, NULL, 10) : 0;
	shared = p;
}

/* Counts this call; nonzero (and errno) where it is the one that fails. */
static int fails(const char *what, int error)
{
	if (!shared || atomic_fetch_add(&shared->calls, 1) + 1 != fail_at)
		return 0;
	snprintf(shared->what, sizeof(shared->what), "%s", what);
	atomic_store(&shared->fired, 1);
	errno = error;
	return 1;
}

/* Fixed arguments: WRAP(type, name, (parameters), (arguments), errno, failure value). */
#define WRAP(type, name, params, args, error, failure) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params \
	{ \
		return fails(#name, error) ? failure : __real_##name args; \
	}

WRAP(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), EIO, -1)
WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), ENOSPC, -1)
WRAP(int, fsync, (int fd), (fd), EIO, -1)
WRAP(int, fdatasync, (int fd), (fd), EIO, -1)
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), ENOSPC, -1)
WRAP(int, renameat, (int a, const char *f, int b, const char *t), (a, f, b, t), ENOSPC, -1)
WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), ENOSPC, -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC, -1)
WRAP(int, symlinkat, (const char *to, int fd, const char *path), (to, fd, path), ENOSPC, -1)
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), EIO, -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), EIO, -1)
WRAP(int, fchmodat, (int fd, const char *p, mode_t m, int f), (fd, p, m, f), EIO, -1)
WRAP(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid), EIO, -1)
WRAP(int, fchownat, (int d, const char *p, uid_t u, gid_t g, int f), (d, p, u, g, f), EIO, -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), EIO, -1)
WRAP(int, fstatat, (int fd, const char *p, struct stat *st, int f), (fd, p, st, f), EIO, -1)
WRAP(int, flock, (int fd, int op), (fd, op), ENOLCK, -1)
WRAP(int, pipe2, (int fds[2], int flags), (fds, flags), EMFILE, -1)
WRAP(int, socketpair, (int d, int t, int p, int fds[2]), (d, t, p, fds), EMFILE, -1)
WRAP(int, dup3, (int from, int to, int flags), (from, to, flags), EMFILE, -1)
WRAP(int, memfd_create, (const char *name, unsigned int flags), (name, flags), EMFILE, -1)
WRAP(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), EMFILE, -1)
WRAP(pid_t, fork, (void), (), EAGAIN, -1)
WRAP(ssize_t, sendmsg, (int s, const struct msghdr *m, int f), (s, m, f), ENOBUFS, -1)
WRAP(ssize_t, recvmsg, (int s, struct msghdr *m, int f), (s, m, f), ENOMEM, -1)
WRAP(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at),
     (p, n, prot, flags, fd, at), ENOMEM, MAP_FAILED)
WRAP(int, mount, (const char *s, const char *t, const char *k, unsigned long f, const void *d),
     (s, t, k, f, d), ENOSPC, -1)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return fails("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return fails("openat", EMFILE) ? -1 : __real_openat(dirfd, path, flags, mode);
}

int __real_fcntl(int fd, int cmd, ...);
int __wrap_fcntl(int fd, int cmd, ...);
int __wrap_fcntl(int fd, int cmd, ...)
{
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
	return fails("fcntl", EMFILE) ? -1 : __real_fcntl(fd, cmd, arg);
}

/* Calls without a wrapper in libc: only those that take something from the system. */
static int syscall_fails(long number)
{
	switch (number) {
	case SYS_openat2:
		return fails("openat2", EMFILE);
	case SYS_pidfd_open:
		return fails("pidfd_open", EMFILE);
	case SYS_clone3:
		return fails("clone3", EAGAIN);
	default:
		return 0;
	}
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	va_list ap;
	long a[6];

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (syscall_fails(number))
		return -1;
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* envp for a program of ours: with our two variables behind it. */
static char *const *extended(const char *path, char *const *envp)
{
	static char state[4200], at[64];
	static char *more[256];
	size_t n = 0;

	while (envp[n])
		n++;
	if (!shared || !strstr(path, "/git-box-") || n + 3 > sizeof(more) / sizeof(more[0]))
		return envp;
	memcpy(more, envp, n * sizeof(*more));
	snprintf(state, sizeof(state), "BOX_INJECT_STATE=%s", getenv("BOX_INJECT_STATE"));
	snprintf(at, sizeof(at), "BOX_INJECT_AT=%llu", (unsigned long long)fail_at);
	more[n] = state;
	more[n + 1] = at;
	more[n + 2] = NULL;
	return more;
}

typedef const posix_spawn_file_actions_t *actions;
typedef const posix_spawnattr_t *attributes;
WRAP(int, posix_spawnp,
     (pid_t *pid, const char *path, actions fa, attributes a, char *const *argv, char *const *envp),
     (pid, path, fa, a, argv, extended(path, envp)), EAGAIN, EAGAIN)
