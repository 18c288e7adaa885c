/* box/layout: an accepted name is one harmless path component and ref component. */
#include "base/base.h"

#include "base/buf.h"
#include "box/layout.h"
#include "t/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz0123456789._-"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct error err = ERROR_INIT;
	BUF_AUTO name = BUF_INIT;
	size_t len;

	buf_add(&name, data, size);
	len = strlen(name.data); /* the name ends at the first NUL */
	if (box_name_check(name.data, &err) < 0) {
		MUST(err.kind == ERR_USAGE && err.msg[0]);
		return 0;
	}
	MUST(len > 0 && len <= BOX_NAME_MAX);
	MUST(strspn(name.data, good) == len);
	MUST(name.data[0] != '.' && name.data[0] != '-' && name.data[len - 1] != '.');
	MUST(!strstr(name.data, ".."));
	MUST(len < 5 || strcmp(name.data + len - 5, ".lock") != 0);
	return 0;
}
