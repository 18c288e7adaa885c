/* git box run: one command in a box. */
#include "base/base.h"

#include <errno.h>

#include "base/exit.h"
#include "base/num.h"
#include "box/create.h"
#include "box/execute.h"
#include "box/remove.h"
#include "cli/msg.h"
#include "cli/opt.h"
#include "cli/trace.h"
#include "git-box/verbs.h"
#include "sys/rand.h"
#include "wire/json.h"

#define CAPTURE_MAX (4u << 20)
#define RUN_SCHEMA 1

struct run_opts {
	bool quiet, json, remove;
	uint64_t timeout_ms;
	const char *cwd, *from, *profile, *isolation;
	struct strv env;
	const char *name;
	struct strv cmd;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "rm", struct run_opts, remove,
		 "make a box for this command alone and remove it afterwards"),
	OPT_DURATION('t', "timeout", struct run_opts, timeout_ms, "TIME",
		     "end the command after TIME"),
	OPT_STRING('C', "cwd", struct run_opts, cwd, "DIR", COMPLETE_NONE,
		   "start in DIR, from the top of the work tree or absolute, instead of the same "
		   "subdirectory"),
	OPT_LIST('e', "env", struct run_opts, env, "NAME=VALUE", "set a variable for the command"),
	OPT_STRING(0, "from", struct run_opts, from, "REV", COMPLETE_REV,
		   "with --rm: base revision"),
	OPT_STRING('p', "profile", struct run_opts, profile, "PROFILE", COMPLETE_PROFILE,
		   "with --rm: profile"),
	OPT_STRING(0, "isolation", struct run_opts, isolation, "TIER", COMPLETE_TIER,
		   "with --rm: tier"),
	OPT_FLAG('q', "quiet", struct run_opts, quiet, "say nothing of our own on stderr"),
	OPT_FLAG(0, "json", struct run_opts, json,
		 "print the result, with the command's output, as JSON"),
	ARG_MAYBE("NAME", struct run_opts, name, COMPLETE_BOX, "the box"),
	ARG_REST("CMD", struct run_opts, cmd, "the command and its arguments"),
	OPT_END,
};

static int check_opts(const struct run_opts *o, struct error *err)
{
	if (!o->cmd.len) {
		error_set(err, ERR_USAGE, "no command given");
		return error_hint(err, "git box run NAME -- CMD [ARG...]");
	}
	if (o->remove && o->name) {
		error_set(err, ERR_USAGE, "--rm makes a box of its own, so it takes no name ('%s')",
			  o->name);
		return error_hint(err, "git box run --rm -- CMD [ARG...]");
	}
	if (!o->remove && !o->name) {
		error_set(err, ERR_USAGE, "which box?");
		return error_hint(
			err,
			"git box run NAME -- CMD, or git box run --rm -- CMD for a box of its own");
	}
	if (!o->remove && (o->from || o->profile || o->isolation))
		return error_set(
			err, ERR_USAGE,
			"--from, --profile and --isolation belong to --rm or 'git box create'");
	for (size_t i = 0; i < o->env.len; i++)
		if (o->env.v[i][0] == '=' || !strchr(o->env.v[i], '='))
			return error_set(err, ERR_USAGE, "--env wants NAME=VALUE, not '%s'",
					 o->env.v[i]);
	return 0;
}

/* What is missing in a box is mostly there outside: say where the difference can be seen. */
static void explain_exec(const struct app *app, const struct run_opts *o, const struct box *box,
			 const struct session_result *r)
{
	const struct tier_backend *backend;
	struct error ignored = ERROR_INIT;
	struct error err = ERROR_INIT;

	error_sys(&err, r->sys, "cannot run '%s' in box '%s'", o->cmd.v[0], box->m.name.data);
	if (r->sys == ENOENT && tier_backend(box->m.tier, &backend, &ignored) == 0 &&
	    backend->confines)
		error_hint(&err,
			   "'git box status %s' lists what it sees; toolchains below your HOME "
			   "need a box with --profile agent",
			   box->m.name.data);
	msg_fail(app, &err);
}

/* Why it ended, where that was not the command's own doing. */
static void explain(const struct app *app, const struct run_opts *o, const struct box *box,
		    const struct session_result *r)
{
	struct error err = ERROR_INIT;
	char text[32];

	switch (r->end) {
	case SESSION_TIMED_OUT:
		num_duration_text(o->timeout_ms ? o->timeout_ms : box->policy.wall_ms, text);
		msg_warning(
			app,
			"ended after %s: the time limit (--timeout, or the profile's wall clock)",
			text);
		return;
	case SESSION_MEMORY:
		num_size_text(box->policy.memory, text);
		msg_warning(app, "ended at the memory limit of %s of profile '%s'", text,
			    box->policy.profile.data);
		return;
	case SESSION_CANNOT_EXEC:
		explain_exec(app, o, box, r);
		return;
	case SESSION_CANNOT_ENTER:
		error_sys(&err, r->sys, "cannot enter '%s' in box '%s'",
			  o->cwd ? o->cwd : "the work tree", box->m.name.data);
		error_hint(&err, "--cwd starts from the top of the work tree, or is absolute");
		msg_fail(app, &err);
		return;
	case SESSION_ENDED:
		msg_warning(app, "ended from outside (git box abort, or its session was killed)");
		return;
	case SESSION_EXITED:
	case SESSION_SIGNALED:
		return;
	}
}

static const char *end_name(enum session_end end)
{
	static const char *const names[] = {
		[SESSION_EXITED] = "exited",
		[SESSION_SIGNALED] = "signaled",
		[SESSION_TIMED_OUT] = "timed-out",
		[SESSION_MEMORY] = "memory-limit",
		[SESSION_CANNOT_EXEC] = "cannot-exec",
		[SESSION_CANNOT_ENTER] = "cannot-enter",
		[SESSION_ENDED] = "ended",
	};

	return names[end];
}

static uint64_t microseconds(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000u + (uint64_t)tv.tv_usec;
}

static json_t *argv_json(const struct run_opts *o)
{
	json_t *argv = json_array();

	for (size_t i = 0; i < o->cmd.len; i++)
		json_array_append_new(argv, json_text(o->cmd.v[i]));
	return argv;
}

static void answer(const struct run_opts *o, const struct box *box, const struct session_result *r,
		   const struct buf *out, const struct buf *err)
{
	JSON_AUTO *j = json_object();

	json_object_set_new(j, "box", json_text(box->m.name.data));
	json_object_set_new(j, "id", json_text(box->m.id));
	json_object_set_new(j, "tier", json_text(tier_names[box->m.tier]));
	json_object_set_new(j, "policy_digest", json_text(box->m.policy_digest));
	json_object_set_new(j, "argv", argv_json(o));
	json_object_set_new(j, "end", json_text(end_name(r->end)));
	json_object_set_new(j, "exit_code", json_integer(session_exit_code(r)));
	json_object_set_new(j, "signal", json_integer(r->signal));
	json_object_set_new(j, "wall_us", json_integer((json_int_t)r->wall_us));
	json_object_set_new(j, "user_us",
			    json_integer((json_int_t)microseconds(r->usage.ru_utime)));
	json_object_set_new(j, "system_us",
			    json_integer((json_int_t)microseconds(r->usage.ru_stime)));
	json_object_set_new(j, "max_rss_kb", json_integer(r->usage.ru_maxrss));
	if (r->peak_memory)
		json_object_set_new(j, "peak_memory", json_integer((json_int_t)r->peak_memory));
	json_object_set_new(j, "stdout", json_text(out->data));
	json_object_set_new(j, "stdout_truncated", json_boolean(r->truncated));
	json_object_set_new(j, "stderr", json_text(err->data));
	json_object_set_new(j, "stderr_truncated", json_boolean(r->err_truncated));
	json_answer(j, RUN_SCHEMA);
}

/* A failure of ours, so that a program that asked for JSON need not read messages. */
static void answer_failure(const struct run_opts *o, const struct error *err, int code)
{
	JSON_AUTO *j = json_object();

	json_object_set_new(j, "box", o->name ? json_text(o->name) : json_null());
	json_object_set_new(j, "argv", argv_json(o));
	json_object_set_new(j, "end", json_text("failed"));
	json_object_set_new(j, "exit_code", json_integer(code));
	json_object_set_new(j, "kind", json_text(error_kind_name(err->kind)));
	json_object_set_new(j, "error", json_text(err->msg));
	json_object_set_new(j, "hint", json_text(err->hint));
	json_answer(j, RUN_SCHEMA);
}

/* What one call of the verb works on. */
struct call {
	struct app *app;
	const struct run_opts *o;
	struct repo repo;
};

static int check_box(const struct call *c, const struct box *box, struct error *err)
{
	const struct tier_backend *backend;

	if (box->m.state == BOX_ABORTED) {
		error_set(err, ERR_REFUSED, "box '%s' was aborted", box->m.name.data);
		return error_hint(
			err,
			"make a new one with 'git box create', or remove it with 'git box rm %s'",
			box->m.name.data);
	}
	if (tier_backend(box->m.tier, &backend, err))
		return -1;
	if (!backend->confines && !c->o->quiet)
		msg_warning(c->app, "%s", backend->warning);
	return 0;
}

/* The command's exit code, or -1. */
static int run_opened(const struct call *c, const struct box *box, struct error *err)
{
	const struct run_opts *o = c->o;
	BUF_AUTO out = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct session_result result;
	const struct execute_request req = {
		.box = box,
		.argv = strv_argv(&o->cmd),
		.env = strv_argv(&o->env),
		.subdir = c->repo.prefix.data,
		.cwd = o->cwd,
		.timeout_ms = o->timeout_ms,
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
		.capture = o->json ? &out : NULL,
		.capture_err = o->json ? &errout : NULL,
		.capture_max = CAPTURE_MAX,
	};

	int child = trace_child_start(c->app->trace, "box", req.argv);
	int code = box_execute(&req, &result, err) ? -1 : session_exit_code(&result);
	trace_child_exit(c->app->trace, child, -1, code);
	if (code < 0)
		return -1;
	if (o->json)
		answer(o, box, &result, &out, &errout);
	if (!o->quiet)
		explain(c->app, o, box, &result);
	return code;
}

static int run_in(const struct call *c, const char *name, struct error *err)
{
	struct box box;
	int code = -1;

	box_init(&box);
	if (!box_open(&c->repo, name, &box, err) && !check_box(c, &box, err))
		code = run_opened(c, &box, err);
	box_release(&box);
	return code;
}

static int create_for(const struct call *c, const char *name, struct error *err)
{
	struct manifest m;
	struct create_notes notes = { .lines = STRV_INIT };
	const struct create_request create = {
		.repo = &c->repo,
		.name = name,
		.from = c->o->from,
		.profile = c->o->profile,
		.isolation = c->o->isolation,
		.temporary = true,
		.trace = c->app->trace,
	};

	manifest_init(&m);
	int r = box_create(&create, &m, &notes, err);
	manifest_release(&m);
	strv_release(&notes.lines);
	return r;
}

/* A box that lives as long as the command. Removed whatever the command did; nothing of it is kept.
 */
static int run_and_remove(const struct call *c, struct error *err)
{
	char name[32] = "run-";
	struct remove_result removed;
	struct error remove_err = ERROR_INIT;
	const struct remove_request rm = {
		.repo = &c->repo, .name = name, .force = true, .keep_ms = 0
	};

	rand_hex(name + strlen(name), 8);
	if (create_for(c, name, err))
		return -1;
	int code = run_in(c, name, err);
	remove_result_init(&removed);
	if (box_remove(&rm, &removed, &remove_err))
		msg_warning(c->app, "%s", remove_err.msg);
	remove_result_release(&removed);
	return code;
}

/* Our own failures are 125, so that they cannot be taken for the command's (DESIGN section 6). */
static int own_code(const struct error *err)
{
	return err->kind == ERR_USAGE ? EXIT_USAGE : EXIT_OURS;
}

static int run(struct app *app, void *p)
{
	struct call c = { .app = app, .o = p, .repo = REPO_INIT };
	struct error err = ERROR_INIT;
	int code = -1;

	app->json = false; /* its answer says more about a failure than the usual one */
	if (!check_opts(c.o, &err) && !repo_discover(&c.repo, &err))
		code = c.o->remove ? run_and_remove(&c, &err) : run_in(&c, c.o->name, &err);
	repo_release(&c.repo);
	if (code >= 0)
		return code;
	code = own_code(&err);
	if (c.o->json)
		answer_failure(c.o, &err, code);
	msg_fail(app, &err);
	return code;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run a command in a box",
	.description =
		"Runs CMD in the box NAME and ends with its exit code; a command that a signal "
		"ended gives 128 plus the number of the signal. Standard input is passed in, "
		"standard output and standard error come out as they are written. The command "
		"starts in the subdirectory of the work tree in which git box was called, or at "
		"the top where the box has no such directory. When it ends, everything that "
		"it left running in the box is ended too.\n"
		"\n"
		"SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are passed on to the "
		"command. In the background of a terminal the shell stops git box as soon as it "
		"looks for input: give it </dev/null there.\n"
		"\n"
		"The exit codes 124 (time limit), 125 (git box failed; --json has the kind of "
		"failure), 126 (the command cannot be executed) and 127 (it was not found) are git "
		"box's own. A command that the memory limit ended gives 137.",
	.examples = "$ git box run fix -- make test\n"
		    "$ git box run --timeout 5m -e CI=1 fix -- npm test\n"
		    "$ git box run --rm -- cargo test\n",
	.opts = opts,
	.opts_size = sizeof(struct run_opts),
	.run = run,
};
