/* store/changes: what diff-tree prints about foreign trees. A list that is accepted is sorted and
 * whole. */
#include "base/base.h"

#include "base/buf.h"
#include "store/changes.h"
#include "t/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	CHANGE_LIST_AUTO list = CHANGE_LIST_INIT;
	BUF_AUTO text = BUF_INIT;

	buf_add(&text, data, size);
	if (changes_parse(&text, &list, &err)) {
		MUST(err.kind == ERR_CORRUPT && err.msg[0]);
		return 0;
	}
	for (size_t i = 0; i < list.len; i++) {
		const struct change *c = &list.v[i];
		size_t hex = strlen(c->new_oid);

		MUST(c->path[0] && strchr("ADMTU", c->status));
		MUST((hex == 40 || hex == 64) && strlen(c->old_oid) == hex);
		MUST(!i || strcmp(list.v[i - 1].path, c->path) <= 0);
		MUST(changes_find(&list, c->path));
	}
	return 0;
}
