/* box/ids: reading id maps. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "box/ids.h"

Test(ids, highest)
{
	static const struct {
		const char *map;
		uint32_t id, highest;
		bool has;
	} rows[] = {
		{ "         0          0 4294967295\n", IDS_ROOT_UID, 4294967294u, true },
		{ "         0       1000          1\n", IDS_ROOT_UID, 0, false },
		{ "0 1000 1\n1 100000 65536\n", IDS_ROOT_UID, 65536, false },
		{ "0 1000 1\n1 100000 65536\n", 65536, 65536, true },
		{ "0 1000 1\n1 100000 65536\n", 65537, 65536, false },
		{ "5 5 10\n0 0 2\n", 3, 14, false },
		{ "0 0 0\n", 0, 0, false },
		{ "", 0, 0, false },
		{ "nonsense", 0, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool has;
		cr_expect_eq(ids_highest(rows[i].map, rows[i].id, &has), rows[i].highest, "row %zu",
			     i);
		cr_expect_eq(has, rows[i].has, "row %zu", i);
	}
}

/* Never root, whoever asks. */
Test(ids, choice)
{
	struct error err = ERROR_INIT;
	struct ids ids;

	if (ids_choose(NULL, &ids, &err))
		cr_expect_eq(err.kind, ERR_UNSUPPORTED);
	else
		cr_expect_neq(ids.uid, 0);
	if (geteuid() == 0) {
		cr_expect_eq(ids_choose("0", &ids, &err), -1);
		cr_expect_eq(ids_choose("x", &ids, &err), -1);
	}
}
