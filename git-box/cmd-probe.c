/* git box probe: what this host can confine. */
#include "base/base.h"

#include "base/env.h"
#include "base/exit.h"
#include "box/probe.h"
#include "box/layout.h"
#include "cli/msg.h"
#include "cli/table.h"
#include "git-box/verbs.h"
#include "policy/policy.h"
#include "wire/json.h"

#define PROBE_SCHEMA 1

struct probe_opts {
	bool json;
};

static const struct opt opts[] = { OPT_FLAG(0, "json", struct probe_opts, json, "print JSON"),
				   OPT_END };

/* The file system that will hold boxes, where we are in a repository that has some; else any. */
static void choose_dir(struct buf *out)
{
	struct box_root root = BOX_ROOT_INIT;
	struct error ignored = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;

	if (!repo_discover(&repo, &ignored) && !box_root_open(&repo, false, &root, &ignored))
		buf_str(out, root.path.data);
	else
		buf_str(out, "/tmp");
	box_root_release(&root);
}

static const char *verdict(const struct probe *p)
{
	return probe_process_ok(p) ? "works" : "does not work";
}

static void print_text(const struct app *app, const struct probe *p)
{
	static const char *const head[] = { "CHECK", "STATE", "DETAIL" };
	struct table t = { .head = head, .columns = ARRAY_SIZE(head), .cells = STRV_INIT };

	for (size_t i = 0; i < p->len; i++) {
		const struct probe_check *c = &p->checks[i];
		const char *const row[] = { c->name, probe_state_names[c->state], c->detail };
		table_row(&t, row);
	}
	table_print(app, &t);
	table_release(&t);
	for (size_t i = 0; i < p->len; i++)
		if (p->checks[i].fix[0])
			printf("\n%s: %s\n", p->checks[i].name, p->checks[i].fix);
	printf("\nprocess tier: %s\n", verdict(p));
	printf("workspace tier: works, and confines nothing\n");
}

static json_t *check_json(const struct probe_check *c)
{
	json_t *j = json_object();

	json_object_set_new(j, "name", json_text(c->name));
	json_object_set_new(j, "state", json_text(probe_state_names[c->state]));
	json_object_set_new(j, "required", json_boolean(c->required));
	json_object_set_new(j, "detail", json_text(c->detail));
	json_object_set_new(j, "fix", json_text(c->fix));
	return j;
}

static json_t *tier_json(enum tier tier, bool works, bool confines)
{
	json_t *j = json_object();

	json_object_set_new(j, "name", json_text(tier_names[tier]));
	json_object_set_new(j, "works", json_boolean(works));
	json_object_set_new(j, "confines", json_boolean(confines));
	return j;
}

static void print_json(const struct probe *p)
{
	JSON_AUTO *answer = json_object();
	json_t *checks = json_array(), *tiers = json_array();

	for (size_t i = 0; i < p->len; i++)
		json_array_append_new(checks, check_json(&p->checks[i]));
	json_array_append_new(tiers, tier_json(TIER_WORKSPACE, true, false));
	json_array_append_new(tiers, tier_json(TIER_PROCESS, probe_process_ok(p), true));
	json_object_set_new(answer, "landlock_abi", json_integer(p->landlock_abi));
	json_object_set_new(answer, "strongest_tier",
			    probe_process_ok(p) ? json_text(tier_names[TIER_PROCESS])
						: json_null());
	json_object_set_new(answer, "checks", checks);
	json_object_set_new(answer, "tiers", tiers);
	json_answer(answer, PROBE_SCHEMA);
}

static int run(struct app *app, void *opts_void)
{
	const struct probe_opts *o = opts_void;
	struct error err = ERROR_INIT;
	BUF_AUTO dir = BUF_INIT;
	struct probe p;

	choose_dir(&dir);
	if (probe_run(dir.data, &p, &err))
		return msg_fail(app, &err);
	if (o->json)
		print_json(&p);
	else
		print_text(app, &p);
	return probe_process_ok(&p) ? EXIT_OK : EXIT_NO;
}

const struct command cmd_probe = {
	.name = "probe",
	.alias = "capabilities",
	.summary = "try what this host can confine",
	.description = "Builds a box with the code that builds every box, tries to get out of it, "
		       "and removes it. Says of each "
		       "mechanism whether it works, and of each one that does not what is in the "
		       "way and how to get it. "
		       "Nothing is taken from versions or configuration.\n\n"
		       "The exit code is 1 where the process tier does not work here.",
	.examples = "$ git box probe\n$ git box probe --json | jq -r .strongest_tier",
	.opts = opts,
	.opts_size = sizeof(struct probe_opts),
	.run = run,
};
