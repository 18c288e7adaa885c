#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

#define STDIO 3

static NORETURN void give_up(int chan, enum fault_step step)
{
	struct fault f = { .step = (uint16_t)step, .sys = errno };

	chan_send(chan, FRAME_FAULT, &f, sizeof(f));
	_exit(1);
}

/*
 * Forks the command. True where it became the command; else *failure says why not. vfork: the
 * child only makes system calls until exec, so it needs no copy of our memory.
 */
static bool start(const struct inside *in, const struct plan *p, const struct chan_frame *f,
		  pid_t *pid_out, struct command_failure *failure)
{
	int report[2];

	if (pipe2(report, O_CLOEXEC))
		give_up(in->spawner_chan, STEP_FORK);
	pid_t pid = vfork();
	if (pid < 0)
		give_up(in->spawner_chan, STEP_FORK);
	if (pid == 0) {
		close(in->spawner_chan);
		inside_command(p, f->fds[0], f->fds + 1, report[1]);
	}
	close(report[1]);
	for (size_t i = 0; i < f->fds_len; i++)
		close(f->fds[i]);
	ssize_t n;
	do {
		n = read(report[0], failure, sizeof(*failure));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	*pid_out = pid;
	return n != (ssize_t)sizeof(*failure);
}

static void forward_signals(int chan, pid_t command)
{
	struct chan_frame f;

	/* End of the channel or anything unexpected: the monitor is gone, and so shall we be. */
	if (chan_recv(chan, &f) != 1 || f.type != FRAME_SIGNAL ||
	    f.len != sizeof(struct frame_signal))
		_exit(1);
	struct frame_signal sig;
	memcpy(&sig, f.data, sizeof(sig));
	if (sig.signo > 0 && sig.signo < NSIG)
		kill(-command, sig.signo);
}

/* Waits for the command (and only for it) while signals are passed on. */
static int wait_command(int chan, pid_t command, struct rusage *usage)
{
	sigset_t chld;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	int sfd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sfd < 0)
		give_up(chan, STEP_FORK);
	for (;;) {
		int status;
		pid_t pid = wait4(command, &status, WNOHANG, usage);
		if (pid == command)
			return status;
		struct pollfd p[2] = { { .fd = chan, .events = POLLIN },
				       { .fd = sfd, .events = POLLIN } };
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			give_up(chan, STEP_FORK);
		struct signalfd_siginfo info;
		while (read(sfd, &info, sizeof(info)) > 0)
			;
		if (p[0].revents)
			forward_signals(chan, command);
	}
}

static uint64_t microseconds(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000u + (uint64_t)tv->tv_usec;
}

static void run_one(const struct inside *in, const struct plan *p, const struct chan_frame *f)
{
	struct frame_ended ended = { .end = COMMAND_EXITED };
	struct rusage usage = { 0 };
	pid_t command;
	struct command_failure failure;
	bool started = start(in, p, f, &command, &failure);
	int status = wait_command(in->spawner_chan, command, &usage);

	if (!started) {
		ended.end = failure.end;
		ended.sys = failure.sys;
	} else if (WIFSIGNALED(status)) {
		ended.end = COMMAND_SIGNALED;
		ended.signal = WTERMSIG(status);
	} else {
		ended.code = WEXITSTATUS(status);
	}
	ended.utime_us = microseconds(&usage.ru_utime);
	ended.stime_us = microseconds(&usage.ru_stime);
	ended.max_rss_kb = (uint64_t)usage.ru_maxrss;
	/* Where nothing else lives, not even as an orphan, nothing can appear any more. */
	ended.alone = kill(-1, 0) < 0 && errno == ESRCH;
	chan_send(in->spawner_chan, FRAME_ENDED, &ended, sizeof(ended));
}

/* End of file: init is gone, and so shall we be. */
static void wait_for(int fd, void *dst, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, dst, len);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)len)
		_exit(1);
	close(fd);
}

static int set_up(const struct plan *p, const struct start_gate *gate, struct fault *f)
{
	struct mounted done;
	char byte;

	if (inside_fence_early(p, gate->proc, f))
		return -1;
	close(gate->proc);
	if (write(gate->net_ready[1], "g", 1) != 1) {
		*f = (struct fault){ .step = STEP_SPAWNER, .sys = errno };
		return -1;
	}
	close(gate->net_ready[0]);
	close(gate->net_ready[1]);
	wait_for(gate->root_ready[0], &done, sizeof(done));
	if (inside_fence_late(p, f) || inside_audit(p, &done, f))
		return -1;
	wait_for(gate->all_ready[0], &byte, 1);
	return 0;
}

void inside_spawner(const struct inside *in, const struct start_gate *gate)
{
	struct fault fault = { 0 };
	struct chan_frame f;
	const struct plan *p = NULL;

	int r = in->own_net ? inside_network(&fault) : 0;
	if (!r) {
		p = chan_take_plan(in->spawner_chan);
		if (!p)
			_exit(1);
		r = set_up(p, gate, &fault);
	}
	if (r) {
		chan_send(in->spawner_chan, FRAME_FAULT, &fault, sizeof(fault));
		_exit(1);
	}
	r = chan_recv(in->spawner_chan, &f);
	if (r == 1 && f.type == FRAME_EXEC && f.fds_len == 1 + STDIO)
		run_one(in, p, &f);
	_exit(0);
}
