#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "box/tier.h"
#include "sys/fd.h"
#include "sys/proc.h"

#define GRACE_MS 1000

/*
 * No confinement: an ordinary child in an ordinary work tree, whose path the
 * operator sees as it is.
 */
static void real_cwd(const struct box *box, const char *inside, struct buf *out)
{
	size_t top = box->m.repo_top.len;

	buf_fmt(out, "%s/work", box->path.data);
	if (!strncmp(inside, box->m.repo_top.data, top) && (inside[top] == '/' || !inside[top]))
		buf_str(out, inside + top);
	else {
		buf_reset(out);
		buf_str(out, inside);
	}
}

static int open_signals(sigset_t *old, struct error *err)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGQUIT);
	int fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return error_sys(err, errno, "cannot take signals by descriptor");
	sigprocmask(SIG_BLOCK, &mask, old);
	return fd;
}

/* Passes signals on until the command ends or the deadline; then TERM, grace, KILL. */
static int wait_command(struct proc *p, int signals, uint64_t timeout_ms, bool *timed_out,
			struct error *err)
{
	uint64_t end_us = timeout_ms ? clock_mono_us() + timeout_ms * 1000 : UINT64_MAX;

	for (;;) {
		uint64_t now = clock_mono_us();
		uint64_t left = end_us == UINT64_MAX ? UINT64_MAX :
				end_us > now	     ? (end_us - now) / 1000 + 1 :
						       0;
		struct pollfd fds[2] = { { .fd = p->pidfd, .events = POLLIN },
					 { .fd = signals, .events = POLLIN } };
		int r = poll(fds, 2, left > INT32_MAX ? -1 : (int)left);
		struct signalfd_siginfo info;
		if (r < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot wait for the command");
		if (fds[0].revents)
			return 0;
		while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			(void)syscall(SYS_pidfd_send_signal, p->pidfd, (int)info.ssi_signo, NULL,
				      0);
		if (r != 0)
			continue;
		(void)syscall(SYS_pidfd_send_signal, p->pidfd, *timed_out ? SIGKILL : SIGTERM, NULL,
			      0);
		*timed_out = true;
		end_us = clock_mono_us() + GRACE_MS * 1000;
	}
}

static void fill_result(int status, bool timed_out, struct session_result *out)
{
	if (timed_out) {
		out->end = SESSION_TIMED_OUT;
	} else if (WIFSIGNALED(status)) {
		out->end = SESSION_SIGNALED;
		out->signal = WTERMSIG(status);
	} else {
		out->end = SESSION_EXITED;
		out->code = WEXITSTATUS(status);
	}
	(void)getrusage(RUSAGE_CHILDREN, &out->usage);
}

static int run_live(const struct proc_spec *spec, const struct session_request *req,
		    struct session_result *out, struct error *err)
{
	struct proc p = PROC_INIT;
	bool timed_out = false;
	sigset_t old;
	int status = 0;

	if (proc_spawn(spec, &p, err))
		return -1;
	FD_AUTO signals = open_signals(&old, err);
	int r = signals < 0 ? -1 : wait_command(&p, signals, req->timeout_ms, &timed_out, err);
	if (!r)
		r = proc_wait(&p, UINT64_MAX, &status, err);
	if (signals >= 0)
		sigprocmask(SIG_SETMASK, &old, NULL);
	if (r)
		proc_kill(&p);
	else
		fill_result(status, timed_out, out);
	return r;
}

static int run_captured(const struct proc_spec *spec, const struct session_request *req,
			struct session_result *out, struct error *err)
{
	BUF_AUTO unwanted = BUF_INIT;
	struct proc_capture cap = {
		.max = req->capture_max,
		.timeout_ms = req->timeout_ms ? req->timeout_ms : UINT64_MAX,
		.out = req->capture ? req->capture : &unwanted,
		.errout = req->capture_err ? req->capture_err : &unwanted,
	};
	int status;

	if (proc_run(spec, &cap, &status, err))
		return -1;
	fill_result(status, false, out);
	return 0;
}

static int run(const struct box *box, struct session_request *req, struct session_result *out,
	       struct error *err)
{
	BUF_AUTO cwd = BUF_INIT;
	const struct proc_fd fds[] = { { req->in, 0 }, { req->out, 1 }, { req->err, 2 } };
	size_t first = req->in < 0 ? 1 : 0;
	uint64_t start = clock_mono_us();

	real_cwd(box, req->cwd, &cwd);
	const struct proc_spec spec = {
		.path = req->argv[0],
		.argv = req->argv,
		.envp = req->envp,
		.cwd = cwd.data,
		.fds = fds + first,
		.fds_len = req->capture ? 0 : ARRAY_SIZE(fds) - first,
	};
	memset(out, 0, sizeof(*out));
	int r = req->capture ? run_captured(&spec, req, out, err) : run_live(&spec, req, out, err);
	if (r && (err->kind == ERR_NOTFOUND || (err->kind == ERR_SYS && err->sys == EACCES))) {
		out->end = SESSION_CANNOT_EXEC;
		out->sys = err->sys ? err->sys : ENOENT;
		r = 0;
	}
	out->wall_us = clock_mono_us() - start;
	return r;
}

const struct tier_backend tier_workspace = {
	.tier = TIER_WORKSPACE,
	.confines = false,
	.warning = "the tier 'workspace' confines nothing: this command can do all that you can",
	.run = run,
};
