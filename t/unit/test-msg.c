#include "base/base.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include "base/exit.h"
#include "cli/msg.h"

struct clean_case {
	const char *in;
	size_t len; /* 0: strlen */
	const char *want;
};

Test(msg, clean)
{
	static const struct clean_case cases[] = {
		{ "plain", 0, "plain" },
		{ "", 0, "" },
		{ "a\tb\nc\rd", 0, "a b c d" },
		{ "\033[31mred\033[m", 0, "[31mred[m" },
		{ "bell\a del\x7f", 0, "bell del" },
		{ "nul\0in", 6, "nulin" },
		{ "csi\xC2\x9B"
		  "31m",
		  0, "csi31m" },
		{ "a\xE2\x80\xAE"
		  "b",
		  0, "ab" }, /* U+202E */
		{ "a\xE2\x81\xA6"
		  "b\xE2\x81\xA9",
		  0, "ab" }, /* U+2066 U+2069 */
		{ "a\xD8\x9C"
		  "b\xE2\x80\x8E\xE2\x80\x8F",
		  0, "ab" }, /* U+061C U+200E/F */
		{ "gr\xC3\xBC\xC3\x9F", 0, "gr\xC3\xBC\xC3\x9F" },
		{ "\xF0\x9F\x98\x80", 0, "\xF0\x9F\x98\x80" },
		{ "x\xFFy", 0, "x\xEF\xBF\xBDy" },
		{ "\xC0\xAF", 0, "\xEF\xBF\xBD\xEF\xBF\xBD" },                 /* overlong "/" */
		{ "\xED\xA0\x80", 0, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" }, /* surrogate */
		{ "\xF4\x90\x80\x80", 0,
		  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" }, /* > U+10FFFF */
		{ "cut\xE2\x82", 0, "cut\xEF\xBF\xBD\xEF\xBF\xBD" },
		{ "\xE2\x82\xAC", 2, "\xEF\xBF\xBD\xEF\xBF\xBD" }, /* the end is the length */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		BUF_AUTO out = BUF_INIT;
		size_t len = cases[i].len ? cases[i].len : strlen(cases[i].in);

		msg_clean(cases[i].in, len, &out);
		cr_expect_str_eq(out.data, cases[i].want, "case %zu: '%s'", i, out.data);
	}
}

Test(msg, fail_prints_and_maps, .init = cr_redirect_stderr)
{
	struct app app = { .tool = "git-box" };
	struct error err = ERROR_INIT;

	error_set(&err, ERR_NOTFOUND, "no box '%s'", "a\nb\033[2J");
	error_hint(&err, "run 'git box ls'");
	cr_assert_eq(msg_fail(&app, &err), EXIT_NOTFOUND);
	cr_assert_stderr_eq_str("git box: no box 'a b[2J'\n"
				"git box: hint: run 'git box ls'\n");
}

Test(msg, warning_and_note, .init = cr_redirect_stderr)
{
	struct app app = { .tool = "git-box" };

	msg_warning(&app, "%d boxes", 2);
	msg_note(&app, "made %s", "x");
	cr_assert_stderr_eq_str("git box: warning: 2 boxes\ngit box: made x\n");
}

Test(msg, colour_only_where_wanted, .init = cr_redirect_stderr)
{
	struct app app = { .tool = "git-box", .color_err = true };

	msg_warning(&app, "x");
	cr_assert_stderr_eq_str("git box: \033[35mwarning:\033[m x\n");
}
