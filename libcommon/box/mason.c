#include "base/base.h"

#include <errno.h>
#include <sys/mman.h>

#include "box/mason.h"
#include "box/session.h"
#include "cli/msg.h"
#include "role/role.h"
#include "sys/fd.h"

#define MASON_TIMEOUT_MS (30 * 60 * 1000ULL)
#define MASON_OUT_MAX (1u << 20)
#define COMPLAINT_MAX 512

static int make_plan(const struct lower_box *box, struct buf *out, struct error *err)
{
	BUF_AUTO libexec = BUF_INIT;
	struct plan_builder plan;
	int rc;

	if (role_libexec(&libexec, err) < 0)
		return -1;
	plan_begin(&plan);
	rc = lower_mason(box, libexec.data, &plan, err);
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

static int check_end(const struct session_result *r, int err_fd, struct error *err)
{
	BUF_AUTO why = BUF_INIT;

	if (r->truncated)
		return error_set(err, ERR_LIMIT, "the box's mason said more than it may");
	if (r->end == SESSION_EXITED && r->code == 0)
		return 0;
	complaint(err_fd, &why);
	switch (r->end) {
	case SESSION_EXITED:
		return error_set(err, ERR_PEER, "the box's mason failed with code %d: %s", r->code,
				 why.data);
	case SESSION_TIMED_OUT:
		return error_set(err, ERR_LIMIT, "the box's mason did not finish in time");
	case SESSION_CANNOT_EXEC:
		return error_sys(err, r->sys, "the box's mason cannot be started");
	default:
		return error_set(err, ERR_PEER, "the box's mason was ended by signal %d: %s",
				 r->signal, why.data);
	}
}

static int start(const struct lower_box *box, struct session_request *req, struct mason_job *job,
		 struct error *err)
{
	static const char *const envp[] = { "PATH=/usr/bin:/bin", "LANG=C", "HOME=/nonexistent",
					    NULL };

	job->err_fd = memfd_create("mason-stderr", MFD_CLOEXEC);
	if (job->err_fd < 0)
		return error_sys(err, errno, "cannot make a memory file");
	req->plan = &job->plan;
	req->envp = envp;
	req->timeout_ms = MASON_TIMEOUT_MS;
	req->box_fd = req->lock_fd = -1;
	req->label = "mason";
	req->in = req->out = -1;
	req->err = job->err_fd;
	req->capture = &job->out;
	req->capture_max = MASON_OUT_MAX;
	if (make_plan(box, &job->plan, err) < 0)
		return -1;
	job->session = session_start(req, err);
	return job->session ? 0 : error_wrap(err, "cannot confine the box's mason");
}

int mason_start(const struct lower_box *box, const char *const *argv, struct mason_job *job,
		struct error *err)
{
	struct session_request req = { .argv = argv, .fed = true };

	return start(box, &req, job, err);
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
		return error_wrap(err, "cannot confine the box's mason");
	return check_end(&result, job->err_fd, err);
}

void mason_job_release(struct mason_job *job)
{
	session_cancel(job->session);
	job->session = NULL;
	buf_release(&job->plan);
	buf_release(&job->out);
	fd_close(&job->err_fd);
}

int mason_run(const struct lower_box *box, const char *const *argv, struct buf *out,
	      struct error *err)
{
	struct session_request req = { .argv = argv };
	struct mason_job job = MASON_JOB_INIT;
	int rc = start(box, &req, &job, err) || mason_finish(&job, err) ? -1 : 0;

	if (!rc && out)
		buf_add(out, job.out.data, job.out.len);
	mason_job_release(&job);
	return rc;
}
