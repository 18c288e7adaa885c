/* wire/frame: heads against a table, then the bytes as a stream on a real socket. */
#include "base/base.h"

#include <sys/socket.h>

#include "base/rd.h"
#include "sys/fd.h"
#include "t/fuzz/target.h"
#include "wire/frame.h"

static const struct frame_op ops[] = {
	{ .type = 1, .len_max = 16, .phases = 1, .name = "small" },
	{ .type = 2, .len_min = 4, .len_max = FRAME_MAX, .phases = 3, .name = "large" },
	{ .type = 3, .fds = 1, .len_max = 8, .phases = 2, .name = "with a descriptor" },
	{ .type = 0x0101, .len_min = 8, .len_max = 8, .phases = 1, .name = "exact" },
};

static void check_head(const uint8_t *data, uint32_t phase)
{
	const struct frame_rules rules = { ops, ARRAY_SIZE(ops), phase };
	const struct frame_op *op = frame_check(data, &rules);
	struct rd r = rd_init(data, FRAME_HEAD);
	uint32_t len = rd_u32(&r);

	if (!op)
		return;
	MUST(op->type == rd_u16(&r));
	MUST(rd_u16(&r) == 0);
	MUST(len >= op->len_min && len <= op->len_max && len <= FRAME_MAX);
	MUST(op->phases & phase);
}

static void check_stream(const uint8_t *data, size_t size)
{
	const struct frame_rules rules = { ops, ARRAY_SIZE(ops), 1 };
	struct error err = ERROR_INIT;
	struct frame f;
	size_t used = 0;
	int rc, pair[2];

	/* All of it fits into the socket's buffer, so one process can be both ends. */
	if (size > 65536 || fd_socketpair(SOCK_STREAM, pair, &err) < 0)
		return;
	MUST(fd_write_full(pair[0], data, size, &err) == 0);
	fd_close(&pair[0]);
	while ((rc = frame_recv(pair[1], &rules, &f, &err)) > 0) {
		MUST(f.fds_len == 0);
		MUST(memcmp(f.data, data + used + FRAME_HEAD, f.len) == 0);
		used += FRAME_HEAD + f.len;
	}
	MUST(used <= size);
	MUST(rc < 0 ? err.kind == ERR_PEER : used == size);
	fd_close(&pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= FRAME_HEAD) {
		check_head(data, 1);
		check_head(data, 2);
	}
	check_stream(data, size);
	return 0;
}
