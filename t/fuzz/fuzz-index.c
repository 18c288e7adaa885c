/* mason/index: git's index file, which in a box's own git directory anybody inside may have
 * written. */
#include "base/base.h"

#include "mason/index.h"
#include "t/fuzz/target.h"

static void look(void *arg, const struct index_entry *e)
{
	size_t *n = arg;

	*n += strlen(e->path) + e->oid[0] + e->oid[19];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	size_t n = 0;

	if (index_each(&(struct index_bytes){ data, size, 20 }, look, &n, &err))
		MUST(err.kind == ERR_CORRUPT && err.msg[0]);
	return 0;
}
