/*
 * filter-gen: build-time program that prints the seccomp programs of
 * sandbox/filter.h as C arrays. libseccomp makes them; in front of each goes a
 * prefix that answers ENOSYS for system calls newer than this build knows.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LOW32 0xffffffffull
#define X32_BIT 0x40000000u
#define NEWEST_SYSCALL 450 /* set_mempolicy_home_node, Linux 5.17 */
#define EPERM_ACTION SCMP_ACT_ERRNO(EPERM)
#define TIOCLINUX_NR 0x541c
#define TYPE_MASK 0xf /* the kernel's SOCK_TYPE_MASK; flags lie above it */

/* Refused with EPERM whatever the arguments. */
static const char *const refused[] = {
	/* mounts and roots: the classic interface and the new one */
	"mount",
	"umount2",
	"pivot_root",
	"chroot",
	"open_tree",
	"move_mount",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"quotactl",
	"quotactl_fd",
	/* namespaces */
	"unshare",
	"setns",
	/* other processes */
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"process_mrelease",
	"pidfd_getfd",
	"kcmp",
	"move_pages",
	"migrate_pages",
	"mbind",
	"set_mempolicy",
	"set_mempolicy_home_node",
	/* kernel memory, code and keys */
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"init_module",
	"finit_module",
	"delete_module",
	"kexec_load",
	"kexec_file_load",
	"keyctl",
	"add_key",
	"request_key",
	"lookup_dcookie",
	"uselib",
	"_sysctl",
	"nfsservctl",
	"iopl",
	"ioperm",
	"modify_ldt",
	"vm86",
	"vm86old",
	/* files by handle, events of whole file systems */
	"open_by_handle_at",
	"name_to_handle_at",
	"fanotify_init",
	"fanotify_mark",
	/* io_uring does socket work that no filter on socket calls sees */
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	/* the machine */
	"reboot",
	"swapon",
	"swapoff",
	"acct",
	"settimeofday",
	"stime",
	"clock_settime",
	"clock_settime64",
	"clock_adjtime",
	"clock_adjtime64",
	"adjtimex",
	"sethostname",
	"setdomainname",
	"syslog",
	"vhangup",
};

static const char *const monitor_allowed[] = {
	"read",
	"write",
	"close",
	"pread64",
	"lseek",
	"recvmsg",
	"sendmsg",
	"sendto",
	"recvfrom",
	"poll",
	"ppoll",
	"epoll_wait",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_ctl",
	"timerfd_settime",
	"pidfd_send_signal",
	"waitid",
	"wait4",
	"pipe2",
	"fcntl",
	"openat",
	"newfstatat",
	"fstat",
	"getdents64",
	"mmap",
	"munmap",
	"mremap",
	"mprotect",
	"madvise",
	"brk",
	"futex",
	"getrandom",
	"clock_gettime",
	"gettimeofday",
	"clock_nanosleep",
	"rt_sigreturn",
	"rt_sigprocmask",
	"rt_sigaction",
	"restart_syscall",
	"getpid",
	"gettid",
	"tgkill",
	"exit",
	"exit_group",
	"rseq",
	"sched_yield",
};

static void die(const char *what, int err)
{
	fprintf(stderr, "filter-gen: %s: error %d\n", what, -err);
	exit(1);
}

static void rule(scmp_filter_ctx ctx, uint32_t action, const char *name, unsigned n,
		 const struct scmp_arg_cmp *args)
{
	int nr = seccomp_syscall_resolve_name(name);
	if (nr == __NR_SCMP_ERROR)
		return; /* unknown to this libseccomp: the prefix answers ENOSYS */
	int r = seccomp_rule_add_array(ctx, action, nr, n, args);
	if (r && r != -EDOM) /* EDOM: not on this architecture */
		die(name, r);
}

static void rule_if(scmp_filter_ctx ctx, uint32_t action, const char *name, struct scmp_arg_cmp arg)
{
	rule(ctx, action, name, 1, &arg);
}

/* Any bit of `bits` in the low half of argument n: one rule a bit, since a masked compare wants one
 * value. */
static void refuse_bits(scmp_filter_ctx ctx, const char *name, unsigned n, uint64_t bits, int err)
{
	for (unsigned i = 0; i < 32; i++)
		if (bits & (1ull << i))
			rule_if(ctx, SCMP_ACT_ERRNO(err), name,
				SCMP_CMP(n, SCMP_CMP_MASKED_EQ, 1ull << i, 1ull << i));
}

/*
 * Plain TCP and UDP, and the route part of netlink (Node and Go list
 * interfaces with it); which families there are at all is the prefix's. The
 * kernel takes ints, so the high half of a register is garbage that must not
 * matter: equality is on the low 32 bits.
 */
static void socket_rules(scmp_filter_ctx ctx)
{
	static const unsigned inet[] = { AF_INET, AF_INET6 };
	static const unsigned types[] = { SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET, SOCK_DCCP,
					  SOCK_PACKET };
	/* ICMP, ICMPv6, SCTP, UDP-Lite, raw, MPTCP: the other ones that a stream or datagram socket
	 * may name */
	static const unsigned protocols[] = { 1, 58, 132, 136, 255, 262 };

	for (size_t i = 0; i < LEN(inet); i++) {
		for (size_t t = 0; t < LEN(types); t++) {
			struct scmp_arg_cmp args[] = {
				SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32, inet[i]),
				SCMP_CMP(1, SCMP_CMP_MASKED_EQ, TYPE_MASK, types[t])
			};
			rule(ctx, EPERM_ACTION, "socket", 2, args);
		}
		for (size_t t = 0; t < LEN(protocols); t++) {
			struct scmp_arg_cmp args[] = {
				SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32, inet[i]),
				SCMP_CMP(2, SCMP_CMP_MASKED_EQ, LOW32, protocols[t])
			};
			rule(ctx, SCMP_ACT_ERRNO(EPROTONOSUPPORT), "socket", 2, args);
		}
	}
	struct scmp_arg_cmp netlink[] = { SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32, AF_NETLINK),
					  SCMP_CMP(2, SCMP_CMP_NE, 0) };
	rule(ctx, EPERM_ACTION, "socket", 2, netlink);
	/* Data on the connecting packet goes past what looks at connect(). */
	rule_if(ctx, EPERM_ACTION, "sendto",
		SCMP_CMP(3, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
	rule_if(ctx, EPERM_ACTION, "sendmsg",
		SCMP_CMP(2, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
	rule_if(ctx, EPERM_ACTION, "sendmmsg",
		SCMP_CMP(3, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
}

static void argument_rules(scmp_filter_ctx ctx)
{
	const uint64_t new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
					CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
	const uint64_t injecting[] = { TIOCSTI, TIOCLINUX_NR, TIOCSETD, TIOCCONS };

	refuse_bits(ctx, "clone", 0, new_namespaces, EPERM);
	/* Its flags are in memory, which a filter cannot read; libc falls back to clone. */
	rule(ctx, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
	for (size_t i = 0; i < LEN(injecting); i++)
		rule_if(ctx, EPERM_ACTION, "ioctl",
			SCMP_CMP(1, SCMP_CMP_MASKED_EQ, LOW32, injecting[i]));
	/* Limits of other processes, init among them. */
	struct scmp_arg_cmp others[] = { SCMP_CMP(0, SCMP_CMP_NE, 0), SCMP_CMP(2, SCMP_CMP_NE, 0) };
	rule(ctx, EPERM_ACTION, "prlimit64", LEN(others), others);
}

static void payload_rules(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < LEN(refused); i++)
		rule(ctx, EPERM_ACTION, refused[i], 0, NULL);
	argument_rules(ctx);
	socket_rules(ctx);
}

static void monitor_rules(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < LEN(monitor_allowed); i++)
		rule(ctx, SCMP_ACT_ALLOW, monitor_allowed[i], 0, NULL);
}

static void print(const struct sock_filter *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", f[i].code, f[i].jt, f[i].jf, f[i].k);
}

/*
 * Only our own architecture gets past the first test: foreign ones and x32 are
 * killed by what follows. The families of socket() are four comparisons here
 * and would be two hundred instructions as rules.
 */
static void print_prefix(bool socket_families)
{
	const uint32_t arch = seccomp_arch_native() == SCMP_ARCH_AARCH64 ? AUDIT_ARCH_AARCH64 :
									   AUDIT_ARCH_X86_64;
	const uint32_t low_half = offsetof(struct seccomp_data,
					   args); /* both architectures are little endian */
	const unsigned char end = socket_families ? 13 : 6;
	const struct sock_filter prefix[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 0, (unsigned char)(end - 2)),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, (unsigned char)(end - 4), 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST_SYSCALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	const struct sock_filter families[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)SCMP_SYS(socket), 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
	};

	print(prefix, LEN(prefix));
	if (socket_families)
		print(families, LEN(families));
}

static void print_program(scmp_filter_ctx ctx, const char *name, bool socket_families)
{
	int r, fd = memfd_create("filter", MFD_CLOEXEC);
	static struct sock_filter prog[4096];

	if (fd < 0)
		die("memfd_create", -errno);
	r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r)
		die("bad architecture", r);
	r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r)
		die("optimise", r);
	r = seccomp_export_bpf(ctx, fd);
	if (r)
		die("export", r);
	ssize_t n = pread(fd, prog, sizeof(prog), 0);
	if (n <= 0 || n % (ssize_t)sizeof(prog[0]) || (size_t)n == sizeof(prog))
		die(name, -EINVAL);
	printf("static const struct sock_filter filter_%s[] = {\n", name);
	print_prefix(socket_families);
	print(prog, (size_t)n / sizeof(prog[0]));
	printf("};\n");
	close(fd);
}

static void mason_rules(scmp_filter_ctx ctx)
{
	payload_rules(ctx);
	rule(ctx, EPERM_ACTION, "socket", 0, NULL);
	rule(ctx, EPERM_ACTION, "socketpair", 0, NULL);
}

static void generate(const char *name, uint32_t otherwise, void (*rules)(scmp_filter_ctx),
		     bool socket_families)
{
	scmp_filter_ctx ctx = seccomp_init(otherwise);
	if (!ctx)
		die("seccomp_init", -ENOMEM);
	rules(ctx);
	print_program(ctx, name, socket_families);
	seccomp_release(ctx);
}

int main(void)
{
	generate("payload", SCMP_ACT_ALLOW, payload_rules, true);
	generate("mason", SCMP_ACT_ALLOW, mason_rules, false);
	generate("monitor", EPERM_ACTION, monitor_rules, false);
	return fflush(stdout) ? 1 : 0;
}
