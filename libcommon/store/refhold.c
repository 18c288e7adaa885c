#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "store/refhold.h"
#include "sys/fd.h"

#define ANSWER_MAX 4096

/* A socket, because a pipe to a git that has ended would kill us. */
static int say(struct ref_hold *h, const struct buf *text, struct error *err)
{
	for (size_t at = 0; at < text->len;) {
		ssize_t n = send(h->to_fd, text->data + at, text->len - at, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot write to git");
		at += (size_t)n;
	}
	return 0;
}

/* Waits for the line `want`; *ended where git ended instead. */
static int hear(struct ref_hold *h, const char *want, bool *ended, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	char chunk[256];

	*ended = false;
	while (!strstr(text.data, want)) {
		struct pollfd p = { .fd = h->job.out_fd, .events = POLLIN };
		int ready = poll(&p, 1, GIT_TIMEOUT_MS);
		ssize_t n = ready > 0 ? read(h->job.out_fd, chunk, sizeof(chunk)) : -1;

		if (ready == 0 || text.len > ANSWER_MAX)
			return error_set(err, ERR_LIMIT, "git update-ref did not answer");
		if (n < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot read from git");
		if (n == 0) {
			*ended = true;
			return 0;
		}
		if (n > 0)
			buf_add(&text, chunk, (size_t)n);
	}
	return 0;
}

/* Why git ended without the answer that was waited for. */
static int explain(struct ref_hold *h, struct error *err)
{
	BUF_AUTO rest = BUF_INIT;
	int code;

	fd_close(&h->to_fd);
	if (git_finish(&h->job, &rest, &code, err))
		return -1;
	git_failed(h->job.what, code, &h->job.errout, err);
	if (strstr(h->job.errout.data, "cannot lock ref")) {
		err->kind = ERR_BUSY;
		return error_hint(err, "somebody else moves the branch, or a git that crashed left "
				       "its lock file; try again");
	}
	return -1;
}

static int ask(struct ref_hold *h, const struct buf *text, const char *want, struct error *err)
{
	bool ended;

	if (say(h, text, err) || hear(h, want, &ended, err))
		return -1;
	return ended ? explain(h, err) : 0;
}

int ref_hold_head(const struct repo *r, const struct ref_move *move, struct ref_hold *out,
		  struct error *err)
{
	const char *const args[] = { "update-ref", "-m", move->why, "--stdin", NULL };
	struct git_cmd cmd = { .args = args, .git_dir = r->git_dir.data };
	BUF_AUTO text = BUF_INIT;
	int pair[2];

	if (fd_socketpair(SOCK_STREAM, pair, err))
		return -1;
	out->to_fd = pair[0];
	FD_AUTO theirs = pair[1];
	cmd.in_fd = &theirs;
	if (git_start_cmd(&cmd, &out->job, err))
		return -1;
	fd_close(&theirs);
	buf_fmt(&text, "start\nupdate HEAD %s %s\nupdate ORIG_HEAD %s\nprepare\n", move->to,
		move->from, move->from);
	return ask(out, &text, "prepare: ok\n", err);
}

int ref_hold_commit(struct ref_hold *h, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO rest = BUF_INIT;
	int code;

	buf_str(&text, "commit\n");
	if (ask(h, &text, "commit: ok\n", err))
		return -1;
	/* The refs have moved: what comes now changes nothing. */
	fd_close(&h->to_fd);
	struct error ignored = ERROR_INIT;
	(void)git_finish(&h->job, &rest, &code, &ignored);
	return 0;
}

void ref_hold_release(struct ref_hold *h)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO rest = BUF_INIT;
	int code;

	/* Not killed: it has locks to remove. */
	fd_close(&h->to_fd);
	if (h->job.proc.pid > 0)
		(void)git_finish(&h->job, &rest, &code, &ignored);
	git_job_release(&h->job);
}
