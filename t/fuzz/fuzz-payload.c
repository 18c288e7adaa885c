/* sandbox/payload: whatever is accepted holds all the strings that its head promises. */
#include "base/base.h"

#include "base/rd.h"
#include "sandbox/payload.h"
#include "t/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct payload head;
	struct rd r = rd_init(data, size);
	uint64_t strings;

	if (!payload_check(data, size))
		return 0;
	memcpy(&head, rd_bytes(&r, sizeof(head)), sizeof(head));
	strings = (uint64_t)head.argc + head.envc + head.paths + head.cwd;
	MUST(head.argc > 0 && head.paths > 0);
	for (uint64_t i = 0; i < strings; i++)
		MUST(rd_cstring(&r, PAYLOAD_SIZE_MAX));
	MUST(rd_done(&r));
	return 0;
}
