#include "base/base.h"

#include "box/tier.h"

static const struct tier_backend *const backends[] = { &tier_workspace, &tier_process };

int tier_backend(enum tier tier, const struct tier_backend **out, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		if (backends[i]->tier != tier)
			continue;
		*out = backends[i];
		return 0;
	}
	error_set(err, ERR_UNSUPPORTED, "the tier '%s' is not available here", tier_names[tier]);
	return error_hint(err, "make the box again with --isolation process");
}
