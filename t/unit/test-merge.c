#include "base/base.h"

#include <criterion/criterion.h>

#include "mason/private.h"
#include "store/changes.h"
#include "store/merge.h"

#define OID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ZEROS "0000000000000000000000000000000000000000"

/* A buffer of a literal, with its NULs. */
#define TEXT(b, literal) buf_add(&(b), literal, sizeof(literal) - 1)

Test(merge, clean)
{
	MERGE_RESULT_AUTO r = MERGE_RESULT_INIT;
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	TEXT(text, OID_A "\0\0"
			 "1\0f\0Auto-merging\0Auto-merging f\n\0");
	cr_assert_eq(merge_parse(&text, &r, &err), 0, "%s", err.msg);
	cr_expect_str_eq(r.tree.data, OID_A);
	cr_expect_eq(r.len, 0);
}

Test(merge, each_path_once_with_its_kind)
{
	MERGE_RESULT_AUTO r = MERGE_RESULT_INIT;
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	TEXT(text, OID_A "\0"
			 "100644 " OID_A " 1\tz\n\0"
			 "100644 " OID_B " 2\tz\n\0"
			 "100644 " OID_A " 3\tz\n\0"
			 "100644 " OID_A " 2\ta\0"
			 "\0"
			 "1\0z\n\0Auto-merging\0Auto-merging z\n\0"
			 "1\0z\n\0CONFLICT (contents)\0CONFLICT (content): Merge conflict in z\n\0"
			 "2\0m\0n\0CONFLICT (rename/delete)\0text\n\0");
	cr_assert_eq(merge_parse(&text, &r, &err), 0, "%s", err.msg);
	cr_assert_eq(r.len, 4);
	cr_expect_str_eq(r.v[0].path.data, "a");
	cr_expect_str_eq(r.v[0].kind.data, "conflict");
	cr_expect_str_eq(r.v[1].path.data, "m");
	cr_expect_str_eq(r.v[1].kind.data, "rename/delete");
	cr_expect_str_eq(r.v[2].path.data, "n");
	cr_expect_str_eq(r.v[3].path.data, "z\n");
	cr_expect_str_eq(r.v[3].kind.data, "contents");
}

Test(merge, other_text_is_refused)
{
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {
#define BAD(literal) { literal, sizeof(literal) - 1 }
		BAD(""),
		BAD(OID_A),
		BAD(OID_A "\0"),
		BAD("aaaa\0\0"),
		BAD(OID_A "\0no tab\0\0"),
		BAD(OID_A "\0\0x\0"),
		BAD(OID_A "\0\0"
			  "2\0a\0"),
		BAD(OID_A "\0\0"
			  "1\0a\0type\0"),
		BAD(OID_A "\0\0"
			  "1\0a\0type\0no end"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		MERGE_RESULT_AUTO r = MERGE_RESULT_INIT;
		struct error err = ERROR_INIT;
		BUF_AUTO text = BUF_INIT;

		buf_add(&text, bad[i].text, bad[i].len);
		cr_expect_eq(merge_parse(&text, &r, &err), -1, "%zu", i);
		cr_expect_eq(err.kind, ERR_CORRUPT);
		cr_expect_eq(r.len, 0);
	}
}

Test(merge, changes_are_sorted_and_found)
{
	CHANGE_LIST_AUTO l = CHANGE_LIST_INIT;
	struct error err = ERROR_INIT;
	const struct change *c;
	BUF_AUTO text = BUF_INIT;

	TEXT(text, ":100644 100755 " OID_A " " OID_B " M\0d/x\0"
		   ":000000 120000 " ZEROS " " OID_A " A\0d\n\0"
		   ":100644 000000 " OID_A " " ZEROS " D\0a\0");
	cr_assert_eq(changes_parse(&text, &l, &err), 0, "%s", err.msg);
	cr_assert_eq(l.len, 3);
	cr_expect_str_eq(l.v[0].path, "a");
	cr_expect_eq(l.v[0].new_mode, 0);
	cr_expect_str_eq(l.v[1].path, "d\n");
	c = changes_find(&l, "d/x");
	cr_assert(c);
	cr_expect_eq(c->old_mode, 0100644);
	cr_expect_eq(c->new_mode, 0100755);
	cr_expect_eq(c->status, 'M');
	cr_expect_str_eq(c->old_oid, OID_A);
	cr_expect_str_eq(c->new_oid, OID_B);
	cr_expect_null(changes_find(&l, "d"));
}

Test(merge, other_changes_are_refused)
{
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {
		BAD("x"),
		BAD(":100644 100755 " OID_A " " OID_B " M\0"),
		BAD(":100644 100755 " OID_A " " OID_B " M\0\0"),
		BAD(":100644 100755 " OID_A " " OID_B " R100\0a\0"),
		BAD(":100644 100755 " OID_A " " OID_B " X\0a\0"),
		BAD(":100644 100755 " OID_A " abc M\0a\0"),
		BAD(":100644 10075 " OID_A " " OID_B " M\0a\0"),
		BAD("100644 100755 " OID_A " " OID_B " M\0a\0"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		CHANGE_LIST_AUTO l = CHANGE_LIST_INIT;
		struct error err = ERROR_INIT;
		BUF_AUTO text = BUF_INIT;

		buf_add(&text, bad[i].text, bad[i].len);
		cr_expect_eq(changes_parse(&text, &l, &err), -1, "%zu", i);
		cr_expect_eq(err.kind, ERR_CORRUPT);
	}
}

static void expect_refs(const char *ours, const char *theirs, const char *want)
{
	BUF_AUTO a = BUF_INIT;
	BUF_AUTO b = BUF_INIT;
	BUF_AUTO out = BUF_INIT;

	buf_str(&a, ours);
	buf_str(&b, theirs);
	private_merge_refs(&a, &b, &out);
	cr_expect_str_eq(out.data, want);
}

Test(merge, refs_of_the_host_count)
{
	expect_refs("", "", "# pack-refs with: sorted \n");
	expect_refs("# pack-refs with: sorted \n" OID_A " refs/heads/b\n" OID_A " refs/heads/d\n",
		    "# pack-refs with: peeled fully-peeled sorted \n" OID_B " refs/heads/a\n" OID_B
		    " refs/heads/b\n" OID_B " refs/tags/t\n^" OID_A "\n",
		    "# pack-refs with: sorted \n" OID_B " refs/heads/a\n" OID_A
		    " refs/heads/b\n" OID_A " refs/heads/d\n" OID_B " refs/tags/t\n");
	expect_refs(OID_A " refs/heads/b", "garbage\n\n^\n" OID_B " refs/heads/c",
		    "# pack-refs with: sorted \n" OID_A " refs/heads/b\n" OID_B " refs/heads/c\n");
}
