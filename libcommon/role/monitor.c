#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "role/meter.h"
#include "role/monitor.h"
#include "role/role.h"
#include "role/watchdog.h"
#include "sandbox/sandbox.h"
#include "sys/fd.h"
#include "wire/frame.h"

#define GRACE_MS 1000 /* between SIGTERM at the deadline and the end of the session */
#define WATCH_MS 100  /* between two looks at the memory */
#define HELD_MAX 4    /* locks that the front may hand over */

enum phase { PHASE_START = 1, PHASE_RUNNING = 2 };

static const struct frame_op front_ops[] = {
	{ FRAME_HOLD, 1, 0, 0, PHASE_START | PHASE_RUNNING, "hold" },
	{ FRAME_CGROUP, 1, 0, 0, PHASE_START, "cgroup" },
	{ FRAME_START, 0, sizeof(struct frame_start), sizeof(struct frame_start), PHASE_START,
	  "start" },
	{ FRAME_RUN, 2, sizeof(struct frame_run), sizeof(struct frame_run), PHASE_START, "run" },
	{ FRAME_SIGNAL, 0, sizeof(struct frame_signal), sizeof(struct frame_signal), PHASE_RUNNING,
	  "signal" },
};

static const struct frame_op inside_ops[] = {
	{ FRAME_ENDED, 0, sizeof(struct frame_ended), sizeof(struct frame_ended), PHASE_RUNNING,
	  "ended" },
	{ FRAME_FAULT, 0, sizeof(struct fault), sizeof(struct fault), PHASE_RUNNING, "fault" },
};

struct monitor {
	const struct plan *plan;
	struct frame_start start;
	struct sandbox box;
	int deadline;	    /* timerfd: wall clock, then grace */
	int watch;	    /* timerfd: memory; -1: none */
	int signals;	    /* signalfd: SIGTERM from `git box abort` */
	int held[HELD_MAX]; /* only kept open */
	size_t held_len;
	int cgroup;	 /* where init is born; -1: none */
	int proc;	 /* /proc of the host, for the watchdog */
	uint64_t memory; /* bytes; 0: nothing to watch */
	struct meter meter;
	struct frame_ended ended;
	bool have_ended;
	struct fault fault;
	bool have_fault;
	uint32_t cut; /* enum command_end: why we ended it; COMMAND_EXITED: we did not */
};

static const struct plan *map_plan(int fd, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= 0) {
		error_sys(err, errno, "cannot read the plan");
		return NULL;
	}
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		error_sys(err, errno, "cannot map the plan");
		return NULL;
	}
	return plan_check(p, (size_t)st.st_size, err) ? NULL : p;
}

static int set_timer(int fd, uint64_t first_ms, uint64_t every_ms)
{
	struct itimerspec t = {
		.it_value = { (time_t)(first_ms / 1000), (long)(first_ms % 1000) * 1000000 },
		.it_interval = { (time_t)(every_ms / 1000), (long)(every_ms % 1000) * 1000000 },
	};

	return timerfd_settime(fd, 0, &t, NULL);
}

static int open_timers(struct monitor *m, uint64_t timeout_ms, struct error *err)
{
	sigset_t term;

	m->deadline = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (m->deadline < 0 || (timeout_ms && set_timer(m->deadline, timeout_ms, 0)))
		return error_sys(err, errno, "cannot set the deadline");
	if (m->memory) {
		m->watch = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (m->watch < 0 || set_timer(m->watch, WATCH_MS, WATCH_MS))
			return error_sys(err, errno, "cannot start the memory watch");
	}
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	m->signals = signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK);
	if (m->signals < 0)
		return error_sys(err, errno, "cannot take signals by descriptor");
	return 0;
}

static void close_three(int fds[3])
{
	for (int i = 0; i < 3; i++)
		fd_close(&fds[i]);
}

/*
 * stdin, stdout, stderr of the command: its ends in `inner`, the front's in `outer`. They belong to
 * the payload's ids, so that it can open /dev/stdin and the like also where the operator is root.
 */
static int make_pipes(const struct plan *plan, int inner[3], int outer[3], struct error *err)
{
	for (int i = 0; i < 3; i++) {
		int p[2];
		if (fd_pipe(p, err))
			return -1;
		inner[i] = i == 0 ? p[0] : p[1];
		outer[i] = i == 0 ? p[1] : p[0];
		if (plan->uid != geteuid() && fchown(inner[i], plan->uid, plan->gid))
			return error_sys(err, errno, "cannot give a pipe to uid %u", plan->uid);
	}
	return 0;
}

static int hand_over(struct monitor *m, int payload, struct error *err)
{
	int inner[3] = { -1, -1, -1 }, outer[3] = { -1, -1, -1 };
	int r = make_pipes(m->plan, inner, outer, err);

	if (!r) {
		const int exec_fds[4] = { payload, inner[0], inner[1], inner[2] };
		r = frame_send(
			m->box.spawner_chan,
			&(struct frame_out){ .type = FRAME_EXEC, .fds_len = 4, .fds = exec_fds },
			err);
	}
	if (!r)
		r = frame_send(
			MONITOR_FD_CONTROL,
			&(struct frame_out){ .type = FRAME_STARTED, .fds_len = 3, .fds = outer },
			err);
	close_three(inner);
	close_three(outer);
	return r;
}

static void cut_short(struct monitor *m, enum command_end why)
{
	if (m->cut == COMMAND_EXITED && !m->have_ended)
		m->cut = why;
}

static void end_now(struct monitor *m)
{
	(void)syscall(SYS_pidfd_send_signal, m->box.pidfd, SIGKILL, NULL, 0);
}

static void to_command(struct monitor *m, int signo)
{
	struct error ignored = ERROR_INIT;
	struct frame_signal s = { .signo = signo };

	(void)frame_send(m->box.spawner_chan,
			 &(struct frame_out){ .type = FRAME_SIGNAL, .len = sizeof(s), .data = &s },
			 &ignored);
}

static bool drained(int fd)
{
	uint64_t buf[16];

	return read(fd, buf, sizeof(buf)) <= 0;
}

static void on_deadline(struct monitor *m)
{
	if (drained(m->deadline))
		return;
	if (m->cut != COMMAND_EXITED) {
		end_now(m);
		return;
	}
	cut_short(m, COMMAND_TIMED_OUT);
	to_command(m, SIGTERM);
	(void)set_timer(m->deadline, GRACE_MS, 0);
}

static void on_watch(struct monitor *m)
{
	if (drained(m->watch) || watchdog_resident(m->proc, m->box.pid) <= m->memory)
		return;
	cut_short(m, COMMAND_MEMORY);
	end_now(m);
}

/* The kernel killed a process at the cgroup's limit: what is left is half a session. */
static void on_oom(struct monitor *m)
{
	if (!meter_oom_kills(&m->meter))
		return;
	cut_short(m, COMMAND_MEMORY);
	end_now(m);
}

static void on_abort(struct monitor *m)
{
	struct signalfd_siginfo info;

	if (read(m->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	cut_short(m, COMMAND_ENDED);
	to_command(m, SIGTERM);
	(void)set_timer(m->deadline, GRACE_MS, 0);
}

static int hold(struct monitor *m, int fd)
{
	if (m->held_len >= HELD_MAX)
		return -1;
	m->held[m->held_len++] = fd;
	return 0;
}

/* The front: signals for the command, a lock; its end, or nonsense, ends the session. */
static void on_front(struct monitor *m)
{
	const struct frame_rules rules = { front_ops, ARRAY_SIZE(front_ops), PHASE_RUNNING };
	struct error ignored = ERROR_INIT;
	struct frame f;
	struct frame_signal s;

	int r = frame_recv(MONITOR_FD_CONTROL, &rules, &f, &ignored);
	if (r == 1 && f.type == FRAME_SIGNAL) {
		memcpy(&s, f.data, sizeof(s));
		to_command(m, s.signo);
	} else if (r != 1 || hold(m, f.fds[0])) {
		cut_short(m, COMMAND_ENDED);
		end_now(m);
	}
}

/* init and spawner speak the same two frames. False at the end of the channel. */
static bool on_inside(struct monitor *m, int chan)
{
	struct error ignored = ERROR_INIT;
	struct frame f;

	if (frame_recv(chan,
		       &(struct frame_rules){ inside_ops, ARRAY_SIZE(inside_ops), PHASE_RUNNING },
		       &f, &ignored) != 1)
		return false;
	if (f.type == FRAME_FAULT && !m->have_fault) {
		memcpy(&m->fault, f.data, sizeof(m->fault));
		m->have_fault = true;
	} else if (f.type == FRAME_ENDED && !m->have_ended) {
		memcpy(&m->ended, f.data, sizeof(m->ended));
		m->have_ended = true;
	}
	return true;
}

enum watched { ON_INIT, ON_SPAWNER, ON_FRONT, ON_DEADLINE, ON_WATCH, ON_OOM, ON_ABORT, ON_MAX };

/* Until init's channel ends: then every process of the session is dead. */
static int watch(struct monitor *m, struct error *err)
{
	struct pollfd p[ON_MAX] = {
		[ON_INIT] = { m->box.init_chan, POLLIN, 0 },
		[ON_SPAWNER] = { m->box.spawner_chan, POLLIN, 0 },
		[ON_FRONT] = { MONITOR_FD_CONTROL, POLLIN, 0 },
		[ON_DEADLINE] = { m->deadline, POLLIN, 0 },
		[ON_WATCH] = { m->watch, POLLIN, 0 },
		[ON_OOM] = { m->meter.events_fd, POLLPRI, 0 },
		[ON_ABORT] = { m->signals, POLLIN, 0 },
	};

	for (;;) {
		if (poll(p, ON_MAX, -1) < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot wait for the session");
		/* The spawner first: what it said before it died must be heard before init's end
		 * counts. */
		if (p[ON_SPAWNER].revents && !on_inside(m, m->box.spawner_chan))
			p[ON_SPAWNER].fd = -1;
		else if (p[ON_INIT].revents && p[ON_SPAWNER].revents == 0 &&
			 !on_inside(m, m->box.init_chan))
			return 0;
		/* The command was the last one: no need to wait until init has seen that too. */
		if (m->have_ended && m->ended.alone)
			return 0;
		if (p[ON_FRONT].revents) {
			on_front(m);
			p[ON_FRONT].fd = m->cut == COMMAND_ENDED ? -1 : MONITOR_FD_CONTROL;
		}
		if (p[ON_DEADLINE].revents)
			on_deadline(m);
		if (p[ON_WATCH].revents)
			on_watch(m);
		if (p[ON_OOM].revents)
			on_oom(m);
		if (p[ON_ABORT].revents)
			on_abort(m);
	}
}

static int report_end(struct monitor *m, struct error *err)
{
	if (m->have_fault)
		return frame_send(MONITOR_FD_CONTROL,
				  &(struct frame_out){ .type = FRAME_FAULT,
						       .len = sizeof(m->fault),
						       .data = &m->fault },
				  err);
	/*
	 * Asked again: the news of it may be late, and systemd's own reaction to it is a SIGTERM
	 * to us.
	 */
	if (meter_oom_kills(&m->meter))
		m->cut = COMMAND_MEMORY;
	m->ended.peak_memory = meter_peak(&m->meter);
	if (m->cut != COMMAND_EXITED)
		m->ended.end = m->cut;
	else if (!m->have_ended)
		m->ended.end = COMMAND_ENDED;
	return frame_send(MONITOR_FD_CONTROL,
			  &(struct frame_out){
				  .type = FRAME_ENDED, .len = sizeof(m->ended), .data = &m->ended },
			  err);
}

/* Our own failure: said to the front as numbers like every other. */
static int fail(struct monitor *m, enum fault_step step, const struct error *err)
{
	m->have_fault = true;
	m->fault = (struct fault){ .step = (uint16_t)step, .sys = err->sys };
	return -1;
}

/* Begins before there is a plan. A failure is told when the front asks to run. */
static void begin(struct monitor *m, const struct frame *f)
{
	memcpy(&m->start, f->data, sizeof(m->start));
	meter_open(m->cgroup, &m->meter);
	if (sandbox_start(&m->start, m->cgroup, &m->box, &m->fault))
		m->have_fault = true;
}

static bool begun_as_planned(const struct monitor *m)
{
	bool own_net = m->plan->bits & PLAN_NET_OWN;

	return m->start.uid == m->plan->uid && m->start.gid == m->plan->gid &&
	       (m->start.own_net != 0) == own_net;
}

/* What init or the spawner said before it went: more than that it went. */
static int fail_inside(struct monitor *m, const struct error *err)
{
	fail(m, STEP_PIPES, err);
	if (err->kind != ERR_PEER)
		return -1;
	m->have_fault = false;
	/* Perhaps it is the front that went, and inside all is well: what lives must not be waited
	 * for. */
	end_now(m);
	while (!m->have_fault && on_inside(m, m->box.spawner_chan))
		;
	while (!m->have_fault && on_inside(m, m->box.init_chan))
		;
	m->have_fault = true;
	return -1;
}

static int session(struct monitor *m, const struct frame *run, struct error *err)
{
	struct frame_run request;

	memcpy(&request, run->data, sizeof(request));
	m->plan = map_plan(run->fds[1], err);
	if (!m->plan)
		return fail(m, STEP_MONITOR, err);
	m->memory = m->cgroup >= 0 ? 0 : (uint64_t)m->plan->memory_hi << 32 | m->plan->memory_lo;
	if (m->have_fault)
		return -1;
	if (!begun_as_planned(m)) {
		error_set(err, ERR_PEER, "the session was begun for another plan");
		return fail(m, STEP_MONITOR, err);
	}
	if (sandbox_build(&m->box, run->fds[1], err) || hand_over(m, run->fds[0], err))
		return fail_inside(m, err);
	if (open_timers(m, request.timeout_ms, err))
		return fail(m, STEP_MONITOR, err);
	m->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (role_confine(FILTER_MONITOR, m->memory ? "/proc" : NULL, err))
		return fail(m, STEP_MONITOR, err);
	return watch(m, err) ? fail(m, STEP_MONITOR, err) : 0;
}

/* One frame before "run". 0, or -1 where the front repeats itself or begins in the wrong order. */
static int take_early(struct monitor *m, const struct frame *f)
{
	bool begun = m->box.pid >= 0 || m->have_fault;

	switch (f->type) {
	case FRAME_HOLD:
		return hold(m, f->fds[0]);
	case FRAME_CGROUP:
		if (begun || m->cgroup >= 0)
			return -1;
		m->cgroup = f->fds[0];
		return 0;
	case FRAME_START:
		if (begun)
			return -1;
		begin(m, f);
		return 0;
	default:
		return begun ? 1 : -1; /* FRAME_RUN */
	}
}

/* Takes what the front hands over until it says run. 1, 0 where the front changed its mind, -1. */
static int wait_run(struct monitor *m, struct frame *run, struct error *err)
{
	const struct frame_rules rules = { front_ops, ARRAY_SIZE(front_ops), PHASE_START };

	for (;;) {
		int r = frame_recv(MONITOR_FD_CONTROL, &rules, run, err);
		if (r != 1)
			return r;
		r = take_early(m, run);
		if (r < 0)
			return error_set(err, ERR_PEER, "the front said '%u' too early or twice",
					 run->type);
		if (r)
			return 1;
	}
}

int monitor_main(void)
{
	struct error err = ERROR_INIT;
	struct monitor m = { .box = SANDBOX_INIT,
			     .deadline = -1,
			     .watch = -1,
			     .signals = -1,
			     .proc = -1,
			     .cgroup = -1,
			     .meter = METER_INIT };
	struct frame run;
	sigset_t all;

	if (fcntl(MONITOR_FD_CONTROL, F_SETFD, FD_CLOEXEC))
		return 1;
	/* init inherits the mask; commands get an empty one. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (wait_run(&m, &run, &err) != 1) {
		sandbox_kill(&m.box);
		return 1;
	}
	int r = session(&m, &run, &err);
	if (report_end(&m, &err))
		r = -1;
	frame_close_fds(&run);
	sandbox_kill(&m.box);
	return r ? 1 : 0;
}
