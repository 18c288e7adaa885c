#include "base/base.h"

#include "base/num.h"
#include "cli/msg.h"
#include "cli/table.h"
#include "git-box/status.h"
#include "sandbox/probe.h"

#define LABEL_WIDTH 11

/* Everything that may hold foreign bytes goes through here. */
static void line(const char *label, const char *text)
{
	BUF_AUTO clean = BUF_INIT;

	msg_clean(text, strlen(text), &clean);
	printf("%-*s %s\n", LABEL_WIDTH, label, clean.data);
}

/* The many small files of /etc and /dev that every box sees are counted only; --plan and --json
 * name them. */
static bool is_furniture(const char *path)
{
	return strncmp(path, "/etc/", 5) == 0 || strncmp(path, "/dev/", 5) == 0;
}

static void lines(const char *label, const struct strv *list)
{
	BUF_AUTO rest = BUF_INIT;
	size_t shown = 0;

	for (size_t i = 0; i < list->len; i++) {
		if (!is_furniture(list->v[i]))
			line(shown++ == 0 ? label : "", list->v[i]);
	}
	if (list->len > shown)
		buf_fmt(&rest, "%zu of /etc and /dev", list->len - shown);
	if (list->len > shown || shown == 0)
		line(shown == 0 ? label : "", rest.len > 0 ? rest.data : "-");
}

static void words(const char *label, const struct strv *list)
{
	BUF_AUTO all = BUF_INIT;

	for (size_t i = 0; i < list->len; i++)
		buf_fmt(&all, "%s%s", i > 0 ? " " : "", list->v[i]);
	line(label, all.data);
}

static void print_identity(const struct status *s)
{
	const struct manifest *m = &s->box.m;
	BUF_AUTO text = BUF_INIT;

	line("box", m->name.data);
	line("id", m->id);
	buf_fmt(&text, "%s/work", s->box.path.data);
	line("path", text.data);
	buf_reset(&text);
	line("state", describe_state(&s->box, &s->live));
	if (m->proposal.len > 0)
		line("proposal", m->proposal.data);
	describe_base(&s->box, &text);
	line("base", text.data);
	buf_reset(&text);
	drift_text(&s->drift, &text);
	line("drift", text.data);
	buf_reset(&text);
	describe_live(&s->live, &text);
	line("live", text.data);
	line("tier", tier_names[m->tier]);
	line("profile", m->profile.data);
	line("policy", m->policy_digest);
}

static void print_mechanisms(const struct status *s)
{
	const struct plan *p = status_plan(s);
	BUF_AUTO text = BUF_INIT;

	buf_fmt(&text,
		"namespaces: user mount pid ipc uts%s%s; a second user namespace without "
		"capabilities",
		p->bits & PLAN_NET_OWN ? " net" : "", p->bits & PLAN_CGROUP_NS ? " cgroup" : "");
	line("held by", text.data);
	buf_reset(&text);
	if (p->bits & PLAN_LANDLOCK)
		buf_fmt(&text, "Landlock, ABI %d, %u rules", probe_landlock_abi(), p->rules.len);
	else
		buf_str(&text, "no Landlock (this kernel has none, or only ABI 1)");
	line("", text.data);
	buf_reset(&text);
	buf_fmt(&text, "seccomp, %u instructions", p->filter.len);
	line("", text.data);
	if (p->bits & PLAN_ROOT_RO)
		line("", "read-only root");
	buf_reset(&text);
	buf_fmt(&text, "uid %u, gid %u on this host", p->uid, p->gid);
	line("", text.data);
	line("network", p->bits & PLAN_NET_OWN ? "none (own namespace, loopback only)" : "host");
	line("plan", s->plan_digest);
}

static void print_limits(const struct app *app, const struct status *s)
{
	static const char *const head[] = { "LIMIT", "VALUE", "HELD", "BY" };
	struct table t = { .head = head, .columns = ARRAY_SIZE(head), .cells = STRV_INIT };

	for (size_t i = 0; i < STATUS_LIMITS; i++) {
		const struct status_limit *l = &s->limits[i];
		const char *how = status_how(l);
		const char *const cells[] = { l->name, l->text, how,
					      strcmp(how, "none") == 0 ? "-" : l->detail };

		table_row(&t, cells);
	}
	puts("");
	table_print(app, &t);
	table_release(&t);
}

static void print_sizes(const struct status *s)
{
	BUF_AUTO all = BUF_INIT;

	for (size_t i = 0; i < STATUS_SIZES; i++) {
		char size[32] = "unknown";

		if (!s->sizes[i].there)
			continue;
		if (s->sizes[i].known)
			num_size_text(s->sizes[i].bytes, size);
		buf_fmt(&all, "%s%s %s", all.len > 0 ? ", " : "", s->sizes[i].dir, size);
	}
	line("sizes", all.data);
}

void status_print(const struct app *app, const struct status *s)
{
	print_identity(s);
	if (s->confined) {
		print_mechanisms(s);
		lines("readable", &s->readable);
		lines("writable", &s->writable);
		lines("protected", &s->protected);
	} else {
		line("held by", "nothing: commands run as you, with all that you may do");
		line("network", "host");
	}
	words("variables", &s->env);
	if (s->box.m.submodules.len > 0)
		words("submodules", &s->box.m.submodules);
	print_sizes(s);
	print_limits(app, s);
}

void status_print_plan(const struct status *s)
{
	const struct plan *p = status_plan(s);
	BUF_AUTO text = BUF_INIT;

	line("digest", s->plan_digest);
	for (uint32_t i = 0; i < p->mounts.len; i++) {
		buf_reset(&text);
		plan_mount_text(p, &plan_mounts(p)[i], &text);
		line("mount", text.data);
	}
	for (uint32_t i = 0; i < p->rlimits.len; i++) {
		buf_reset(&text);
		status_rlimit_text(&plan_rlimits(p)[i], &text);
		buf_fmt(&text, " %llu", (unsigned long long)plan_rlimits(p)[i].value);
		line("rlimit", text.data);
	}
	for (uint32_t i = 0; i < p->rules.len; i++) {
		buf_reset(&text);
		buf_fmt(&text, "%#llx %s", (unsigned long long)plan_rules(p)[i].access,
			plan_str(p, plan_rules(p)[i].path));
		line("landlock", text.data);
	}
	buf_reset(&text);
	buf_fmt(&text, "%u instructions", p->filter.len);
	line("seccomp", text.data);
}
