#include "base/base.h"

#include "base/exit.h"
#include "cli/msg.h"
#include "git-box/status.h"
#include "git-box/verbs.h"

struct status_opts {
	bool plan;
	bool json;
	const char *name;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "plan", struct status_opts, plan,
		 "print the plan that would be executed, step by step"),
	OPT_FLAG(0, "json", struct status_opts, json, "print JSON"),
	ARG_ONE("NAME", struct status_opts, name, COMPLETE_BOX, "the box"),
	OPT_END,
};

static void print(const struct app *app, const struct status_opts *o, const struct status *s)
{
	if (o->plan && o->json)
		status_answer_plan(s);
	else if (o->plan)
		status_print_plan(s);
	else if (o->json)
		status_answer(s);
	else
		status_print(app, s);
}

static int run(struct app *app, void *opts_void)
{
	const struct status_opts *o = opts_void;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	struct status s;
	int code = EXIT_OK;

	if (repo_discover(&repo, &err) < 0 || status_read(&repo, o->name, &s, &err) < 0)
		return msg_fail(app, &err);
	if (o->plan && !s.confined) {
		error_set(&err, ERR_UNSUPPORTED,
			  "box '%s' is of tier %s, which confines nothing: it has no plan",
			  s.box.m.name.data, tier_names[s.box.m.tier]);
		code = msg_fail(app, &err);
	} else {
		print(app, o, &s);
	}
	status_release(&s);
	return code;
}

const struct command cmd_status = {
	.name = "status",
	.summary = "show what a box may do, and what holds it",
	.description = "Read from the plan that the next command would be run under, on this host, "
		       "now: what can be "
		       "read and written inside, which mechanisms hold that, and how each limit is "
		       "held: enforced (by "
		       "a cgroup or the user namespace, for all processes together), per "
		       "process (by an rlimit), watched "
		       "(by the monitor) or "
		       "not held.",
	.examples = "$ git box status fix-login\n$ git box status --plan fix-login",
	.opts = opts,
	.opts_size = sizeof(struct status_opts),
	.run = run,
};
