/*
 * floor: the kernel's price of one confined command, with nothing around it.
 *
 * The same work as one run of a box in the process tier, by raw calls: user,
 * mount, pid, ipc, uts, cgroup and network namespace, a tmpfs root with 40
 * read-only binds, procfs, loopback up, pivot_root, a second user namespace
 * without capabilities, Landlock with 20 paths, a prebuilt filter, exec of
 * /usr/bin/true. What `git-box run` costs above this is ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BINDS 40
#define RULES 20
#define ROOT "/tmp"

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(1);
	}
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	check(fd >= 0, path);
	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	close(fd);
}

static void map_ids(unsigned outside, unsigned inside, const char *file)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 1", inside, outside);
	write_file(file, text);
}

static void enter_ids(unsigned uid, unsigned gid)
{
	write_file("/proc/self/setgroups", "deny");
	map_ids(uid, uid, "/proc/self/uid_map");
	map_ids(gid, gid, "/proc/self/gid_map");
}

static void bind_ro(const char *src, const char *dst)
{
	check(mount(src, dst, NULL, MS_BIND | MS_REC, NULL) == 0, dst);
	check(mount(NULL, dst, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV,
		    NULL) == 0,
	      dst);
}

static void build_root(void)
{
	char dst[64];

	check(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private");
	check(mount("tmpfs", ROOT, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m") == 0, "tmpfs");
	check(mkdir(ROOT "/usr", 0755) == 0, "usr");
	bind_ro("/usr", ROOT "/usr");
	check(symlink("usr/lib", ROOT "/lib") == 0 && symlink("usr/lib64", ROOT "/lib64") == 0,
	      "lib");
	check(mkdir(ROOT "/m", 0755) == 0, "m");
	for (int i = 0; i < BINDS - 1; i++) {
		snprintf(dst, sizeof(dst), ROOT "/m/%d", i);
		check(mkdir(dst, 0755) == 0, dst);
		bind_ro("/usr/share", dst);
	}
	check(mkdir(ROOT "/proc", 0755) == 0, "proc");
	check(mount("proc", ROOT "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0,
	      "procfs");
	check(chdir(ROOT) == 0, "chdir");
	check(syscall(SYS_pivot_root, ".", ".") == 0, "pivot_root");
	check(umount2(".", MNT_DETACH) == 0, "umount");
	check(mount(NULL, "/", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV,
		    NULL) == 0,
	      "ro");
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	check(fd >= 0, "socket");
	memcpy(ifr.ifr_name, "lo", 3);
	check(ioctl(fd, SIOCSIFFLAGS, &ifr) == 0, "lo");
	close(fd);
}

static void landlock(void)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE |
								   LANDLOCK_ACCESS_FS_MAKE_REG };
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	check(ruleset >= 0, "landlock");
	for (int i = 0; i < RULES; i++) {
		char path[64];
		struct landlock_path_beneath_attr rule = { .allowed_access =
								   LANDLOCK_ACCESS_FS_WRITE_FILE };

		snprintf(path, sizeof(path), "/m/%d", i);
		rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
		check(rule.parent_fd >= 0, path);
		check(syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule,
			      0) == 0,
		      "rule");
		close(rule.parent_fd);
	}
	check(syscall(SYS_landlock_restrict_self, ruleset, 0) == 0, "restrict");
	close(ruleset);
}

/* As long as an ordinary deny list: 100 comparisons that a common call walks through. */
static void filter(void)
{
	struct sock_filter code[104];
	size_t n = 0;
	struct sock_fprog prog;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (uint32_t i = 0; i < 100; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 5000 + i,
							 (uint8_t)(100 - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	prog = (struct sock_fprog){ .len = (unsigned short)n, .filter = code };
	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
	check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0, "seccomp");
}

/* pid 1 of the box: builds the root, then a child of it becomes the command. */
static int inside(unsigned uid, unsigned gid)
{
	char *const argv[] = { (char[]){ "true" }, NULL };
	int status;
	pid_t pid;

	enter_ids(uid, gid);
	build_root();
	loopback_up();
	pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		check(unshare(CLONE_NEWUSER) == 0, "second user namespace");
		enter_ids(uid, gid);
		landlock();
		filter();
		execv("/usr/bin/true", argv);
		check(0, "exec");
	}
	check(waitpid(pid, &status, 0) == pid, "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void)
{
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
			 CLONE_NEWCGROUP | CLONE_NEWNET,
		.exit_signal = SIGCHLD,
	};
	unsigned uid = geteuid(), gid = getegid();
	int status;
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	check(pid >= 0, "clone3");
	if (pid == 0)
		_exit(inside(uid, gid));
	check(waitpid(pid, &status, 0) == pid, "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
