#include "base/base.h"

#include <criterion/criterion.h>

#include "box/scribe.h"

#define OID "0123456789012345678901234567890123456789"

static int parse(const char *text, struct scribe_report *r, bool *packed)
{
	BUF_AUTO b = BUF_INIT;
	struct error err = ERROR_INIT;

	buf_str(&b, text);
	return scribe_parse(&b, 40, r, packed, &err);
}

Test(scribe, what_it_says)
{
	SCRIBE_REPORT_AUTO r = SCRIBE_REPORT_INIT;
	bool packed = false;

	cr_assert_eq(parse("tree " OID "\npack\nskipped 3 special\nskipped 1 git\n"
			   "repository \"a b\\033\"\nsilent \"x\"\n",
			   &r, &packed),
		     0);
	cr_expect(packed);
	cr_expect_str_eq(r.tree.data, OID);
	cr_expect_eq(r.special, 3);
	cr_expect_eq(r.dotgit, 1);
	cr_expect_str_eq(r.repositories.v[0], "\"a b\\033\"");
	cr_expect_eq(r.silent.len, 1);
}

Test(scribe, what_it_must_not_say)
{
	static const char *const bad[] = {
		"",
		"pack\n",
		"tree " OID,
		"tree " OID "0\n",
		"tree 012345678901234567890123456789012345678Z\n",
		"tree --output=/etc/passwd\n",
		"tree " OID "\ntree " OID "\n",
		"tree " OID "\npack x\n",
		"tree " OID "\nskipped special\n",
		"tree " OID "\nskipped -1 special\n",
		"tree " OID "\nskipped 1 other\n",
		"tree " OID "\nrepository x\n",
		"tree " OID "\nrepository \"\033[2J\"\n",
		"tree " OID "\nrepository \"\303\251\"\n",
		"tree " OID "\nlfs x 3\n",
		"tree " OID "\nlfs " OID " 3\n",
		"tree " OID "\nmore\n",
		"tree " OID "\npack\nskip",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		SCRIBE_REPORT_AUTO r = SCRIBE_REPORT_INIT;
		bool packed;

		cr_expect_eq(parse(bad[i], &r, &packed), -1, "%s", bad[i]);
	}
}
