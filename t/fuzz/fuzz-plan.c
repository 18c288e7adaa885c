/* sandbox/plan: of an accepted plan every element and string can be read. */
#include "base/base.h"

#include "base/alloc.h"
#include "sandbox/plan.h"
#include "t/fuzz/target.h"

static size_t read_mounts(const struct plan *p)
{
	const struct plan_mount *m = plan_mounts(p);
	size_t sum = 0;

	for (uint32_t i = 0; i < p->mounts.len; i++) {
		BUF_AUTO text = BUF_INIT;

		MUST(m[i].op < PLAN_OP_MAX);
		sum += strlen(plan_str(p, m[i].src)) + strlen(plan_str(p, m[i].dst));
		for (uint32_t k = 0; m[i].data && k < m[i].data_len; k++)
			sum += ((const unsigned char *)p)[m[i].data + k];
		plan_mount_text(p, &m[i], &text);
		sum += text.len;
	}
	return sum;
}

static size_t read_rest(const struct plan *p)
{
	size_t sum = strlen(plan_str(p, p->hostname)) + strlen(plan_str(p, p->box_root)) +
		     strlen(plan_str(p, p->cwd));

	for (uint32_t i = 0; i < p->rlimits.len; i++)
		sum += plan_rlimits(p)[i].resource;
	for (uint32_t i = 0; i < p->rules.len; i++)
		sum += strlen(plan_str(p, plan_rules(p)[i].path));
	for (uint32_t i = 0; i < p->filter.len; i++)
		sum += plan_prog(p)[i].code;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;

	if (plan_check(data, size, &err) < 0) {
		MUST(err.kind == ERR_CORRUPT && err.msg[0]);
		return 0;
	}
	/* The sum goes where the optimiser cannot see that nobody wants it. */
	__asm__ volatile("" ::"r"(read_mounts((const void *)data) + read_rest((const void *)data)));
	return 0;
}
