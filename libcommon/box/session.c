#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/exit.h"
#include "box/pump.h"
#include "box/session.h"
#include "box/session-file.h"
#include "role/role.h"
#include "sandbox/limits.h"
#include "sandbox/payload.h"
#include "sandbox/sandbox.h"
#include "sys/fd.h"
#include "sys/rand.h"
#include "wire/frame.h"

#define MONITOR_END_MS 5000 /* for a monitor whose session failed */

enum phase { PHASE_STARTING = 1, PHASE_RUNNING = 2 };

static const struct frame_op monitor_ops[] = {
	{ FRAME_STARTED, 3, 0, 0, PHASE_STARTING, "started" },
	{ FRAME_ENDED, 0, sizeof(struct frame_ended), sizeof(struct frame_ended), PHASE_RUNNING,
	  "ended" },
	{ FRAME_FAULT, 0, sizeof(struct fault), sizeof(struct fault),
	  PHASE_STARTING | PHASE_RUNNING, "fault" },
};

enum { PUMP_IN, PUMP_OUT, PUMP_ERR, PUMPS };

struct session {
	struct session_request own;
	const struct session_request *req; /* &own */
	struct session_early early;
	struct session_file file;
	struct pump pumps[PUMPS];
	int null; /* where unwanted output goes */
	int signals;
	sigset_t old_mask;
	struct sigaction old_pipe;
	uint64_t started_us;
	struct frame_ended ended;
	bool have_ended;
};

#define FORWARDED 6
static const int forwarded[FORWARDED] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

/* Signals become readable; a closed pipe becomes EPIPE. Undone by signals_restore(). */
static int signals_take(struct session *s, struct error *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t mask;

	sigemptyset(&mask);
	if (s->req->forward_signals)
		for (size_t i = 0; i < FORWARDED; i++)
			sigaddset(&mask, forwarded[i]);
	s->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return error_sys(err, errno, "cannot take signals by descriptor");
	sigprocmask(SIG_BLOCK, &mask, &s->old_mask);
	sigaction(SIGPIPE, &ignore, &s->old_pipe);
	return 0;
}

static void signals_restore(struct session *s)
{
	if (s->signals < 0)
		return;
	sigaction(SIGPIPE, &s->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	fd_close(&s->signals);
}

static int launch(struct session_early *e, struct error *err)
{
	int pair[2];

	if (fd_socketpair(SOCK_STREAM, pair, err))
		return -1;
	const struct proc_fd fds[] = { { pair[1], MONITOR_FD_CONTROL } };
	int r = role_launch(ROLE_MONITOR, fds, ARRAY_SIZE(fds), &e->monitor, err);
	fd_close(&pair[1]);
	if (r)
		fd_close(&pair[0]);
	else
		e->control = pair[0];
	return r;
}

static void make_cgroup(const struct limits_want *want, struct session_early *e, char why[256])
{
	struct limits_want full = *want;

	full.monitor = e->monitor.pid;
	limits_cgroup_make(&full, e->name, &e->cgroup, why);
}

static int send_fd(int control, enum frame_type type, int fd, struct error *err)
{
	const struct frame_out frame = { .type = (uint16_t)type, .fds = &fd, .fds_len = 1 };

	return fd < 0 ? 0 : frame_send(control, &frame, err);
}

int session_begin(const struct limits_want *want, const struct frame_start *start,
		  struct session_early *out, struct error *err)
{
	struct session_early e = SESSION_EARLY_INIT;
	const struct frame_out frame = { .type = FRAME_START,
					 .data = start,
					 .len = sizeof(*start) };
	char why[256];

	rand_hex(e.name, sizeof(e.name) - 1);
	if (launch(&e, err))
		return -1;
	if (want && (want->memory || want->processes))
		make_cgroup(want, &e, why);
	if (send_fd(e.control, FRAME_CGROUP, e.cgroup.dir_fd, err) ||
	    frame_send(e.control, &frame, err)) {
		session_drop(&e);
		return -1;
	}
	*out = e;
	return 0;
}

void session_drop(struct session_early *e)
{
	/* It ends when it sees the end of its socket; its pidfd is all that is ours to reap it by.
	 */
	fd_close(&e->control);
	proc_kill(&e->monitor);
	limits_cgroup_remove(&e->cgroup);
}

bool session_limits_try(const struct limits_want *want, char why[256])
{
	struct session_early e = SESSION_EARLY_INIT;
	struct error err = ERROR_INIT;

	rand_hex(e.name, sizeof(e.name) - 1);
	if (launch(&e, &err)) {
		(void)snprintf(why, 256, "%.*s", 255, err.msg);
		return false;
	}
	make_cgroup(want, &e, why);
	bool have = e.cgroup.dir_fd >= 0;
	session_drop(&e);
	return have;
}

static const struct plan *plan_of(const struct session *s)
{
	return (const struct plan *)(const void *)s->req->plan->data;
}

static int take_early(struct session *s, struct error *err)
{
	const struct plan *p = plan_of(s);
	const struct frame_start start = { p->uid, p->gid, p->bits & PLAN_NET_OWN };

	if (!s->req->early)
		return session_begin(NULL, &start, &s->early, err);
	s->early = *s->req->early;
	*s->req->early = (struct session_early)SESSION_EARLY_INIT;
	return 0;
}

static int hand_over(struct session *s, struct error *err)
{
	BUF_AUTO load = BUF_INIT;
	struct frame_run run = { .timeout_ms = s->req->timeout_ms };

	if (payload_build(s->req->argv, s->req->envp, s->req->cwd, &load, err))
		return -1;
	FD_AUTO payload = fd_sealed("payload", load.data, load.len, err);
	FD_AUTO plan = fd_sealed("plan", s->req->plan->data, s->req->plan->len, err);
	if (payload < 0 || plan < 0)
		return -1;
	if (send_fd(s->early.control, FRAME_HOLD, s->req->lock_fd, err))
		return -1;
	const int fds[] = { payload, plan };
	const struct frame_out frame = {
		.type = FRAME_RUN,
		.data = &run,
		.len = sizeof(run),
		.fds = fds,
		.fds_len = ARRAY_SIZE(fds),
	};
	return frame_send(s->early.control, &frame, err);
}

/*
 * While the sandbox is being built; the box's lock is held already, so nobody removes it. A short
 * command may be over before: then nobody takes the lock, and its end waits to be read.
 */
static int register_command(struct session *s, struct error *err)
{
	struct error gone = ERROR_INIT;

	memcpy(s->file.name, s->early.name, sizeof(s->file.name));
	if (session_file_open(&s->file, s->req->box_fd, err))
		return -1;
	if (send_fd(s->early.control, FRAME_HOLD, s->file.fd, &gone)) {
		if (gone.kind == ERR_PEER)
			return 0;
		*err = gone;
		return -1;
	}
	return session_file_write(&s->file, s->early.monitor.pid, s->req->label, err);
}

static int monitor_gone(struct error *err)
{
	error_set(err, ERR_PEER, "the box's monitor ended unexpectedly");
	return error_hint(err, "it was killed, or ran out of memory; run the command again");
}

static int take_fault(struct session *s, const struct frame *f, struct error *err)
{
	struct fault fault;

	memcpy(&fault, f->data, sizeof(fault));
	return sandbox_fault_error(&fault, plan_of(s), err);
}

static void pump_set(struct pump *p, int from, int to)
{
	p->from = from;
	p->to = to;
	p->done = false;
}

static void start_pumps(struct session *s, struct frame *started)
{
	const struct session_request *req = s->req;
	int outs[2] = { req->out, req->err };

	pump_set(&s->pumps[PUMP_IN], req->in, started->fds[0]);
	s->pumps[PUMP_IN].own_to = true;
	if (req->in < 0 && !req->fed)
		pump_close(&s->pumps[PUMP_IN]);
	for (int i = 0; i < 2; i++) {
		struct pump *p = &s->pumps[PUMP_OUT + i];
		pump_set(p, started->fds[1 + i], outs[i] >= 0 ? outs[i] : s->null);
		p->own_from = true;
	}
	s->pumps[PUMP_OUT].capture = req->capture;
	s->pumps[PUMP_ERR].capture = req->capture_err;
	s->pumps[PUMP_OUT].capture_max = s->pumps[PUMP_ERR].capture_max = req->capture_max;
	s->started_us = clock_mono_us();
}

static int wait_started(struct session *s, struct error *err)
{
	if (s->started_us)
		return 0;
	struct frame f;
	int r = frame_recv(s->early.control,
			   &(struct frame_rules){ monitor_ops, ARRAY_SIZE(monitor_ops),
						  PHASE_STARTING },
			   &f, err);

	if (r == 0)
		return monitor_gone(err);
	if (r < 0)
		return -1;
	if (f.type == FRAME_FAULT)
		return take_fault(s, &f, err);
	start_pumps(s, &f);
	return 0;
}

static int on_monitor(struct session *s, struct error *err)
{
	struct frame f;
	int r = frame_recv(s->early.control,
			   &(struct frame_rules){ monitor_ops, ARRAY_SIZE(monitor_ops),
						  PHASE_RUNNING },
			   &f, err);

	if (r == 0)
		return monitor_gone(err);
	if (r < 0)
		return -1;
	if (f.type == FRAME_FAULT)
		return take_fault(s, &f, err);
	memcpy(&s->ended, f.data, sizeof(s->ended));
	s->have_ended = true;
	/* Whatever the operator still types has no reader. */
	pump_close(&s->pumps[PUMP_IN]);
	return 0;
}

static void on_signal(struct session *s)
{
	struct error ignored = ERROR_INIT;
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	struct frame_signal sig = { .signo = (int32_t)info.ssi_signo };
	if (!s->have_ended)
		(void)frame_send(s->early.control,
				 &(struct frame_out){
					 .type = FRAME_SIGNAL, .len = sizeof(sig), .data = &sig },
				 &ignored);
	else /* the command is over and the operator's reader does not read: drop the rest */
		for (int i = 0; i < PUMPS; i++)
			pump_close(&s->pumps[i]);
}

static bool finished(const struct session *s)
{
	return s->have_ended && s->pumps[PUMP_OUT].done && s->pumps[PUMP_ERR].done;
}

/* Until the command has ended, or until it has said something that is captured. */
static int pump_until(struct session *s, bool said, struct error *err)
{
	while (!finished(s) && !(said && s->req->capture->len)) {
		struct pollfd p[PUMPS + 2];
		for (int i = 0; i < PUMPS; i++)
			p[i] = pump_poll(&s->pumps[i]);
		p[PUMPS] = (struct pollfd){ .fd = s->have_ended ? -1 : s->early.control,
					    .events = POLLIN };
		p[PUMPS + 1] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
		if (poll(p, PUMPS + 2, -1) < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot wait for the command");
		for (int i = 0; i < PUMPS; i++)
			pump_move(&s->pumps[i], p[i].revents);
		if (p[PUMPS + 1].revents)
			on_signal(s);
		if (p[PUMPS].revents && on_monitor(s, err))
			return -1;
	}
	return 0;
}

static struct timeval timeval_of(uint64_t us)
{
	return (struct timeval){ .tv_sec = (time_t)(us / 1000000),
				 .tv_usec = (suseconds_t)(us % 1000000) };
}

static void fill_result(struct session *s, struct session_result *out)
{
	memset(out, 0, sizeof(*out));
	out->end = (enum session_end)s->ended.end;
	out->code = s->ended.code;
	out->signal = s->ended.signal;
	out->sys = s->ended.sys;
	out->wall_us = clock_mono_us() - s->started_us;
	out->usage.ru_utime = timeval_of(s->ended.utime_us);
	out->usage.ru_stime = timeval_of(s->ended.stime_us);
	out->usage.ru_maxrss = (long)s->ended.max_rss_kb;
	out->truncated = s->pumps[PUMP_OUT].overflow;
	out->err_truncated = s->pumps[PUMP_ERR].overflow;
	out->peak_memory = s->ended.peak_memory;
}

static int prepare(struct session *s, struct error *err)
{
	s->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (s->null < 0)
		return error_sys(err, errno, "cannot open /dev/null");
	return signals_take(s, err);
}

static void clean_up(struct session *s, bool ok)
{
	for (int i = 0; i < PUMPS; i++)
		pump_close(&s->pumps[i]);
	/* A monitor that sees our end closes the session by itself; after a clean end it has
	 * nothing left to do. */
	fd_close(&s->early.control);
	if (!ok && s->early.monitor.pid > 0) {
		struct error ignored = ERROR_INIT;
		int status;
		if (proc_wait(&s->early.monitor, MONITOR_END_MS, &status, &ignored))
			proc_kill(&s->early.monitor);
	}
	fd_close(&s->early.monitor.pidfd);
	fd_close(&s->null);
	limits_cgroup_remove(&s->early.cgroup);
	session_file_close(&s->file);
	signals_restore(s);
	free(s);
}

void session_cancel(struct session *s)
{
	if (s)
		clean_up(s, false);
}

struct session *session_start(const struct session_request *req, struct error *err)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->own = *req;
	s->req = &s->own;
	s->early = (struct session_early)SESSION_EARLY_INIT;
	s->file = (struct session_file)SESSION_FILE_INIT;
	s->null = s->signals = -1;
	for (int i = 0; i < PUMPS; i++)
		s->pumps[i] = (struct pump){ .from = -1, .to = -1, .done = true };
	if (take_early(s, err) || prepare(s, err) || hand_over(s, err) ||
	    register_command(s, err)) {
		session_cancel(s);
		return NULL;
	}
	return s;
}

int session_feed(struct session *s, const void *data, size_t len, struct error *err)
{
	struct error ignored = ERROR_INIT;

	if (wait_started(s, err))
		return -1;
	/* A pipe takes it at once. Whoever does not read it says why. */
	(void)fd_write_full(s->pumps[PUMP_IN].to, data, len, &ignored);
	pump_close(&s->pumps[PUMP_IN]);
	return pump_until(s, true, err);
}

int session_finish(struct session *s, struct session_result *out, struct error *err)
{
	bool ok = !wait_started(s, err) && !pump_until(s, false, err);

	if (ok)
		fill_result(s, out);
	clean_up(s, ok);
	return ok ? 0 : -1;
}

int session_run(const struct session_request *req, struct session_result *out, struct error *err)
{
	struct session *s = session_start(req, err);

	return s ? session_finish(s, out, err) : -1;
}

int session_exit_code(const struct session_result *r)
{
	switch (r->end) {
	case SESSION_EXITED:
		return r->code;
	case SESSION_SIGNALED:
		return 128 + r->signal;
	case SESSION_TIMED_OUT:
		return EXIT_TIMEOUT;
	case SESSION_MEMORY:
		return 128 + SIGKILL;
	case SESSION_CANNOT_EXEC:
		return r->sys == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_EXEC;
	case SESSION_CANNOT_ENTER:
	case SESSION_ENDED:
		break;
	}
	return EXIT_OURS;
}
