#include "base/base.h"

#include "sandbox/filter.h"

/* const struct sock_filter filter_payload[] and so on */
#include "filters.inc"

const struct sock_filter *filter_program(enum filter which, size_t *len_out)
{
	static const struct {
		const struct sock_filter *prog;
		size_t len;
	} table[FILTER_MAX] = {
		[FILTER_PAYLOAD] = { filter_payload, ARRAY_SIZE(filter_payload) },
		[FILTER_MASON] = { filter_mason, ARRAY_SIZE(filter_mason) },
		[FILTER_MONITOR] = { filter_monitor, ARRAY_SIZE(filter_monitor) },
	};

	if (which >= FILTER_MAX)
		BUG("no filter %d", (int)which);
	*len_out = table[which].len;
	return table[which].prog;
}
