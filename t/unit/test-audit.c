/* sandbox/audit: a mount that lacks what the plan says is found. The positive case is every run of
 * a box. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "sandbox/inside.h"

struct row {
	const char *what;
	enum plan_op op;
	unsigned flags;
	const char *dst;
	int sys;
};

/* Places of the host that are there and are not what these steps ask for. */
static const struct row rows[] = {
	{ "not a mount of its own", PLAN_BIND, PLAN_RO, "/usr/bin", EILSEQ },
	{ "not read-only", PLAN_SELF, PLAN_RO | PLAN_DEV, "/proc", EILSEQ },
	{ "not noexec and not read-only", PLAN_MASK, PLAN_NOEXEC, "/", EILSEQ },
	{ "missing", PLAN_TMPFS, 0, "/no/such/place", ENOENT },
};

static void build(const struct row *row, struct buf *out)
{
	struct plan_builder b;
	const struct plan_step step = { .op = row->op, .flags = row->flags, .dst = row->dst };

	plan_begin(&b);
	b.head.uid = 1000;
	plan_mount(&b, &step);
	plan_finish(&b, out);
	plan_release(&b);
}

Test(audit, finds_what_is_weaker_than_the_plan)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		BUF_AUTO plan = BUF_INIT;
		struct mounted done = { .made = { 1 } };
		struct fault f = { 0 };

		build(&rows[i], &plan);
		const struct plan *p = (const struct plan *)(const void *)plan.data;
		cr_expect_eq(inside_audit(p, &done, &f), -1, "%s", rows[i].what);
		cr_expect_eq(f.step, STEP_AUDIT, "%s", rows[i].what);
		cr_expect_eq(f.index, 0, "%s", rows[i].what);
		cr_expect_eq(f.sys, rows[i].sys, "%s: errno %d", rows[i].what, f.sys);
	}
}

Test(audit, leaves_out_what_was_skipped)
{
	BUF_AUTO plan = BUF_INIT;
	struct mounted done = { .made = { 0 } };
	struct fault f = { 0 };

	build(&rows[3], &plan);
	const struct plan *p = (const struct plan *)(const void *)plan.data;
	cr_expect_eq(inside_audit(p, &done, &f), 0);
	/* The root of the host is not nosuid and nodev. */
	cr_expect_eq(inside_audit_root(p, &f), -1);
	cr_expect_eq(f.index, UINT16_MAX);
}
