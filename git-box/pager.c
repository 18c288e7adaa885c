#include "base/base.h"

#include "base/env.h"
#include "base/strv.h"
#include "git-box/pager.h"
#include "store/git.h"
#include "sys/fd.h"

#define PAGER_DEFAULT "less"
#define SHELL "/bin/sh"

static void choose(const struct repo *repo, struct buf *out)
{
	static const char *const args[] = { "config", "--get", "core.pager", NULL };
	const char *own = env_get("GIT_PAGER"), *general = env_get("PAGER");
	struct git_cmd cmd = { .args = args, .git_dir = repo->git_dir.data, .out = out };
	struct error ignored = ERROR_INIT;
	int code = 1;

	if (own) {
		buf_str(out, own);
		return;
	}
	if (git_run(&cmd, &code, &ignored) == 0 && code == 0) {
		buf_truncate(out, strcspn(out->data, "\n"));
		return;
	}
	buf_reset(out);
	buf_str(out, general ? general : PAGER_DEFAULT);
}

/* The operator's own environment: the pager is the operator's program. */
static void build_env(struct strv *env)
{
	strv_add_all(env, (const char *const *)environ);
	if (!env_get("LESS"))
		strv_add(env, "LESS=FRX");
	if (!env_get("LV"))
		strv_add(env, "LV=-c");
}

static int run(const char *pager, const struct buf *text, struct error *err)
{
	const char *const argv[] = { SHELL, "-c", pager, NULL };
	const struct proc_fd fds[] = { { STDOUT_FILENO, 1 }, { STDERR_FILENO, 2 } };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct proc_capture cap = { .in = text->data,
				    .in_len = text->len,
				    .timeout_ms = UINT64_MAX };
	struct proc_spec spec = {
		.path = SHELL, .argv = argv, .fds = fds, .fds_len = ARRAY_SIZE(fds)
	};
	STRV_AUTO env = STRV_INIT;
	struct sigaction old_int, old_quit;
	int status, rc;

	build_env(&env);
	spec.envp = strv_argv(&env);
	/* What is typed at the pager is the pager's. */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	rc = proc_run(&spec, &cap, &status, err);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return rc < 0 ? error_wrap(err, "cannot run the pager '%s'", pager) : 0;
}

int pager_show(const struct repo *repo, const struct buf *text, struct error *err)
{
	BUF_AUTO pager = BUF_INIT;

	fflush(stdout);
	if (isatty(STDOUT_FILENO)) {
		choose(repo, &pager);
		if (pager.len && strcmp(pager.data, "cat") != 0)
			return run(pager.data, text, err);
	}
	return fd_write_full(STDOUT_FILENO, text->data, text->len, err);
}
