/* box/scribe: what the scribe, which has read everything a box wrote, says to the host. */
#include "base/base.h"

#include "base/buf.h"
#include "box/scribe.h"
#include "t/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	SCRIBE_REPORT_AUTO report = SCRIBE_REPORT_INIT;
	BUF_AUTO text = BUF_INIT;
	bool packed = false;

	buf_add(&text, data, size);
	if (scribe_parse(&text, 40, &report, &packed, &err)) {
		MUST(err.kind == ERR_PEER && err.msg[0]);
		return 0;
	}
	MUST(report.tree.len == 40 && strspn(report.tree.data, "0123456789abcdef") == 40);
	MUST(report.pack_fd < 0);
	return 0;
}
