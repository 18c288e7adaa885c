#include "base/base.h"

#include <criterion/criterion.h>

#include "store/gitmodules.h"

Test(gitmodules, names_for_directories)
{
	static const char *const good[] = { "a",   "libs/lib", "-x",  "a.b",
					    "...", ".git",     "a b", "x.path" };
	static const char *const bad[] = {
		"",	"/a",	"a/",	  "a//b", ".",	  "..",	 "../a",
		"a/..", "a/./", "a/../b", "a\\b", "a\nb", "a\r", "\x7f"
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		cr_expect(gitmodule_name_ok(good[i]), "%s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(gitmodule_name_ok(bad[i]), "%s", bad[i]);
}

Test(gitmodules, paths)
{
	cr_expect(gitmodule_path_ok("a/b c"));
	cr_expect_not(gitmodule_path_ok(""));
	cr_expect_not(gitmodule_path_ok("-a"));
	cr_expect_not(gitmodule_path_ok("a\r"));
}

Test(gitmodules, entries_in_order_and_the_first_counts)
{
	static const char text[] = "submodule.a.path\nlibs/a\0"
				   "submodule.a.url\nhttps://example.com/a\0"
				   "submodule.x.path.y.path\nlibs/x\0"
				   "submodule.a.path\nlibs/second\0"
				   "submodule.again.path\nlibs/x\0"
				   "submodule.path\nlibs/none\0"
				   "submodule.alone.path\0"
				   "core.path\nlibs/core\0"
				   "submodule.../up.path\nlibs/up\0"
				   "submodule.o.path\n-o\0";
	GITMODULES_AUTO m = GITMODULES_INIT;

	gitmodules_parse(text, sizeof(text) - 1, &m);
	cr_assert_eq(m.len, 4);
	cr_expect_str_eq(m.v[0].name.data, "a");
	cr_expect_str_eq(m.v[0].path.data, "libs/a");
	cr_expect_null(m.v[0].bad);
	cr_expect_str_eq(m.v[1].name.data, "x.path.y");
	cr_expect_str_eq(m.v[2].name.data, "../up");
	cr_expect_not_null(m.v[2].bad);
	cr_expect_not_null(m.v[3].bad);
}

Test(gitmodules, a_bound)
{
	BUF_AUTO text = BUF_INIT;
	GITMODULES_AUTO m = GITMODULES_INIT;

	for (int i = 0; i < GITMODULES_MAX + 9; i++) {
		buf_fmt(&text, "submodule.n%d.path\np%d", i, i);
		buf_char(&text, '\0');
	}
	gitmodules_parse(text.data, text.len, &m);
	cr_expect_eq(m.len, GITMODULES_MAX);
}
