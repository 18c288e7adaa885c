/* box/manifest: what is accepted is written back as text that means the same. */
#include "base/base.h"

#include "box/manifest.h"
#include "t/fuzz/target.h"

static void write_back(const struct manifest *m)
{
	struct error err = ERROR_INIT;
	struct manifest again;
	BUF_AUTO first = BUF_INIT;
	BUF_AUTO second = BUF_INIT;

	manifest_text(m, &first);
	manifest_init(&again);
	MUST(manifest_parse(first.data, first.len, &again, &err) == 0);
	manifest_text(&again, &second);
	MUST(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	manifest_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	struct manifest m;

	manifest_init(&m);
	if (manifest_parse((const char *)data, size, &m, &err) == 0)
		write_back(&m);
	else
		MUST(err.kind == ERR_CORRUPT && err.msg[0]);
	manifest_release(&m);
	return 0;
}
