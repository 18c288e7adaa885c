#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/exit.h"
#include "box/mason.h"
#include "box/tier.h"
#include "cli/msg.h"
#include "role/role.h"
#include "sys/fd.h"

#define MASON_TIMEOUT_MS (30 * 60 * 1000ULL)
#define SCRIBE_TIMEOUT_MS (10 * 60 * 1000ULL) /* a box can make it wait */
#define MASON_OUT_MAX (1u << 20)
#define COMPLAINT_MAX 512

/* Which of the two confinements, and for how long. */
struct worker {
	int (*lower)(const struct lower_box *box, const char *libexec_dir, struct plan_builder *out,
		     struct error *err);
	const char *label;
	uint64_t timeout_ms;
};

static const struct worker mason = { lower_mason, "mason", MASON_TIMEOUT_MS };
static const struct worker scribe = { lower_scribe, "scribe", SCRIBE_TIMEOUT_MS };

static int make_plan(const struct worker *w, const struct lower_box *box, struct buf *out,
		     struct error *err)
{
	BUF_AUTO libexec = BUF_INIT;
	struct plan_builder plan;
	int rc;

	if (role_libexec(&libexec, err) < 0)
		return -1;
	plan_begin(&plan);
	rc = w->lower(box, libexec.data, &plan, err);
	if (rc == 0)
		plan_finish(&plan, out);
	plan_release(&plan);
	return rc;
}

/* First line of what it wrote to stderr, fit to be shown. */
static void complaint(int fd, struct buf *out)
{
	char text[COMPLAINT_MAX];
	ssize_t len = pread(fd, text, sizeof(text), 0);
	const char *end = len > 0 ? memchr(text, '\n', (size_t)len) : NULL;

	if (len > 0)
		msg_clean(text, end ? (size_t)(end - text) : (size_t)len, out);
	if (out->len == 0)
		buf_str(out, "it said nothing");
}

static int check_end(const struct worker *w, const struct session_result *r, int err_fd,
		     struct error *err)
{
	BUF_AUTO why = BUF_INIT;

	if (r->truncated)
		return error_set(err, ERR_LIMIT, "the box's %s said more than it may", w->label);
	if (r->end == SESSION_EXITED && r->code == 0)
		return 0;
	complaint(err_fd, &why);
	switch (r->end) {
	case SESSION_EXITED:
		if (r->code == EXIT_CONFLICT)
			return error_set(err, ERR_BUSY, "%s", why.data);
		if (r->code == EXIT_REFUSED)
			return error_set(err, ERR_REFUSED, "%s", why.data);
		return error_set(err, ERR_PEER, "the box's %s failed with code %d: %s", w->label,
				 r->code, why.data);
	case SESSION_TIMED_OUT:
		return error_set(err, ERR_LIMIT, "the box's %s did not finish in time", w->label);
	case SESSION_CANNOT_EXEC:
		return error_sys(err, r->sys, "the box's %s cannot be started", w->label);
	default:
		return error_set(err, ERR_PEER, "the box's %s was ended by signal %d: %s", w->label,
				 r->signal, why.data);
	}
}

static const char *const mason_env[] = { "PATH=/usr/bin:/bin", "LANG=C", "HOME=/nonexistent",
					 NULL };

static int start(const struct worker *w, const struct lower_box *box, struct session_request *req,
		 struct mason_job *job, struct error *err)
{
	job->err_fd = memfd_create("mason-stderr", MFD_CLOEXEC);
	if (job->err_fd < 0)
		return error_sys(err, errno, "cannot make a memory file");
	req->plan = &job->plan;
	req->envp = mason_env;
	req->timeout_ms = w->timeout_ms;
	req->box_fd = req->lock_fd = -1;
	req->label = w->label;
	req->out = -1;
	req->err = job->err_fd;
	req->capture = &job->out;
	req->capture_max = MASON_OUT_MAX;
	job->worker = w;
	if (make_plan(w, box, &job->plan, err) < 0)
		return -1;
	job->session = session_start(req, err);
	return job->session ? 0 : error_wrap(err, "cannot confine the box's %s", w->label);
}

int mason_start(const struct lower_box *box, const char *const *argv, struct mason_job *job,
		struct error *err)
{
	struct session_request req = { .argv = argv, .fed = true, .in = -1 };

	return start(&mason, box, &req, job, err);
}

int mason_feed(struct mason_job *job, const char *text, struct error *err)
{
	return session_feed(job->session, text, strlen(text), err);
}

int mason_finish(struct mason_job *job, struct error *err)
{
	struct session_result result;
	struct session *s = job->session;

	job->session = NULL;
	if (session_finish(s, &result, err) < 0)
		return error_wrap(err, "cannot confine the box's %s", job->worker->label);
	return check_end(job->worker, &result, job->err_fd, err);
}

void mason_job_release(struct mason_job *job)
{
	session_cancel(job->session);
	job->session = NULL;
	buf_release(&job->plan);
	buf_release(&job->out);
	fd_close(&job->err_fd);
}

/* What the helper is told, and what it answers. */
struct talk {
	const char *const *argv;
	int in; /* -1: nothing */
	struct buf *out;
};

static int run(const struct worker *w, const struct lower_box *box, const struct talk *t,
	       struct error *err)
{
	struct session_request req = { .argv = t->argv, .in = t->in };
	struct mason_job job = MASON_JOB_INIT;
	int rc = start(w, box, &req, &job, err) || mason_finish(&job, err) ? -1 : 0;

	if (!rc && t->out)
		buf_add(t->out, job.out.data, job.out.len);
	mason_job_release(&job);
	return rc;
}

int mason_run(const struct lower_box *box, const char *const *argv, struct buf *out,
	      struct error *err)
{
	return run(&mason, box, &(struct talk){ argv, -1, out }, err);
}

int mason_run_fed(const struct lower_box *box, const char *const *argv, const struct buf *in,
		  struct buf *out, struct error *err)
{
	FD_AUTO fd = fd_sealed("mason-stdin", in->data, in->len, err);

	return fd < 0 ? -1 : run(&mason, box, &(struct talk){ argv, fd, out }, err);
}

int mason_run_scribe(const struct lower_box *box, const char *const *argv, struct buf *out,
		     struct error *err)
{
	return run(&scribe, box, &(struct talk){ argv, -1, out }, err);
}

struct stream {
	const struct worker *worker;
	const char *const *argv;
	const struct mason_io *io;
	int err_fd;
};

static int stream_confined(const struct lower_box *box, const struct stream *s,
			   struct session_result *out, struct error *err)
{
	BUF_AUTO plan = BUF_INIT;
	struct session_request req = {
		.plan = &plan,
		.argv = s->argv,
		.envp = mason_env,
		.timeout_ms = s->worker->timeout_ms,
		.box_fd = -1,
		.lock_fd = -1,
		.label = s->worker->label,
		.in = s->io->in,
		.out = s->io->out,
		.err = s->err_fd,
	};

	return make_plan(s->worker, box, &plan, err) || session_run(&req, out, err) ? -1 : 0;
}

static int stream_plain(const struct stream *s, struct session_result *out, struct error *err)
{
	struct proc_fd fds[3] = { { s->err_fd, 2 } };
	struct proc_capture cap = { .timeout_ms = s->worker->timeout_ms };
	BUF_AUTO path = BUF_INIT;
	struct proc_spec spec = {
		.argv = s->argv,
		.envp = mason_env,
		.fds = fds,
		.fds_len = 1,
	};
	int status;

	if (role_libexec(&path, err) < 0)
		return -1;
	buf_str(&path, strrchr(MASON_PATH, '/'));
	spec.path = path.data;
	if (s->io->in >= 0)
		fds[spec.fds_len++] = (struct proc_fd){ s->io->in, 0 };
	if (s->io->out >= 0)
		fds[spec.fds_len++] = (struct proc_fd){ s->io->out, 1 };
	if (proc_run(&spec, &cap, &status, err) < 0)
		return -1;
	*out = (struct session_result){ .end = SESSION_EXITED, .code = WEXITSTATUS(status) };
	if (WIFSIGNALED(status))
		*out = (struct session_result){ .end = SESSION_SIGNALED,
						.signal = WTERMSIG(status) };
	return 0;
}

/* These codes are answers about what the box holds, in words for the operator. */
static int check_answer(const struct stream *s, const struct session_result *r, struct error *err)
{
	static const enum error_kind kinds[] = { [EXIT_REFUSED] = ERR_REFUSED,
						 [EXIT_NOTFOUND] = ERR_NOTFOUND,
						 [EXIT_CONFLICT] = ERR_EXISTS };
	BUF_AUTO why = BUF_INIT;

	if (r->end != SESSION_EXITED || r->code < EXIT_REFUSED || r->code > EXIT_CONFLICT)
		return check_end(s->worker, r, s->err_fd, err);
	complaint(s->err_fd, &why);
	return error_set(err, kinds[r->code], "%s", why.data);
}

int mason_stream(const struct box *b, const char *const *argv, const struct mason_io *io,
		 struct error *err)
{
	FD_AUTO err_fd = memfd_create("mason-stderr", MFD_CLOEXEC);
	const struct stream s = { io->in < 0 ? &scribe : &mason, argv, io, err_fd };
	const struct tier_backend *backend;
	struct session_result result;
	struct lower_box lower;
	int rc;

	if (err_fd < 0)
		return error_sys(err, errno, "cannot make a memory file");
	if (tier_backend(b->m.tier, &backend, err) < 0)
		return -1;
	box_lowering(b, &lower);
	rc = backend->confines ? stream_confined(&lower, &s, &result, err) :
				 stream_plain(&s, &result, err);
	return rc < 0 ? error_wrap(err, "cannot start the box's %s", s.worker->label) :
			check_answer(&s, &result, err);
}
