#include "base/base.h"

#include <fcntl.h>

#include "base/num.h"
#include "box/execute.h"
#include "box/rebase.h"
#include "cli/msg.h"
#include "sys/fd.h"
#include "sys/file.h"

#define LOCK_WAIT_MS 2000
#define LABEL_MAX 200

/* The command on one line, fit to be shown by `ls`. */
static void make_label(const char *const *argv, struct buf *out)
{
	BUF_AUTO words = BUF_INIT;

	for (; *argv && words.len < LABEL_MAX; argv++) {
		if (words.len)
			buf_char(&words, ' ');
		buf_str(&words, *argv);
	}
	msg_clean(words.data, words.len < LABEL_MAX ? words.len : LABEL_MAX, out);
}

/*
 * Where the command starts. The operator's own subdirectory only where the box
 * has it too; looked up without following links, since the box writes there.
 */
static void choose_cwd(const struct execute_request *req, struct buf *out)
{
	struct error ignored = ERROR_INIT;
	const char *top = req->box->m.repo_top.data;

	if (req->cwd && req->cwd[0] == '/') {
		buf_str(out, req->cwd);
		return;
	}
	buf_str(out, top);
	if (req->cwd) {
		buf_fmt(out, "/%s", req->cwd);
		return;
	}
	if (!req->subdir[0])
		return;
	BUF_AUTO path = BUF_INIT;
	buf_fmt(&path, "work/%s", req->subdir);
	FD_AUTO fd = file_open_beneath(req->box->fd, path.data, O_PATH | O_DIRECTORY, 0, &ignored);
	if (fd >= 0)
		buf_fmt(out, "/%s", req->subdir);
}

static int choose_timeout(const struct execute_request *req, uint64_t *out, struct error *err)
{
	uint64_t wall = req->box->policy.wall_ms;
	char text[32];

	if (req->timeout_ms && wall && req->timeout_ms > wall) {
		num_duration_text(wall, text);
		error_set(err, ERR_REFUSED, "the policy of box '%s' ends every command after %s",
			  req->box->m.name.data, text);
		return error_hint(
			err, "use a --timeout of at most %s, or a profile with a longer wall clock",
			text);
	}
	*out = req->timeout_ms ? req->timeout_ms : wall;
	return 0;
}

static int run(const struct execute_request *req, const struct tier_backend *backend,
	       struct session_request *session, struct session_result *out, struct error *err)
{
	const struct box *box = req->box;
	struct lower_box lowering;
	BUF_AUTO label = BUF_INIT;
	BUF_AUTO cwd = BUF_INIT;
	STRV_AUTO env = STRV_INIT;

	FD_AUTO lock = box_lock(box, false, LOCK_WAIT_MS, err);
	if (lock < 0 || rebase_check(box, err))
		return -1;
	box_lowering(box, &lowering);
	lower_env(&box->policy, &lowering, req->env, &env);
	make_label(req->argv, &label);
	choose_cwd(req, &cwd);
	session->argv = req->argv;
	session->envp = strv_argv(&env);
	session->cwd = cwd.data;
	session->lock_fd = lock;
	session->label = label.data;
	return backend->run(box, session, out, err);
}

int box_execute(const struct execute_request *req, struct session_result *out, struct error *err)
{
	const struct box *box = req->box;
	const struct tier_backend *backend;
	struct session_early early = SESSION_EARLY_INIT;
	const struct limits_want limits = { .memory = box->policy.memory,
					    .processes = box->policy.processes };
	/* Confined boxes have a network of their own; the monitor compares it with the plan. */
	const struct frame_start start = { box->m.uid, box->m.gid, PLAN_NET_OWN };
	struct session_request session = {
		.early = &early,
		.box_fd = box->fd,
		.in = req->in,
		.out = req->out,
		.err = req->err,
		.capture = req->capture,
		.capture_err = req->capture_err,
		.capture_max = req->capture_max,
		.forward_signals = true,
	};

	if (choose_timeout(req, &session.timeout_ms, err) ||
	    tier_backend(box->m.tier, &backend, err))
		return -1;
	/* First of all, so that namespaces are made while we work out what to show in them. */
	if (backend->confines && session_begin(&limits, &start, &early, err))
		return -1;
	int r = run(req, backend, &session, out, err);
	session_drop(&early);
	return r;
}
