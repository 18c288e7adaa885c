#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

static int fail(struct fault *f, enum fault_step step)
{
	f->step = (uint16_t)step;
	f->index = 0;
	f->sys = errno;
	return -1;
}

/*
 * One user namespace may still be made below ours: the spawner's. After that
 * even a hole in the seccomp filter gives the payload no new one.
 */
static int limit_userns(void)
{
	int fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, "1", 1);
	close(fd);
	return n == 1 ? 0 : -1;
}

static int wait_spawner(const struct start_gate *gate)
{
	char byte;

	if (read(gate->net_ready[0], &byte, 1) == 1)
		return 0;
	errno = ESRCH; /* its own fault tells more, and goes out on its own channel */
	return -1;
}

/*
 * Making a network namespace takes as long as all mounts together, so the
 * spawner makes it meanwhile; we join it, lest /proc/1/net show the host's.
 */
static int join_network(const struct start_gate *gate)
{
	return setns(gate->spawner_pidfd, CLONE_NEWNET);
}

static int say(int fd)
{
	return write(fd, "g", 1) == 1 ? 0 : -1;
}

static int set_up(const struct plan *p, const struct start_gate *gate, struct fault *f)
{
	struct mounted done;
	const char *hostname = plan_str(p, p->hostname);

	if (sethostname(hostname, strlen(hostname)))
		return fail(f, STEP_HOSTNAME);
	if (inside_build_root(p, &done, f))
		return -1;
	/* Before the spawner makes itself undumpable, which would keep us out. */
	if (wait_spawner(gate) || (p->bits & PLAN_NET_OWN && join_network(gate)))
		return fail(f, STEP_NETWORK);
	/* Below PIPE_BUF: in one piece. */
	if (write(gate->root_ready[1], &done, sizeof(done)) != (ssize_t)sizeof(done))
		return fail(f, STEP_SPAWNER);
	/* Taking the old root down waits for other processors; the spawner goes on meanwhile. */
	if (inside_leave_old_root(p, f) || inside_audit_root(p, f))
		return -1;
	return say(gate->all_ready[1]) ? fail(f, STEP_SPAWNER) : 0;
}

static pid_t start_spawner(const struct inside *in, struct start_gate *gate, struct fault *f)
{
	struct clone_args args = {
		.flags = CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&gate->spawner_pidfd,
		.exit_signal = SIGCHLD,
	};

	if (pipe2(gate->net_ready, O_CLOEXEC) || pipe2(gate->root_ready, O_CLOEXEC) ||
	    pipe2(gate->all_ready, O_CLOEXEC)) {
		fail(f, STEP_SPAWNER);
		return -1;
	}
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0) {
		close(in->init_chan);
		close(gate->root_ready[1]);
		close(gate->all_ready[1]);
		inside_spawner(in, gate);
	}
	if (pid < 0)
		fail(f, STEP_SPAWNER);
	close(gate->net_ready[1]);
	close(gate->proc);
	return pid;
}

/*
 * Reaps until the spawner is gone, then ends every other process. When we exit
 * after that, nothing of the session is alive: the monitor sees it as the end
 * of our channel, before the kernel takes mounts and network down.
 */
static void reap_all(pid_t spawner)
{
	pid_t pid;

	do {
		pid = waitpid(-1, NULL, 0);
	} while (pid != spawner && (pid > 0 || errno == EINTR));
	kill(-1, SIGKILL);
	do {
		pid = waitpid(-1, NULL, 0);
	} while (pid > 0 || errno == EINTR);
}

/* What wants the host's procfs, and the way into the new root. */
static int prepare(struct start_gate *gate, struct fault *f)
{
	gate->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (gate->proc < 0 || limit_userns())
		return fail(f, STEP_USERNS_MAX);
	return inside_enter_root(f);
}

static NORETURN void give_up(const struct inside *in, const struct fault *f)
{
	chan_send(in->init_chan, FRAME_FAULT, f, sizeof(*f));
	_exit(1);
}

void inside_init(const struct inside *in)
{
	struct fault f = { 0 };
	struct start_gate gate;
	char go;

	/* The last line of defence against mounting in a namespace that is not ours. */
	if (getpid() != 1)
		_exit(1);
	/* End of file instead of the byte: the monitor is gone or could not write the maps. */
	if (read(in->go, &go, 1) != 1)
		_exit(1);
	close(in->go);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	umask(0); /* modes in the plan are meant literally */
	if (prepare(&gate, &f))
		give_up(in, &f);
	/* Not before pivot_root: who is just being moved may make no user namespace. */
	pid_t spawner = start_spawner(in, &gate, &f);
	if (spawner < 0)
		give_up(in, &f);
	const struct plan *p = chan_take_plan(in->init_chan);
	if (!p)
		_exit(1);
	if (set_up(p, &gate, &f))
		give_up(in, &f);
	close(in->spawner_chan);
	close(gate.spawner_pidfd);
	close(gate.net_ready[0]);
	close(gate.root_ready[0]);
	close(gate.root_ready[1]);
	close(gate.all_ready[0]);
	close(gate.all_ready[1]);
	reap_all(spawner);
	_exit(0);
}
