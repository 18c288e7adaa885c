#include "base/base.h"

#include <criterion/criterion.h>

#include "base/env.h"
#include "base/exit.h"
#include "cli/opt.h"

struct go_opts {
	bool all;
	const char *where;
	struct strv names;
};

static const struct opt go_table[] = {
	OPT_FLAG('a', "all", struct go_opts, all, "everything, 'as is' and \\n"),
	OPT_STRING(0, "where-to", struct go_opts, where, "DIR", COMPLETE_FILE,
		   ".hidden goes first"),
	ARG_MANY("NAME", struct go_opts, names, COMPLETE_NONE, "what"), OPT_END
};
static const struct command go_cmd = {
	.name = "go",
	.alias = "walk",
	.summary = "go somewhere",
	.description = ".dots at the start stay.\n\nSecond paragraph, which is long enough to be "
		       "filled over more than one line of the source of the page, as it should.",
	.examples = "$ git box go a\n.dot 'quoted'\n\nend",
	.opts = go_table,
	.opts_size = sizeof(struct go_opts),
};
static const struct command *const commands[] = { &go_cmd, NULL };
static const struct manual_row config[] = { { "box.key", "what it does" }, { NULL, NULL } };
static const struct manual_row files[] = { { "a/b", "where it lies" }, { NULL, NULL } };
static const char *const pages[] = { "git(1)", "gitcli(7)", NULL };
static const struct manual manual = {
	.date = "2026-01-02",
	.description = "One.\n\nTwo.",
	.config = config,
	.files = files,
	.see_also = pages,
};
static const struct app app = {
	.tool = "git-box",
	.summary = "boxes",
	.commands = commands,
	.version = "1.2.3",
	.manual = &manual,
};

static void has(const struct buf *page, const char *text)
{
	cr_expect(strstr(page->data, text), "missing: %s", text);
}

Test(man, whole_page)
{
	BUF_AUTO page = BUF_INIT;

	man_page(&app, &page);
	has(&page, ".TH GIT\\-BOX 1 2026-01-02 \"git-box 1.2.3\" \"Git Manual\"\n");
	has(&page, ".SH NAME\ngit\\-box \\- boxes\n");
	has(&page, ".SH DESCRIPTION\nOne.\n.PP\nTwo.\n");
	has(&page, ".SS go\n.B git box go\n[\\-a]\n[\\-\\-where\\-to\\ DIR]\nNAME...\\&\n");
	has(&page, ".TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\neverything, \\(aqas is\\(aq and \\en\n");
	has(&page, "\\fB\\-\\-where\\-to\\fR \\fIDIR\\fR\n\\&.hidden goes first\n");
	has(&page, ".PP\n\\&.dots at the start stay.\n");
	has(&page, "walk is another name of go.");
	has(&page, ".nf\n$ git box go a\n\\&.dot \\(aqquoted\\(aq\n\\&\nend\n.fi\n");
	has(&page, ".SH CONFIGURATION\n.TP\n\\fBbox.key\\fR\nwhat it does\n");
	has(&page, ".SH FILES\n.TP\n\\fBa/b\\fR\nwhere it lies\n");
	has(&page, ".SH SEE ALSO\n.BR git (1),\n.BR gitcli (7)\n");
	for (size_t i = 0; i < exit_table_len; i++) {
		char row[32];

		snprintf(row, sizeof(row), "\n\\fB%d\\fR\n", exit_table[i].code);
		has(&page, row);
	}
	for (size_t i = 0; i < env_table_len; i++)
		has(&page, env_table[i].name);
}

Test(man, lines_stay_readable)
{
	BUF_AUTO page = BUF_INIT;

	man_page_command(&app, &go_cmd, &page);
	has(&page, ".TH GIT\\-BOX\\-GO 1 ");
	has(&page, ".SH NAME\ngit\\-box\\-go \\- go somewhere\n");
	for (const char *at = page.data; *at; at += strcspn(at, "\n") + 1) {
		cr_expect_leq(strcspn(at, "\n"), 90, "long line: %.40s", at);
		cr_expect_neq(at[0], '\'', "a control line: %.40s", at);
	}
}
