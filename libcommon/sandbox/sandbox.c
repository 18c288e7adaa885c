#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sandbox/inside.h"
#include "sandbox/sandbox.h"
#include "sys/fd.h"
#include "wire/frame.h"

#define FIRST_FREE_FD 3

/*
 * Moves init's three descriptors to 3, 4, 5 and closes the rest: the copy of
 * the monitor's other descriptors (front, locks) must not outlive the monitor
 * in here. Runs after clone: system calls only.
 */
static void keep_own_fds(struct inside *in)
{
	int *fds[] = { &in->go, &in->init_chan, &in->spawner_chan };

	/* First out of the way, so that no target is still a source. */
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		*fds[i] = fcntl(*fds[i], F_DUPFD_CLOEXEC, 64);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		*fds[i] = dup3(*fds[i], FIRST_FREE_FD + (int)i, O_CLOEXEC);
	syscall(SYS_close_range, FIRST_FREE_FD + ARRAY_SIZE(fds), ~0u, 0);
}

static long clone_init(int cgroup_fd, int *pidfd)
{
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
			 CLONE_NEWCGROUP | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};

	if (cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup_fd;
	}
	return syscall(SYS_clone3, &args, sizeof(args));
}

static int write_proc(pid_t pid, const char *name, const char *text)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, text, strlen(text));
	int saved = errno;
	close(fd);
	errno = saved;
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

/*
 * Identity maps. Where the payload runs under another uid than ours (operator
 * is root) both are mapped: init stays ours, the spawner changes over.
 */
static int write_maps(pid_t pid, const struct frame_start *start)
{
	char uid_map[64], gid_map[64];
	unsigned uid = geteuid(), gid = getegid();

	if (uid == start->uid) {
		(void)snprintf(uid_map, sizeof(uid_map), "%u %u 1", uid, uid);
		(void)snprintf(gid_map, sizeof(gid_map), "%u %u 1", gid, gid);
		if (write_proc(pid, "setgroups", "deny"))
			return -1;
	} else {
		(void)snprintf(uid_map, sizeof(uid_map), "%u %u 1\n%u %u 1", uid, uid, start->uid,
			       start->uid);
		(void)snprintf(gid_map, sizeof(gid_map), "%u %u 1\n%u %u 1", gid, gid, start->gid,
			       start->gid);
	}
	if (write_proc(pid, "uid_map", uid_map))
		return -1;
	return write_proc(pid, "gid_map", gid_map);
}

struct pipes {
	int go[2];
	int init[2];
	int spawner[2];
};

static void close_pairs(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		fd_close(&p->go[i]);
		fd_close(&p->init[i]);
		fd_close(&p->spawner[i]);
	}
}

static int open_pairs(struct pipes *p)
{
	if (pipe2(p->go, O_CLOEXEC))
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->init))
		return -1;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->spawner);
}

static int fail(struct fault *f, enum fault_step step)
{
	*f = (struct fault){ .step = (uint16_t)step, .sys = errno };
	return -1;
}

static int begin(const struct frame_start *start, int cgroup_fd, struct pipes *p, struct sandbox *s,
		 struct fault *f)
{
	if (open_pairs(p))
		return fail(f, STEP_CLONE);
	long pid = clone_init(cgroup_fd, &s->pidfd);
	if (pid == 0) {
		struct inside in = { .own_net = start->own_net != 0,
				     .go = p->go[0],
				     .init_chan = p->init[1],
				     .spawner_chan = p->spawner[1] };
		keep_own_fds(&in);
		inside_init(&in);
	}
	if (pid < 0)
		return fail(f, STEP_CLONE);
	s->pid = (pid_t)pid;
	s->init_chan = fd_take(&p->init[0]);
	s->spawner_chan = fd_take(&p->spawner[0]);
	if (write_maps(s->pid, start) || write(p->go[1], "g", 1) != 1)
		return fail(f, STEP_ID_MAP);
	return 0;
}

int sandbox_start(const struct frame_start *start, int cgroup_fd, struct sandbox *out,
		  struct fault *f)
{
	struct pipes p = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	struct sandbox s = SANDBOX_INIT;
	int r = begin(start, cgroup_fd, &p, &s, f);

	close_pairs(&p);
	if (r)
		sandbox_kill(&s);
	else
		*out = s;
	return r;
}

int sandbox_build(const struct sandbox *s, int plan_fd, struct error *err)
{
	const struct frame_out plan = { .type = FRAME_PLAN, .fds = &plan_fd, .fds_len = 1 };

	if (frame_send(s->init_chan, &plan, err))
		return -1;
	return frame_send(s->spawner_chan, &plan, err);
}

void sandbox_kill(struct sandbox *s)
{
	if (s->pidfd >= 0) {
		(void)syscall(SYS_pidfd_send_signal, s->pidfd, SIGKILL, NULL, 0);
		siginfo_t info;
		while (waitid(P_PIDFD, (id_t)s->pidfd, &info, WEXITED) < 0 && errno == EINTR)
			;
	}
	fd_close(&s->pidfd);
	fd_close(&s->init_chan);
	fd_close(&s->spawner_chan);
	s->pid = -1;
}
