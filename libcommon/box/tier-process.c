#include "base/base.h"

#include "box/tier.h"

static int make_plan(const struct box *box, struct buf *out, struct error *err)
{
	struct lower_box lowering;
	struct plan_builder plan;

	box_lowering(box, &lowering);
	plan_begin(&plan);
	int r = lower_box(&box->policy, &lowering, &plan, err);
	if (!r)
		plan_finish(&plan, out);
	plan_release(&plan);
	return r;
}

static int run(const struct box *box, struct session_request *req, struct session_result *out,
	       struct error *err)
{
	BUF_AUTO plan = BUF_INIT;

	if (make_plan(box, &plan, err))
		return -1;
	/* a copy: the caller's request must not keep the address of a plan that ends here */
	struct session_request own = *req;
	own.plan = &plan;
	return session_run(&own, out, err);
}

const struct tier_backend tier_process = {
	.tier = TIER_PROCESS,
	.confines = true,
	.run = run,
};
