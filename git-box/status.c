#include "base/base.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "base/num.h"
#include "box/mason.h"
#include "box/tier.h"
#include "git-box/status.h"
#include "sys/file.h"

static const char *const size_dirs[STATUS_SIZES] = { "work", "git", "home", "tmp" };

void status_init(struct status *s)
{
	*s = (struct status){ .live = SESSION_LIST_INIT, .plan = BUF_INIT };
	box_init(&s->box);
}

void status_release(struct status *s)
{
	box_release(&s->box);
	session_list_release(&s->live);
	buf_release(&s->plan);
	strv_release(&s->readable);
	strv_release(&s->writable);
	strv_release(&s->protected);
	strv_release(&s->env);
}

const struct plan *status_plan(const struct status *s)
{
	return (const struct plan *)(const void *)s->plan.data;
}

/* A plan that is empty or that the sandbox would refuse is nothing to show. */
static int make_plan(struct status *s, struct error *err)
{
	struct lower_box lower;
	struct plan_builder plan;
	int rc;

	box_lowering(&s->box, &lower);
	plan_begin(&plan);
	rc = lower_box(&s->box.policy, &lower, &plan, err);
	if (rc == 0)
		plan_finish(&plan, &s->plan);
	plan_release(&plan);
	if (rc < 0 || plan_check(s->plan.data, s->plan.len, err) < 0)
		return -1;
	digest_hex(s->plan.data, s->plan.len, s->plan_digest);
	return 0;
}

static bool below(const char *path, const char *top)
{
	size_t len = strlen(top);

	return strncmp(path, top, len) == 0 && path[len] == '/';
}

static void sort_mounts(struct status *s)
{
	const struct plan *p = status_plan(s);
	const struct plan_mount *mounts = plan_mounts(p);

	for (uint32_t i = 0; i < p->mounts.len; i++) {
		const struct plan_mount *m = &mounts[i];
		const char *dst = plan_str(p, m->dst);
		bool absent = (m->flags & PLAN_OPTIONAL) && m->src &&
			      !file_exists(AT_FDCWD, plan_str(p, m->src));

		if (absent)
			continue;
		if (m->op == PLAN_SELF && (m->flags & PLAN_RO) &&
		    below(dst, s->box.m.repo_top.data))
			strv_add(&s->protected, dst);
		else if (m->op == PLAN_OVERLAY || (m->op == PLAN_BIND && (m->flags & PLAN_RO)))
			strv_add(&s->readable, dst);
		else if (m->op == PLAN_BIND || m->op == PLAN_TMPFS)
			strv_add(&s->writable, dst);
	}
}

/* Names alone: values may be secrets of the operator's. */
static void name_variables(struct status *s)
{
	STRV_AUTO env = STRV_INIT;
	struct lower_box lower;

	box_lowering(&s->box, &lower);
	lower_env(&s->box.policy, &lower, NULL, &env);
	for (size_t i = 0; i < env.len; i++)
		strv_addf(&s->env, "%.*s", (int)strcspn(env.v[i], "="), env.v[i]);
	strv_sort(&s->env);
}

static bool plan_limits(const struct status *s, uint32_t resource)
{
	const struct plan *p = status_plan(s);

	for (uint32_t i = 0; s->confined && i < p->rlimits.len; i++) {
		if (plan_rlimits(p)[i].resource == resource)
			return true;
	}
	return false;
}

static void held(struct status_limit *l, enum status_held how, const char *detail)
{
	l->how = how;
	(void)snprintf(l->detail, sizeof(l->detail), "%s", detail);
}

static void by_rlimit(const struct status *s, struct status_limit *l, uint32_t resource,
		      const char *detail)
{
	if (plan_limits(s, resource))
		held(l, HELD_RLIMIT, detail);
	else
		held(l, HELD_NOT, "this tier confines nothing");
}

/* Tried as a session would do it, with a monitor that gets nothing to do. */
static bool have_cgroup(const struct policy *p, char why[256])
{
	const struct limits_want want = { .memory = p->memory, .processes = p->processes };

	return session_limits_try(&want, why);
}

static void hold_by_cgroup(struct status *s, struct status_limit *memory,
			   struct status_limit *processes)
{
	char why[256] = "", detail[320];

	if (!s->confined) {
		held(memory, HELD_NOT, "this tier confines nothing");
		held(processes, HELD_NOT, "this tier confines nothing");
	} else if (have_cgroup(&s->box.policy, why)) {
		held(memory, HELD_WHOLE, "cgroup memory.max, all processes together");
		held(processes, HELD_WHOLE, "cgroup pids.max");
	} else {
		(void)snprintf(detail, sizeof(detail),
			       "the monitor adds up resident memory; no cgroup: %s", why);
		held(memory, HELD_WATCHED, detail);
		/* Each session has a user namespace of its own, and the kernel counts in it. */
		held(processes, HELD_WHOLE, "RLIMIT_NPROC, counted in the box's user namespace");
	}
}

static void add_limit(struct status *s, size_t i, const char *name, uint64_t value,
		      void (*text)(uint64_t, char[32]))
{
	struct status_limit *l = &s->limits[i];

	l->name = name;
	l->value = value;
	if (value == 0)
		(void)snprintf(l->text, sizeof(l->text), "none");
	else if (text)
		text(value, l->text);
	else
		(void)snprintf(l->text, sizeof(l->text), "%llu", (unsigned long long)value);
}

static void find_limits(struct status *s)
{
	const struct policy *p = &s->box.policy;

	add_limit(s, 0, "memory", p->memory, num_size_text);
	add_limit(s, 1, "processes", p->processes, NULL);
	add_limit(s, 2, "wall", p->wall_ms, num_duration_text);
	add_limit(s, 3, "cpu", p->cpu_ms, num_duration_text);
	add_limit(s, 4, "file-size", p->file_size, num_size_text);
	add_limit(s, 5, "disk", 0, NULL);
	hold_by_cgroup(s, &s->limits[0], &s->limits[1]);
	held(&s->limits[2], HELD_WATCHED, "a timer of the monitor ends the command");
	by_rlimit(s, &s->limits[3], RLIMIT_CPU, "RLIMIT_CPU");
	by_rlimit(s, &s->limits[4], RLIMIT_FSIZE, "RLIMIT_FSIZE");
	held(&s->limits[5], HELD_NOT, "nothing bounds what a box writes to the disk");
}

/* "BYTES\tPATH" a line, from du. */
static void parse_sizes(struct status *s, const char *text)
{
	for (const char *p = text; *p;) {
		size_t line = strcspn(p, "\n"), digits = strcspn(p, "\t");
		struct error ignored = ERROR_INIT;
		BUF_AUTO number = BUF_INIT;
		BUF_AUTO path = BUF_INIT;

		if (digits < line) {
			buf_add(&number, p, digits);
			buf_add(&path, p + digits + 1, line - digits - 1);
		}
		for (size_t i = 0; i < STATUS_SIZES; i++) {
			size_t at =
				path.len -
				(path.len < strlen(size_dirs[i]) ? path.len : strlen(size_dirs[i]));

			if (path.len > 0 && strcmp(path.data + at, size_dirs[i]) == 0)
				s->sizes[i].known = num_u64(number.data, 0, UINT64_MAX,
							    &s->sizes[i].bytes, &ignored) == 0;
		}
		p += line + (p[line] == '\n');
	}
}

/* Directories of a box are walked by the mason, never by us; where that fails the sizes are
 * unknown. */
static void find_sizes(struct status *s)
{
	struct error ignored = ERROR_INIT;
	struct lower_box lower;
	BUF_AUTO out = BUF_INIT;
	STRV_AUTO argv = STRV_INIT;

	strv_add(&argv, "/usr/bin/du");
	strv_add(&argv, "-sxB1");
	for (size_t i = 0; i < STATUS_SIZES; i++) {
		s->sizes[i].dir = size_dirs[i];
		s->sizes[i].there = file_exists(s->box.fd, size_dirs[i]);
		if (s->sizes[i].there)
			strv_addf(&argv, "%s/%s", s->box.path.data, size_dirs[i]);
	}
	box_lowering(&s->box, &lower);
	if (mason_run(&lower, strv_argv(&argv), &out, &ignored) == 0)
		parse_sizes(s, out.data);
}

static int fill(const struct repo *repo, const char *name, struct status *s, struct error *err)
{
	const struct tier_backend *tier;
	const struct box *box = &s->box;

	if (box_open(repo, name, &s->box, err) < 0 || tier_backend(s->box.m.tier, &tier, err) < 0)
		return -1;
	s->confined = tier->confines;
	if (session_list(s->box.fd, &s->live, err) < 0 || (s->confined && make_plan(s, err) < 0))
		return -1;
	if (s->confined)
		sort_mounts(s);
	name_variables(s);
	find_limits(s);
	find_sizes(s);
	drift_find(repo, &box, 1, &s->drift);
	return 0;
}

int status_read(const struct repo *repo, const char *name, struct status *out, struct error *err)
{
	struct status s;

	status_init(&s);
	if (fill(repo, name, &s, err) < 0) {
		status_release(&s);
		return -1;
	}
	*out = s;
	return 0;
}

const char *status_how(const struct status_limit *l)
{
	if (l->value == 0 && strcmp(l->name, "disk") != 0)
		return "none";
	switch (l->how) {
	case HELD_WHOLE:
		return "enforced";
	case HELD_RLIMIT:
		return "per process";
	case HELD_WATCHED:
		return "watched";
	default:
		return "not held";
	}
}

void status_rlimit_text(const struct plan_rlimit *r, struct buf *out)
{
	static const struct {
		uint32_t resource;
		const char *name;
	} names[] = {
		{ RLIMIT_CORE, "CORE" }, { RLIMIT_NOFILE, "NOFILE" }, { RLIMIT_NPROC, "NPROC" },
		{ RLIMIT_FSIZE, "FSIZE" }, { RLIMIT_CPU, "CPU" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].resource == r->resource) {
			buf_str(out, names[i].name);
			return;
		}
	}
	buf_fmt(out, "%u", r->resource);
}
