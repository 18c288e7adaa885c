/* keep: which files of removed/ belong to whom, also after a crash in the middle. */
#include "base/base.h"

#include "box/keep.h"
#include "t/unit/place.h"

static void put(const struct place *p, const char *file)
{
	struct error err = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "removed/%s", file);
	cr_assert_eq(file_create(p->root.fd, path.data, place_text("x"), &err), 0, "%s", err.msg);
}

static bool there(const struct place *p, const char *file)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "removed/%s", file);
	return file_exists(p->root.fd, path.data);
}

Test(keep, drop_takes_all_of_an_id_and_nothing_else)
{
	static const struct {
		const char *file;
		bool goes;
	} rows[] = {
		{ ID_A ".bundle", true },
		{ ID_A ".bundle.tmp", true },
		{ ID_A ".json", true },
		{ ID_A ".json.0123456789abcdef.tmp", true },
		{ ID_A ".json.", false },
		{ ID_A ".json.orig", false },
		{ ID_A ".txt", false },
		{ ID_A ".tmp", false },
		{ ID_A "0.bundle", false },
		{ ID_A, false },
		{ ID_B ".bundle", false },
		{ ID_B ".json.1.tmp", false },
		{ "short", false },
	};
	struct error err = ERROR_INIT;
	struct place p = place_make();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put(&p, rows[i].file);
	cr_assert_eq(keep_drop(&p.root, ID_A, &err), 0, "%s", err.msg);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(there(&p, rows[i].file), !rows[i].goes, "%s", rows[i].file);
	place_end(&p);
}

Test(keep, what_a_crash_left_alone_is_seen_and_has_an_age)
{
	static const char *const files[] = { ID_A ".bundle.tmp", ID_A ".json.1.tmp" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		STRV_AUTO ids = STRV_INIT;
		struct error err = ERROR_INIT;
		struct place p = place_make();

		put(&p, files[i]);
		put(&p, ID_B ".txt");
		cr_assert_eq(keep_ids(&p.root, &ids, &err), 0, "%s", err.msg);
		cr_assert_eq(ids.len, 1, "%s", files[i]);
		cr_assert_str_eq(ids.v[0], ID_A);
		cr_expect_neq(keep_time(&p.root, ID_A), INT64_MAX, "%s", files[i]);
		cr_expect_eq(keep_time(&p.root, ID_B), INT64_MAX);
		cr_expect_not(keep_exists(&p.root, ID_A), "only a whole bundle is one");
		place_end(&p);
	}
}
