/*
 * kernel: one door of the kernel after the other, for the escape tests.
 *
 *	kernel NAME...	tries each; prints "open NAME" where the call got past the gates, else "shut
 *NAME" kernel --list	all names
 *
 * A door counts as open where the call succeeds, or fails for a reason that
 * only the code behind the gate gives (a wrong argument, say). Each is tried in
 * a child, since some are answered by a signal. Exit 0 where all were open.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define X32_BIT 0x40000000L
#define TIOCLINUX_NR 0x541CUL
#define NR_OPEN_TREE_ATTR 467

static long reap(long pid)
{
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	return pid;
}

static long try_unshare_user(void)
{
	return unshare(CLONE_NEWUSER);
}
static long try_unshare_net(void)
{
	return unshare(CLONE_NEWNET);
}
static long try_unshare_mount(void)
{
	return unshare(CLONE_NEWNS);
}
static long try_clone_user(void)
{
	return reap(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}
static long try_clone_high(void)
{
	return reap(syscall(SYS_clone, (1UL << 40) | CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}
static long try_clone3_user(void)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };

	return reap(syscall(SYS_clone3, &args, sizeof(args)));
}
static long try_setns(void)
{
	int fd = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : setns(fd, CLONE_NEWUTS);
}
static long try_mount(void)
{
	return mount("none", "/tmp", "tmpfs", 0, NULL);
}
static long try_remount(void)
{
	return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
}
static long try_umount(void)
{
	return umount2("/proc", MNT_DETACH);
}
static long try_fsopen(void)
{
	return syscall(SYS_fsopen, "tmpfs", 0);
}
static long try_open_tree(void)
{
	return syscall(SYS_open_tree, AT_FDCWD, "/usr", 1 /* OPEN_TREE_CLONE */);
}
static long try_open_tree_attr(void)
{
	return syscall(NR_OPEN_TREE_ATTR, AT_FDCWD, "/usr", 1 /* OPEN_TREE_CLONE */, NULL, 0);
}
static long try_move_mount(void)
{
	return syscall(SYS_move_mount, -1, "/usr", -1, "/tmp", 0);
}
static long try_mount_setattr(void)
{
	unsigned long long attr[4] = { 0, 1 /* MOUNT_ATTR_RDONLY cleared */, 0, 0 };

	return syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, attr, sizeof(attr));
}
static long try_pivot_root(void)
{
	return syscall(SYS_pivot_root, "/usr", "/nonexistent");
}
static long try_chroot(void)
{
	return chroot("/usr");
}
static long try_io_uring(void)
{
	struct io_uring_params params = { 0 };

	return syscall(SYS_io_uring_setup, 4, &params);
}
static long try_add_key(void)
{
	return syscall(SYS_add_key, "user", "box-test", "x", 1, KEY_SPEC_PROCESS_KEYRING);
}
static long try_keyctl(void)
{
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1);
}
static long try_request_key(void)
{
	return syscall(SYS_request_key, "user", "box-none", NULL, 0);
}
static long try_bpf(void)
{
	unsigned attr[16] = { 2 /* BPF_MAP_TYPE_ARRAY */, 4, 4, 1 };

	return syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, attr, sizeof(attr));
}
static long try_perf(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.exclude_kernel = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}
static long try_userfaultfd(void)
{
	return syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
}
static long try_pidfd_getfd(void)
{
	long fd = syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 ? -1 : syscall(SYS_pidfd_getfd, fd, 0, 0);
}
static long try_kcmp(void)
{
	return syscall(SYS_kcmp, getpid(), getpid(), 1 /* KCMP_VM */, 0, 0);
}
static long try_netfilter(void)
{
	return socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);
}
static long try_mptcp(void)
{
	return socket(AF_INET, SOCK_STREAM, 262);
}
static long try_vsock(void)
{
	return socket(AF_VSOCK, SOCK_STREAM, 0);
}
static long try_alg(void)
{
	return socket(AF_ALG, SOCK_SEQPACKET, 0);
}

/* A system call through the x32 table: whatever it answers, it was not killed. */
static long try_x32(void)
{
	syscall(X32_BIT | SYS_getpid);
	return 0;
}

#ifdef __x86_64__
/* getpid of the 32-bit table. */
static long try_i386(void)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(20L)
			 : "memory", "r8", "r9", "r10", "r11");
	return result > 0 ? 0 : -1;
}
#else
static long try_i386(void)
{
	return 0;
}
#endif

/* A terminal of our own as the controlling one: nobody else's is at risk. */
static int own_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return -1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		return -1;
	return slave;
}
static long try_tiocsti(void)
{
	return ioctl(own_terminal(), TIOCSTI, "x");
}
static long try_tiocsti_high(void)
{
	return syscall(SYS_ioctl, own_terminal(), (1UL << 32) | TIOCSTI, "x");
}
static long try_tioclinux(void)
{
	int tty = own_terminal();

	return tty < 0 ? -1 : ioctl(tty, TIOCLINUX_NR, "\2");
}

static const struct door {
	const char *name;
	long (*try)(void);
} doors[] = {
	{ "unshare_user", try_unshare_user },
	{ "unshare_net", try_unshare_net },
	{ "unshare_mount", try_unshare_mount },
	{ "clone_user", try_clone_user },
	{ "clone_high", try_clone_high },
	{ "clone3_user", try_clone3_user },
	{ "setns", try_setns },
	{ "mount", try_mount },
	{ "remount", try_remount },
	{ "umount", try_umount },
	{ "fsopen", try_fsopen },
	{ "open_tree", try_open_tree },
	{ "open_tree_attr", try_open_tree_attr },
	{ "move_mount", try_move_mount },
	{ "mount_setattr", try_mount_setattr },
	{ "pivot_root", try_pivot_root },
	{ "chroot", try_chroot },
	{ "io_uring", try_io_uring },
	{ "add_key", try_add_key },
	{ "keyctl", try_keyctl },
	{ "request_key", try_request_key },
	{ "bpf", try_bpf },
	{ "perf", try_perf },
	{ "userfaultfd", try_userfaultfd },
	{ "pidfd_getfd", try_pidfd_getfd },
	{ "kcmp", try_kcmp },
	{ "netfilter", try_netfilter },
	{ "mptcp", try_mptcp },
	{ "vsock", try_vsock },
	{ "alg", try_alg },
	{ "x32", try_x32 },
	{ "i386", try_i386 },
	{ "tiocsti", try_tiocsti },
	{ "tiocsti_high", try_tiocsti_high },
	{ "tioclinux", try_tioclinux },
};
#define DOORS (sizeof(doors) / sizeof(doors[0]))

/* What a gate answers: a filter's EPERM or ENOSYS, a missing capability, a namespace limit. */
static int shut_by_gate(int err)
{
	return err == EPERM || err == ENOSYS || err == EACCES || err == ENOSPC || err == EUSERS ||
	       err == EBADF || err == EPROTONOSUPPORT || err == EAFNOSUPPORT;
}

/*
 * A door that opens must not let us touch the caller's mounts: where we may, we
 * go into a namespace of our own first. Where we may not, no mount call can
 * work for a reason of its own.
 */
static void leave_mounts(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(1);
}

static int door_open(const struct door *door)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* no core file where the answer is a signal */
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		leave_mounts();
		errno = 0;
		_exit(door->try() >= 0 || !shut_by_gate(errno) ? 0 : 1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
	int all = 1;

	for (size_t d = 0; d < DOORS && argc == 2 && strcmp(argv[1], "--list") == 0; d++)
		puts(doors[d].name);
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return 0;
	for (int i = 1; i < argc; i++) {
		size_t d = 0;

		while (d < DOORS && strcmp(doors[d].name, argv[i]) != 0)
			d++;
		if (d == DOORS) {
			fprintf(stderr, "kernel: no door %s\n", argv[i]);
			return 2;
		}
		if (door_open(&doors[d])) {
			printf("open %s\n", argv[i]);
		} else {
			printf("shut %s\n", argv[i]);
			all = 0;
		}
		fflush(stdout);
	}
	return all ? 0 : 1;
}
