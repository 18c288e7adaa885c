/* store/gate: package.json, split in two by the first NUL; "surely the same" is reflexive and
 * symmetric. */
#include "base/base.h"

#include "store/gate-parts.h"
#include "t/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *cut = size ? memchr(text, '\0', size) : NULL;
	struct gate_text a = { text, cut ? (size_t)(cut - text) : size };
	struct gate_text b = { cut ? cut + 1 : text, cut ? size - a.len - 1 : size };

	MUST(gate_package_same(a, b) == gate_package_same(b, a));
	(void)gate_package_same(a, a);
	return 0;
}
