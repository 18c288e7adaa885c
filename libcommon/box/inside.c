#include "base/base.h"

#include "box/inside.h"
#include "box/session.h"
#include "box/tier.h"
#include "store/git.h"
#include "sys/fd.h"

#define TIMEOUT_MS 120000

static int run(const struct box *b, struct session_request *req, struct error *err)
{
	const struct tier_backend *backend;
	struct session_result result;

	if (tier_backend(b->m.tier, &backend, err) < 0 || backend->run(b, req, &result, err) < 0)
		return -1;
	if (result.truncated)
		return error_set(err, ERR_LIMIT, "git in the box said more than it may");
	if (result.end != SESSION_EXITED || result.code != 0)
		return error_set(err, ERR_PEER, "git failed in the box");
	return 0;
}

static int ask_confined(const struct box *b, const struct inside_question *q, struct buf *out,
			struct error *err)
{
	struct lower_box lower;
	STRV_AUTO argv = STRV_INIT;
	STRV_AUTO env = STRV_INIT;
	FD_AUTO in = -1;
	struct session_request req = {
		.cwd = b->m.repo_top.data,
		.timeout_ms = TIMEOUT_MS,
		.box_fd = -1,
		.lock_fd = -1,
		.label = q->label,
		.out = -1,
		.err = -1,
		.capture = out,
		.capture_max = q->max,
	};

	strv_add(&argv, "git");
	strv_add_all(&argv, q->args);
	box_lowering(b, &lower);
	lower_env(&b->policy, &lower, NULL, &env);
	if (q->in) {
		in = fd_sealed("question", q->in->data, q->in->len, err);
		if (in < 0)
			return -1;
	}
	req.in = in;
	req.argv = strv_argv(&argv);
	req.envp = strv_argv(&env);
	return run(b, &req, err);
}

static int ask_plain(const struct box *b, const struct inside_question *q, struct buf *out,
		     struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	struct git_cmd cmd = { .args = q->args, .out = out };

	buf_fmt(&path, "%s/work", b->path.data);
	cmd.cwd = path.data;
	if (q->in) {
		cmd.in = q->in->data;
		cmd.in_len = q->in->len;
	}
	return git_must(&cmd, err);
}

int inside_ask(const struct box *b, const struct inside_question *q, struct buf *out,
	       struct error *err)
{
	const struct tier_backend *backend;

	if (tier_backend(b->m.tier, &backend, err) < 0)
		return -1;
	return backend->confines ? ask_confined(b, q, out, err) : ask_plain(b, q, out, err);
}
