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

int mason_run_meanwhile(const struct lower_box *box, const char *const *argv, struct buf *out,
			const struct mason_meanwhile *meanwhile, struct error *err)
{
	static const char *const envp[] = { "PATH=/usr/bin:/bin", "LANG=C", "HOME=/nonexistent",
					    NULL };
	FD_AUTO err_fd = memfd_create("mason-stderr", MFD_CLOEXEC);
	BUF_AUTO plan = BUF_INIT;
	BUF_AUTO ignored = BUF_INIT;
	struct session_result result;
	struct session_request req = {
		.plan = &plan,
		.argv = argv,
		.envp = envp,
		.timeout_ms = MASON_TIMEOUT_MS,
		.box_fd = -1,
		.lock_fd = -1,
		.label = "mason",
		.in = -1,
		.out = -1,
		.err = err_fd,
		.capture = out ? out : &ignored,
		.capture_max = MASON_OUT_MAX,
	};

	if (meanwhile) {
		req.meanwhile = meanwhile->run;
		req.meanwhile_arg = meanwhile->arg;
	}
	if (err_fd < 0)
		return error_sys(err, errno, "cannot make a memory file");
	if (make_plan(box, &plan, err) < 0 || session_run(&req, &result, err) < 0)
		return error_wrap(err, "cannot confine the box's mason");
	return check_end(&result, err_fd, err);
}

int mason_run(const struct lower_box *box, const char *const *argv, struct buf *out,
	      struct error *err)
{
	return mason_run_meanwhile(box, argv, out, NULL, err);
}
