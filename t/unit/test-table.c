#include "base/base.h"

#include <criterion/criterion.h>

#include "base/utf8.h"
#include "cli/table.h"

static const char *const head[] = { "NAME", "STATE", "NOTE" };

static struct table new_table(void)
{
	return (struct table){ .head = head, .columns = 3 };
}

Test(table, aligns_by_display_column)
{
	struct table t = new_table();
	BUF_AUTO out = BUF_INIT;

	table_row(&t, (const char *const[]){ "a", "idle", "x" });
	table_row(&t, (const char *const[]){ "gr\xC3\xBC\xC3\x9F"
					     "e",
					     "live", "" });
	table_row(&t, (const char *const[]){ "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", "e\xCC\x81",
					     "y" });
	table_text(&t, false, &out);
	cr_assert_str_eq(out.data, "NAME    STATE  NOTE\n"
				   "a       idle   x\n"
				   "gr\xC3\xBC\xC3\x9F"
				   "e   live   \n"
				   "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E  e\xCC\x81      y\n");
	table_release(&t);
	cr_assert_eq(t.cells.len, 0);
}

Test(table, cells_are_sanitised)
{
	struct table t = new_table();
	BUF_AUTO out = BUF_INIT;

	table_row(&t, (const char *const[]){ "a\033]0;x\a", "b\nc",
					     "\xE2\x80\xAE"
					     "d" });
	table_text(&t, false, &out);
	cr_assert_str_eq(out.data, "NAME   STATE  NOTE\na]0;x  b c    d\n");
	table_release(&t);
}

Test(table, empty_and_colour)
{
	struct table t = new_table();
	BUF_AUTO out = BUF_INIT;

	table_text(&t, true, &out);
	cr_assert_str_eq(out.data, "\033[2mNAME  STATE  NOTE\033[m\n");
}

Test(utf8, width)
{
	cr_assert_eq(utf8_width('a'), 1);
	cr_assert_eq(utf8_width(0xE9), 1);
	cr_assert_eq(utf8_width(0x0301), 0);
	cr_assert_eq(utf8_width(0x65E5), 2);
	cr_assert_eq(utf8_width(0x1F600), 2);
	cr_assert_eq(utf8_columns("\xFF\xFE", 2), 2);
}
