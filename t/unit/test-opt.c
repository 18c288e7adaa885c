#include "base/base.h"

#include <criterion/criterion.h>

#include "cli/opt.h"
#include "wire/json.h"

struct run_opts {
	bool quiet;
	bool quick;
	bool hidden;
	const char *cwd;
	const char *tier;
	struct strv env;
	uint64_t count;
	uint64_t memory;
	uint64_t timeout;
	const char *name;
	struct strv cmd;
};

static const char *const tiers[] = { "auto", "process", "workspace", NULL };

static const struct opt run_table[] = {
	OPT_FLAG('q', "quiet", struct run_opts, quiet, "say nothing of our own"),
	OPT_FLAG(0, "quick", struct run_opts, quick, "do not wait"),
	{ .kind = OPT_KIND_FLAG,
	  .name = "secret-door",
	  .offset = OPT_MEMBER(struct run_opts, hidden, bool),
	  .help = "for tests",
	  .flags = OPT_HIDDEN },
	OPT_STRING('C', "cwd", struct run_opts, cwd, "DIR", COMPLETE_FILE, "start in DIR"),
	OPT_CHOICE(0, "isolation", struct run_opts, tier, "TIER", tiers, COMPLETE_TIER, "the tier"),
	OPT_LIST('e', "env", struct run_opts, env, "NAME=VALUE", "set a variable"),
	OPT_U64('n', "count", struct run_opts, count, "N", "how often"),
	OPT_SIZE(0, "memory", struct run_opts, memory, "SIZE", "memory limit"),
	OPT_DURATION(0, "timeout", struct run_opts, timeout, "TIME", "end it after TIME"),
	ARG_ONE("NAME", struct run_opts, name, COMPLETE_BOX, "the box"),
	ARG_REST("CMD", struct run_opts, cmd, "command and its arguments"),
	OPT_END
};
static const struct command run_cmd = {
	.name = "run",
	.alias = "exec",
	.summary = "run a command in a box",
	.description = "Runs it.",
	.opts = run_table,
	.opts_size = sizeof(struct run_opts),
};

struct rm_opts {
	bool force;
	struct strv names;
};
static const struct opt rm_table[] = {
	OPT_FLAG('f', "force", struct rm_opts, force, "also unproposed work"),
	ARG_MANY("NAME", struct rm_opts, names, COMPLETE_BOX, "boxes"), OPT_END
};
static const struct command rm_cmd = {
	.name = "rm",
	.summary = "remove boxes",
	.description = "Removes them.",
	.opts = rm_table,
	.opts_size = sizeof(struct rm_opts),
};

struct maybe_opts {
	bool rm;
	const char *name;
	struct strv cmd;
};
static const struct opt maybe_table[] = {
	OPT_FLAG(0, "rm", struct maybe_opts, rm, "remove it afterwards"),
	ARG_MAYBE("NAME", struct maybe_opts, name, COMPLETE_BOX, "the box"),
	{ .kind = OPT_KIND_REST,
	  .name = "CMD",
	  .offset = OPT_MEMBER(struct maybe_opts, cmd, struct strv),
	  .help = "the command",
	  .flags = OPT_NEED_DASHES },
	OPT_END
};
static const struct command maybe_cmd = {
	.name = "maybe",
	.summary = "strict about dashes",
	.description = "As it says.",
	.opts = maybe_table,
	.opts_size = sizeof(struct maybe_opts),
};

static void words(enum opt_complete kind, struct strv *out)
{
	if (kind == COMPLETE_BOX) {
		strv_add(out, "alpha");
		strv_add(out, "beta");
	}
}

static const struct command *const commands[] = { &run_cmd, &rm_cmd, &maybe_cmd, NULL };
static const struct app app = {
	.tool = "git-box",
	.summary = "boxes",
	.commands = commands,
	.version = "1.2.3",
	.words = words,
};

#define WORDS(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

static void parse_ok(const char *const *argv, struct run_opts *o)
{
	struct error err = ERROR_INIT;
	bool help = false;

	memset(o, 0, sizeof(*o));
	cr_assert_eq(opt_parse(&run_cmd, argv, o, &help, &err), 0, "%s", err.msg);
	cr_assert_eq(err.kind, ERR_NONE);
	cr_assert_not(help);
}

static void parse_fails(const struct command *cmd, const char *const *argv, const char *msg,
			const char *hint)
{
	union {
		struct run_opts run;
		struct rm_opts rm;
		struct maybe_opts maybe;
	} o = { .run = { .quiet = false } };
	struct error err = ERROR_INIT;
	bool help = false;

	cr_assert_eq(opt_parse(cmd, argv, &o, &help, &err), -1, "not refused: want %s", msg);
	cr_expect_eq(err.kind, ERR_USAGE);
	cr_expect(strstr(err.msg, msg), "got '%s', want '%s'", err.msg, msg);
	cr_expect_str_eq(err.hint, hint);
	opt_release(cmd, &o);
}

Test(opt, long_and_short_forms)
{
	struct run_opts o;

	parse_ok(WORDS("--cwd", "a", "--cwd=b", "-n", "7", "-q", "x", "--", "true"), &o);
	cr_assert_str_eq(o.cwd, "b");
	cr_assert_eq(o.count, 7);
	cr_assert(o.quiet);
	cr_assert_str_eq(o.name, "x");
	cr_assert_eq(o.cmd.len, 1);
	opt_release(&run_cmd, &o);
	cr_assert_eq(o.cmd.len, 0);
}

Test(opt, bundles)
{
	struct run_opts o;

	parse_ok(WORDS("-qn7", "x", "true"), &o);
	cr_assert(o.quiet);
	cr_assert_eq(o.count, 7);
	opt_release(&run_cmd, &o);
	parse_ok(WORDS("-qn", "8", "-eA=B", "x", "true"), &o);
	cr_assert_eq(o.count, 8);
	cr_assert_str_eq(o.env.v[0], "A=B");
	opt_release(&run_cmd, &o);
	parse_fails(&run_cmd, WORDS("-qz", "x"), "unknown option '-z' in '-qz'", "");
	parse_fails(&run_cmd, WORDS("-z", "x"), "unknown option '-z'", "");
	parse_fails(&run_cmd, WORDS("-qn"), "option '-n' needs a value (N)", "");
}

Test(opt, repeated)
{
	struct run_opts o;

	parse_ok(WORDS("-e", "A=1", "--env", "B=2", "--env=C=3", "-q", "-q", "x", "c"), &o);
	cr_assert_eq(o.env.len, 3);
	cr_assert_str_eq(o.env.v[2], "C=3");
	opt_release(&run_cmd, &o);
}

Test(opt, empty_values_and_dashes_as_values)
{
	struct run_opts o;

	parse_ok(WORDS("--cwd=", "-", "c"), &o);
	cr_assert_str_eq(o.cwd, "");
	cr_assert_str_eq(o.name, "-");
	opt_release(&run_cmd, &o);
	parse_ok(WORDS("--cwd", "--quiet", "-e", "--", "x", "c"), &o);
	cr_assert_str_eq(o.cwd, "--quiet");
	cr_assert_not(o.quiet);
	cr_assert_str_eq(o.env.v[0], "--");
	opt_release(&run_cmd, &o);
	parse_ok(WORDS("-C", "-", "", "c"), &o);
	cr_assert_str_eq(o.cwd, "-");
	cr_assert_str_eq(o.name, "");
	opt_release(&run_cmd, &o);
}

Test(opt, negated_flags)
{
	struct run_opts o;

	parse_ok(WORDS("-q", "--quick", "--no-quiet", "--no-quic", "x", "c"), &o);
	cr_assert_not(o.quiet);
	cr_assert_not(o.quick);
	opt_release(&run_cmd, &o);
	parse_fails(&run_cmd, WORDS("--no-cwd", "x", "c"), "unknown option '--no-cwd'", "");
	parse_fails(&run_cmd, WORDS("--no-help", "x", "c"), "unknown option '--no-help'", "");
	parse_fails(&run_cmd, WORDS("--no-qui", "x"), "could be --no-quiet, --no-quick", "");
}

Test(opt, abbreviations)
{
	struct run_opts o;

	parse_ok(WORDS("--time", "2s", "--iso=process", "--quie", "x", "c"), &o);
	cr_assert_eq(o.timeout, 2000);
	cr_assert_str_eq(o.tier, "process");
	cr_assert(o.quiet);
	opt_release(&run_cmd, &o);
	parse_fails(&run_cmd, WORDS("--qui", "x", "c"),
		    "ambiguous option '--qui': could be --quiet, --quick", "");
	parse_fails(&run_cmd, WORDS("--secret", "x", "c"), "unknown option '--secret'", "");
	parse_ok(WORDS("--secret-door", "x", "c"), &o);
	cr_assert(o.hidden);
	opt_release(&run_cmd, &o);
}

Test(opt, unknown)
{
	parse_fails(&run_cmd, WORDS("--quiit", "x"), "unknown option '--quiit'",
		    "did you mean '--quiet'?");
	parse_fails(&run_cmd, WORDS("--zebra=3", "x"), "unknown option '--zebra'", "");
	parse_fails(&run_cmd, WORDS("--=3", "x"), "unknown option '--'", "");
	parse_fails(&run_cmd, WORDS("--NAME", "x"), "unknown option '--NAME'", "");
	parse_fails(&run_cmd, WORDS("--quiet=1", "x"), "option '--quiet' takes no value", "");
}

Test(opt, values_out_of_range)
{
	parse_fails(&run_cmd, WORDS("-n", "18446744073709551616", "x", "c"), "--count: ", "");
	parse_fails(&run_cmd, WORDS("-n", "-1", "x", "c"), "--count: ", "");
	parse_fails(&run_cmd, WORDS("--count=", "x", "c"), "--count: ", "");
	parse_fails(&run_cmd, WORDS("--count", "7x", "x", "c"), "--count: ", "");
	parse_fails(&run_cmd, WORDS("--memory", "99999999999T", "x", "c"), "--memory: ",
		    "a size is a number of bytes, or one with K, M, G or T");
	parse_fails(&run_cmd, WORDS("--timeout", "soon", "x", "c"), "--timeout: ",
		    "a time is a number of seconds, or one with ms, s, m, h or d");
	parse_fails(&run_cmd, WORDS("--timeout"), "option '--timeout' needs a value (TIME)", "");
	parse_fails(&run_cmd, WORDS("--isolation", "proces", "x", "c"),
		    "'proces' is not one of auto, process, workspace", "did you mean 'process'?");
	parse_fails(&run_cmd, WORDS("--isolation=", "x", "c"), "'' is not one of", "");
}

Test(opt, rest_is_untouched)
{
	struct run_opts o;

	parse_ok(WORDS("x", "-q", "--", "make", "-q", "--", "--help"), &o);
	cr_assert(o.quiet);
	cr_assert_eq(o.cmd.len, 4);
	cr_assert_str_eq(o.cmd.v[1], "-q");
	cr_assert_str_eq(o.cmd.v[2], "--");
	opt_release(&run_cmd, &o);
	parse_ok(WORDS("x", "make", "-q", "-h"), &o);
	cr_assert_not(o.quiet);
	cr_assert_eq(o.cmd.len, 3);
	opt_release(&run_cmd, &o);
	parse_fails(&run_cmd, WORDS("--", "make"), "missing NAME: the box", "");
	parse_fails(&run_cmd, WORDS("x"), "missing CMD: command and its arguments", "");
	parse_fails(&run_cmd, WORDS("x", "--"), "missing CMD", "");
	parse_fails(&run_cmd, WORDS(NULL), "missing NAME", "");
}

Test(opt, dashes_needed)
{
	struct maybe_opts o = { .rm = false };
	struct error err = ERROR_INIT;
	bool help = false;

	cr_assert_eq(opt_parse(&maybe_cmd, WORDS("--rm", "--", "true"), &o, &help, &err), 0);
	cr_assert(o.rm);
	cr_assert_null(o.name);
	cr_assert_str_eq(o.cmd.v[0], "true");
	opt_release(&maybe_cmd, &o);
	parse_fails(&maybe_cmd, WORDS("x", "make"), "unexpected argument 'make'",
		    "put '--' before the command");
}

Test(opt, many_arguments)
{
	struct rm_opts o = { .force = false };
	struct error err = ERROR_INIT;
	bool help = false;

	cr_assert_eq(opt_parse(&rm_cmd, WORDS("a", "-f", "b", "--", "-c"), &o, &help, &err), 0);
	cr_assert(o.force);
	cr_assert_eq(o.names.len, 3);
	cr_assert_str_eq(o.names.v[2], "-c");
	opt_release(&rm_cmd, &o);
	parse_fails(&rm_cmd, WORDS("-f"), "missing NAME: boxes", "");
}

Test(opt, help_wins)
{
	struct run_opts o = { .quiet = false };
	struct error err = ERROR_INIT;
	bool help = false;

	cr_assert_eq(opt_parse(&run_cmd, WORDS("-qh", "--bad"), &o, &help, &err), 0);
	cr_assert(help);
	help = false;
	cr_assert_eq(opt_parse(&run_cmd, WORDS("--help"), &o, &help, &err), 0);
	cr_assert(help);
}

Test(opt, usage_line)
{
	BUF_AUTO out = BUF_INIT;

	opt_usage_line(&app, &run_cmd, &out);
	cr_assert_str_eq(
		out.data,
		"git box run [-q] [--quick] [-C DIR] [--isolation TIER] [-e NAME=VALUE]... "
		"[-n N] [--memory SIZE] [--timeout TIME] NAME -- CMD...");
	buf_reset(&out);
	opt_usage_line(&app, &maybe_cmd, &out);
	cr_assert_str_eq(out.data, "git box maybe [--rm] [NAME] -- CMD...");
}

Test(opt, help_text)
{
	BUF_AUTO out = BUF_INIT;
	size_t line = 0;

	opt_help(&app, &run_cmd, &out);
	cr_expect(strstr(out.data, "\n    -q, --quiet               say nothing of our own\n"));
	cr_expect(strstr(out.data, "the tier: auto, process, workspace\n"));
	cr_expect_not(strstr(out.data, "secret-door"));
	for (const char *c = out.data; *c; c++) {
		line = *c == '\n' ? 0 : line + 1;
		cr_assert_leq(line, 80, "line too long before: %.20s", c);
	}
}

struct complete_case {
	const char *words[6];
	const char *want;
};

Test(opt, completion)
{
	static const struct complete_case cases[] = {
		{ { NULL },
		  "run\trun a command in a box\nrm\tremove boxes\nmaybe\tstrict about "
		  "dashes\n" },
		{ { "ru" }, "run\trun a command in a box\n" },
		{ { "exe" }, "exec\trun a command in a box\n" },
		{ { "--ver" }, "--version\tprint the version\n" },
		{ { "--man", "rm" }, "rm\tremove boxes\n" },
		{ { "nosuch", "" }, "" },
		{ { "run", "" }, "alpha\nbeta\n" },
		{ { "run", "b" }, "beta\n" },
		{ { "run", "--qui" }, "--quiet\tsay nothing of our own\n--quick\tdo not wait\n" },
		{ { "run", "--no-quie" }, "--no-quiet\n" },
		{ { "run", "--sec" }, "" },
		{ { "run", "--isolation", "p" }, "process\n" },
		{ { "run", "--isolation=w" }, "--isolation=workspace\n" },
		{ { "run", "--cwd", "" }, ":files\n" },
		{ { "run", "-qC", "" }, ":files\n" },
		{ { "run", "-Cdir", "" }, "alpha\nbeta\n" },
		{ { "run", "x", "" }, ":command\n" },
		{ { "run", "x", "--", "--qui" }, ":command\n" },
		{ { "run", "x", "make", "--qui" }, ":command\n" },
		{ { "run", "-e", "A=B", "a" }, "alpha\n" },
		{ { "rm", "alpha", "" }, "alpha\nbeta\n" },
		{ { "rm", "--", "-" }, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		BUF_AUTO out = BUF_INIT;

		complete_words(&app, cases[i].words, &out);
		cr_expect_str_eq(out.data, cases[i].want, "case %zu: got '%s'", i, out.data);
	}
}

Test(opt, json_spec)
{
	struct error err = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;
	json_t *spec, *run, *names;

	opt_json_spec(&app, &out);
	spec = json_parse(out.data, out.len, 1 << 20, &err);
	cr_assert_not_null(spec, "%s", err.msg);
	cr_assert_eq(json_integer_value(json_object_get(spec, "schema")), 1);
	run = json_array_get(json_object_get(spec, "commands"), 0);
	cr_assert_str_eq(json_string_value(json_object_get(run, "alias")), "exec");
	cr_assert_eq(json_array_size(json_object_get(run, "options")), 8);
	names = json_object_get(json_array_get(json_object_get(run, "arguments"), 0), "required");
	cr_assert(json_is_true(names));
	json_decref(spec);
}
