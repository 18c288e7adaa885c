#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/num.h"
#include "base/strv.h"
#include "store/git.h"
#include "sys/fd.h"

#define ERROUT_MAX (1u << 20)
#define READ_CHUNK 65536
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* What could run a program or reach the network is switched off, whatever the configuration says.
 */
static const char *const safe_args[] = { "git", "--no-pager",
					 "-c",	"core.hooksPath=/dev/null",
					 "-c",	"core.fsmonitor=false",
					 "-c",	"core.askPass=",
					 "-c",	"credential.helper=",
					 "-c",	"protocol.allow=never",
					 "-c",	"gc.auto=0",
					 "-c",	"maintenance.auto=false",
					 "-c",	"submodule.recurse=false",
					 "-c",	"log.showSignature=false",
					 NULL };

static const char *const safe_env[] = { "LANG=C",
					"LC_ALL=C",
					"GIT_NO_LAZY_FETCH=1",
					"GIT_ALLOW_PROTOCOL=none",
					"GIT_TERMINAL_PROMPT=0",
					"GIT_OPTIONAL_LOCKS=0",
					"GIT_NO_REPLACE_OBJECTS=1",
					"GIT_LITERAL_PATHSPECS=1",
					NULL };

/* The operator's own; the GIT_CONFIG_* are what `git -c key=value box ...` hands to us. */
static const char *const passed_env[] = { "HOME",
					  "XDG_CONFIG_HOME",
					  "GIT_CONFIG_PARAMETERS",
					  "GIT_CONFIG_GLOBAL",
					  "GIT_CONFIG_SYSTEM",
					  "GIT_CONFIG_NOSYSTEM",
					  "GIT_ATTR_NOSYSTEM",
					  "GIT_TRACE2",
					  "GIT_TRACE2_EVENT",
					  "GIT_TRACE2_PERF",
					  "GIT_TRACE2_PARENT_SID" };

static void build_env(const struct git_cmd *cmd, struct strv *env)
{
	const char *path = env_get("PATH");

	/* First, as the first of two settings is the one that counts. */
	if (cmd->env)
		strv_add_all(env, cmd->env);
	strv_addf(env, "PATH=%s", path ? path : DEFAULT_PATH);
	for (size_t i = 0; i < ARRAY_SIZE(passed_env); i++) {
		const char *value = env_get(passed_env[i]);

		if (value)
			strv_addf(env, "%s=%s", passed_env[i], value);
	}
	strv_add_all(env, safe_env);
	if (cmd->index_file)
		strv_addf(env, "GIT_INDEX_FILE=%s", cmd->index_file);
}

static void build_argv(const struct git_cmd *cmd, struct strv *argv)
{
	strv_add_all(argv, safe_args);
	for (size_t i = 0; cmd->config && cmd->config[i]; i++) {
		strv_add(argv, "-c");
		strv_add(argv, cmd->config[i]);
	}
	if (cmd->git_dir)
		strv_addf(argv, "--git-dir=%s", cmd->git_dir);
	if (cmd->work_tree)
		strv_addf(argv, "--work-tree=%s", cmd->work_tree);
	strv_add_all(argv, cmd->args);
}

/* The name alone is no help to somebody whose PATH lacks it. */
static int no_git(struct error *err)
{
	if (err->kind != ERR_NOTFOUND)
		return error_wrap(err, "cannot start git");
	error_set(err, ERR_NOTFOUND, "git is not installed, or not in PATH");
	return error_hint(err, "install git 2.38 or newer");
}

static int code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Descriptors that the caller hands over as they are, at most two. */
static size_t pass_fds(const struct git_cmd *cmd, struct proc_fd *fds)
{
	size_t n = 0;

	if (cmd->in_fd)
		fds[n++] = (struct proc_fd){ .from = *cmd->in_fd, .to = 0 };
	if (cmd->out_fd)
		fds[n++] = (struct proc_fd){ .from = *cmd->out_fd, .to = 1 };
	return n;
}

int git_run(const struct git_cmd *cmd, int *code_out, struct error *err)
{
	STRV_AUTO argv = STRV_INIT;
	STRV_AUTO env = STRV_INIT;
	BUF_AUTO out = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct proc_capture cap = { .in = cmd->in,
				    .in_len = cmd->in_len,
				    .max = GIT_OUTPUT_MAX,
				    .timeout_ms = cmd->timeout_ms ? cmd->timeout_ms :
								    GIT_TIMEOUT_MS,
				    .out = cmd->out ? cmd->out : &out,
				    .errout = cmd->errout ? cmd->errout : &errout };
	struct proc_fd fds[2];
	struct proc_spec spec = {
		.path = "git", .cwd = cmd->cwd, .fds = fds, .fds_len = pass_fds(cmd, fds)
	};
	int status;

	if (cmd->out_fd)
		cap.out = NULL;

	build_argv(cmd, &argv);
	build_env(cmd, &env);
	spec.argv = strv_argv(&argv);
	spec.envp = strv_argv(&env);
	if (proc_run(&spec, &cap, &status, err))
		return no_git(err);
	*code_out = code_of(status);
	return 0;
}

/* git's own words: the first line of stderr that says what is wrong, without its label. */
static void first_complaint(const struct buf *errout, struct buf *line)
{
	static const char *const labels[] = { "fatal: ", "error: " };
	const char *start = errout->data;

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		const char *at = strstr(errout->data, labels[i]);

		if (at && (at == errout->data || at[-1] == '\n')) {
			start = at + strlen(labels[i]);
			break;
		}
	}
	buf_add(line, start, strcspn(start, "\n"));
}

int git_failed(const char *what, int code, const struct buf *errout, struct error *err)
{
	BUF_AUTO line = BUF_INIT;

	first_complaint(errout, &line);
	if (strstr(errout->data, strerror(ENOSPC)))
		return error_sys(err, ENOSPC, "git %s", what);
	if (strstr(errout->data, strerror(EDQUOT)))
		return error_sys(err, EDQUOT, "git %s", what);
	if (!line.len)
		return error_set(err, ERR_PEER, "git %s ended with exit code %d", what, code);
	return error_set(err, ERR_PEER, "git %s: %s", what, line.data);
}

int git_must(const struct git_cmd *cmd, struct error *err)
{
	struct git_cmd c = *cmd;
	BUF_AUTO errout = BUF_INIT;
	int code = 0;

	if (!c.errout)
		c.errout = &errout;
	if (git_run(&c, &code, err))
		return -1;
	return code ? git_failed(c.args[0], code, c.errout, err) : 0;
}

int git_want(const struct repo *r, const char *const *args, const char *in, struct buf *out,
	     struct error *err)
{
	struct git_cmd cmd = { .args = args,
			       .git_dir = r->git_dir.data,
			       .in = in,
			       .in_len = in ? strlen(in) : 0,
			       .out = out };

	return git_must(&cmd, err);
}

int git_start_cmd(const struct git_cmd *cmd, struct git_job *job, struct error *err)
{
	STRV_AUTO argv = STRV_INIT;
	STRV_AUTO env = STRV_INIT;
	int out[2], errout[2];

	if (fd_pipe(out, err))
		return -1;
	job->out_fd = out[0];
	FD_AUTO out_end = out[1];
	if (fd_pipe(errout, err))
		return -1;
	job->err_fd = errout[0];
	FD_AUTO err_end = errout[1];

	build_argv(cmd, &argv);
	build_env(cmd, &env);
	struct proc_fd fds[] = { { .from = out_end, .to = 1 },
				 { .from = err_end, .to = 2 },
				 { .from = cmd->in_fd ? *cmd->in_fd : -1, .to = 0 } };
	struct proc_spec spec = { .path = "git",
				  .argv = strv_argv(&argv),
				  .envp = strv_argv(&env),
				  .cwd = cmd->cwd,
				  .fds = fds,
				  .fds_len = ARRAY_SIZE(fds) - !cmd->in_fd };
	job->what = cmd->args[0];
	return proc_spawn(&spec, &job->proc, err) ? no_git(err) : 0;
}

int git_start(const struct repo *r, const char *const *args, struct git_job *job, struct error *err)
{
	struct git_cmd cmd = { .args = args, .git_dir = r->git_dir.data };

	return git_start_cmd(&cmd, job, err);
}

/* One read of a pipe into out; closes it at its end. */
static int take(int *fd, size_t max, struct buf *out, struct error *err)
{
	ssize_t n;

	buf_grow(out, READ_CHUNK);
	n = read(*fd, out->data + out->len, READ_CHUNK);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ?
			       0 :
			       error_sys(err, errno, "cannot read from git");
	if (n == 0)
		fd_close(fd);
	out->len += (size_t)n;
	out->data[out->len] = '\0';
	return out->len > max ? error_set(err, ERR_LIMIT, "git wrote more than %zu bytes", max) : 0;
}

static int collect(struct git_job *job, struct buf *out, struct error *err)
{
	uint64_t end = clock_mono_us() + (uint64_t)GIT_TIMEOUT_MS * 1000;

	while (job->out_fd >= 0 || job->err_fd >= 0) {
		struct pollfd p[] = { { .fd = job->out_fd, .events = POLLIN },
				      { .fd = job->err_fd, .events = POLLIN } };
		uint64_t now = clock_mono_us();
		int n = poll(p, 2, now < end ? (int)((end - now) / 1000 + 1) : 0);

		if (n == 0)
			return error_set(err, ERR_LIMIT, "git %s did not end in time", job->what);
		if (n < 0 && errno != EINTR)
			return error_sys(err, errno, "poll");
		if (n > 0 && p[0].revents && take(&job->out_fd, GIT_OUTPUT_MAX, out, err))
			return -1;
		if (n > 0 && p[1].revents && take(&job->err_fd, ERROUT_MAX, &job->errout, err))
			return -1;
	}
	return 0;
}

int git_finish(struct git_job *job, struct buf *out, int *code_out, struct error *err)
{
	int status;

	if (collect(job, out, err) || proc_wait(&job->proc, GIT_TIMEOUT_MS, &status, err))
		return -1;
	*code_out = code_of(status);
	return 0;
}

void git_job_release(struct git_job *job)
{
	proc_end(&job->proc);
	fd_close(&job->out_fd);
	fd_close(&job->err_fd);
	buf_release(&job->errout);
}

int git_trusts(const char *dir, struct error *err)
{
	static const char *const args[] = { "rev-parse", "--git-dir", NULL };
	struct git_cmd cmd = { .args = args, .cwd = dir };

	return git_must(&cmd, err);
}

int git_version(struct buf *out, struct error *err)
{
	static const char *const args[] = { "version", NULL };
	static const char label[] = "git version ";
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = { .args = args, .out = &text };

	if (git_must(&cmd, err))
		return -1;
	if (strncmp(text.data, label, strlen(label)) != 0)
		return error_set(err, ERR_CORRUPT,
				 "'git version' gave an answer that is not known");
	buf_add(out, text.data + strlen(label), strcspn(text.data + strlen(label), " \n"));
	return 0;
}

/* The n-th number of a dotted version; 0 where there is none. */
static uint64_t version_part(const char *version, unsigned n)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO part = BUF_INIT;
	uint64_t value = 0;

	for (; n && *version; version++)
		n -= *version == '.';
	buf_add(&part, version, strspn(version, "0123456789"));
	if (num_u64(part.data, 0, UINT32_MAX, &value, &ignored))
		return 0;
	return value;
}

int git_require(unsigned major, unsigned minor, struct error *err)
{
	BUF_AUTO version = BUF_INIT;
	uint64_t first, second;

	if (git_version(&version, err))
		return -1;
	first = version_part(version.data, 0);
	second = version_part(version.data, 1);
	if (first > major || (first == major && second >= minor))
		return 0;
	error_set(err, ERR_UNSUPPORTED, "git %s is too old", version.data);
	return error_hint(err, "install git %u.%u or newer", major, minor);
}

bool git_mode_parse(const char *s, uint32_t *out)
{
	uint32_t mode = 0;

	for (int i = 0; i < 6; i++) {
		if (s[i] < '0' || s[i] > '7')
			return false;
		mode = mode << 3 | (uint32_t)(s[i] - '0');
	}
	*out = mode;
	return true;
}

void git_quote(const char *path, struct buf *out)
{
	buf_char(out, '"');
	for (const char *p = path; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c >= 0x7f)
			buf_fmt(out, "\\%03o", c);
		else if (c == '"' || c == '\\')
			buf_fmt(out, "\\%c", c);
		else
			buf_char(out, *p);
	}
	buf_char(out, '"');
}
