#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "sandbox/payload.h"
#include "sandbox/sandbox.h"
#include "sandbox/trial.h"
#include "sys/fd.h"
#include "wire/frame.h"

#define TRIAL_MS 10000
#define OUTPUT_MAX (1u << 20)
#define PHASE_ANY 1u

static const struct frame_op answers[] = {
	{ FRAME_ENDED, 0, sizeof(struct frame_ended), sizeof(struct frame_ended), PHASE_ANY,
	  "ended" },
	{ FRAME_FAULT, 0, sizeof(struct fault), sizeof(struct fault), PHASE_ANY, "fault" },
};

/* One channel's frame. 1: the trial is decided; 0: nothing yet, or this channel ended; -1. */
static int take_answer(struct pollfd *p, struct trial *out, struct error *err)
{
	struct frame f;
	int r = frame_recv(p->fd, &(struct frame_rules){ answers, ARRAY_SIZE(answers), PHASE_ANY },
			   &f, err);

	if (r <= 0) {
		p->fd = -1;
		return r;
	}
	if (f.type == FRAME_ENDED) {
		memcpy(&out->ended, f.data, sizeof(out->ended));
		out->built = true;
	} else {
		memcpy(&out->fault, f.data, sizeof(out->fault));
	}
	return 1;
}

static int wait_answer(const struct sandbox *s, struct trial *out, struct error *err)
{
	struct pollfd p[2] = { { .fd = s->init_chan, .events = POLLIN },
			       { .fd = s->spawner_chan, .events = POLLIN } };
	uint64_t end = clock_mono_us() + TRIAL_MS * 1000ull;

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		uint64_t now = clock_mono_us();
		int n = now < end ? poll(p, 2, (int)((end - now) / 1000) + 1) : 0;

		if (n == 0)
			return error_set(err, ERR_LIMIT, "nothing happened for %d seconds",
					 TRIAL_MS / 1000);
		for (int i = 0; n > 0 && i < 2; i++) {
			int r = p[i].fd >= 0 && p[i].revents ? take_answer(&p[i], out, err) : 0;
			if (r)
				return r < 0 ? -1 : 0;
		}
	}
	return error_set(err, ERR_PEER, "the sandbox ended without saying why");
}

static int send_command(const struct sandbox *s, const char *const *argv, int output,
			struct error *err)
{
	static const char *const envp[] = { "PATH=/usr/bin:/bin", "LANG=C", NULL };
	BUF_AUTO payload = BUF_INIT;

	if (payload_build(argv, envp, NULL, &payload, err))
		return -1;
	FD_AUTO load = fd_sealed("payload", payload.data, payload.len, err);
	FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (load < 0 || null < 0)
		return load < 0 ? -1 : error_sys(err, errno, "cannot open /dev/null");
	const int fds[4] = { load, null, output, null };
	return frame_send(s->spawner_chan,
			  &(struct frame_out){ .type = FRAME_EXEC, .fds_len = 4, .fds = fds }, err);
}

static int read_output(int fd, struct buf *out, struct error *err)
{
	char part[4096];
	ssize_t n;

	while (out->len < OUTPUT_MAX && (n = pread(fd, part, sizeof(part), (off_t)out->len)) > 0)
		buf_add(out, part, (size_t)n);
	return out->len < OUTPUT_MAX ? 0 : error_set(err, ERR_LIMIT, "too much output of a trial");
}

/* The three steps that a monitor takes. Where building failed the reason waits in a channel. */
static int start(const struct buf *plan, const char *const *argv, int output, struct sandbox *s,
		 struct error *err)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO plan_fd = fd_sealed("plan", plan->data, plan->len, err);

	if (plan_fd < 0)
		return -1;
	if ((sandbox_build(s, plan_fd, &ignored) || send_command(s, argv, output, &ignored)) &&
	    ignored.kind != ERR_PEER) {
		*err = ignored;
		return -1;
	}
	return 0;
}

static int run_blocked(const struct buf *plan, const char *const *argv, struct trial *out,
		       struct error *err)
{
	const struct plan *p = (const struct plan *)(const void *)plan->data;
	const struct frame_start first = { p->uid, p->gid, p->bits & PLAN_NET_OWN };
	struct sandbox s = SANDBOX_INIT;
	FD_AUTO output = memfd_create("trial", MFD_CLOEXEC);

	if (output < 0)
		return error_sys(err, errno, "cannot make a memory file");
	if (sandbox_start(&first, -1, &s, &out->fault))
		return 0;
	int r = start(plan, argv, output, &s, err);
	if (!r)
		r = wait_answer(&s, out, err);
	if (!r && out->built)
		r = read_output(output, &out->out, err);
	sandbox_kill(&s);
	return r;
}

int trial_run(const struct buf *plan, const char *const *argv, struct trial *out, struct error *err)
{
	sigset_t all, old;

	*out = (struct trial){ .out = BUF_INIT };
	if (plan_check(plan->data, plan->len, err))
		return -1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	int r = run_blocked(plan, argv, out, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}
