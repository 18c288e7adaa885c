#include "base/base.h"

#include <criterion/criterion.h>

#include "box/markdown.h"
#include "box/transfer.h"

/* "" where the path is refused. */
static void path(const char *prefix, const char *typed, const char *want)
{
	REPO_AUTO repo = REPO_INIT;
	struct error err = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;
	int rc;

	buf_str(&repo.top, "/srv/repo");
	buf_str(&repo.prefix, prefix);
	rc = transfer_path(&repo, typed, &out, &err);
	cr_expect_eq(rc, want ? 0 : -1, "'%s' in '%s': %s", typed, prefix, out.data);
	if (rc == 0 && want)
		cr_expect_str_eq(out.data, want, "'%s' in '%s'", typed, prefix);
	else
		cr_expect_eq(out.len, 0);
}

Test(transfer, paths_mean_what_they_mean_outside)
{
	path("", "a", "a");
	path("", "./a//b/./c/", "a/b/c");
	path("", "a/../b", "b");
	path("", ".", "");
	path("sub/dir", "f", "sub/dir/f");
	path("sub/dir", "../f", "sub/f");
	path("sub/dir", "../..", "");
	path("sub", "/srv/repo/x/y", "x/y");
	path("sub", "/srv/repo", "");
}

Test(transfer, paths_outside_are_refused)
{
	path("", "..", NULL);
	path("", "a/../../b", NULL);
	path("sub", "../../x", NULL);
	path("", "/etc/passwd", NULL);
	path("", "/srv/repo-evil/x", NULL);
	path("", "/srv/repo/../x", NULL);
	path("", "/", NULL);
	path("", "", NULL);
	path("", "a/.GIT/x", NULL);
	path("", "a/\033x", NULL);
}

static void code(const char *s, const char *want)
{
	BUF_AUTO out = BUF_INIT;

	markdown_code(s, &out);
	cr_expect_str_eq(out.data, want);
}

Test(markdown, a_code_span_ends_where_we_end_it)
{
	code("a", "` a `");
	code("a`b", "`` a`b ``");
	code("``", "``` `` ```");
	code("a|b", "` a\\|b `");
	code("x\n\033[31m\xe2\x80\xaey", "` x [31my `");
}

Test(markdown, text_is_only_text)
{
	BUF_AUTO out = BUF_INIT;

	markdown_text("<b>[x](http://y)|*z*", &out);
	cr_expect_str_eq(out.data, "\\<b\\>\\[x\\]\\(http\\://y\\)\\|\\*z\\*");
}
