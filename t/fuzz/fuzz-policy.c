/* policy/policy: what is accepted is written back as text that means the same. */
#include "base/base.h"

#include "policy/policy.h"
#include "t/fuzz/target.h"

static void write_back(const struct policy *p)
{
	struct error err = ERROR_INIT;
	struct policy again;
	BUF_AUTO first = BUF_INIT;
	BUF_AUTO second = BUF_INIT;

	policy_json(p, &first);
	policy_init(&again);
	MUST(policy_from_json(first.data, first.len, &again, &err) == 0);
	policy_json(&again, &second);
	MUST(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	policy_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	struct policy p;

	policy_init(&p);
	if (policy_from_json((const char *)data, size, &p, &err) == 0)
		write_back(&p);
	else
		MUST(err.kind == ERR_CORRUPT && err.msg[0]);
	policy_release(&p);
	return 0;
}
