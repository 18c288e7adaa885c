#include "base/base.h"

#include "base/alloc.h"
#include "base/exit.h"
#include "base/suggest.h"
#include "cli/msg.h"
#include "cli/opt.h"
#include "cli/trace.h"
#include "wire/json.h"

struct top_opts {
	bool version;
	bool json;
	bool man;
	bool json_spec;
	const char *verb;
};

static const struct opt top_table[] = {
	OPT_FLAG('v', "version", struct top_opts, version, "print the version"),
	OPT_FLAG(0, "json", struct top_opts, json,
		 "with --version: as JSON, with the features of this build"),
	OPT_FLAG(0, "man", struct top_opts, man,
		 "print the manual page, or that of VERB, as man(7) source"),
	OPT_FLAG(0, "json-spec", struct top_opts, json_spec,
		 "print all verbs, options and exit codes as JSON"),
	ARG_MAYBE("VERB", struct top_opts, verb, COMPLETE_NONE, "verb whose manual page is wanted"),
	OPT_END
};

const struct command command_top = {
	.name = "",
	.summary = "",
	.opts = top_table,
	.opts_size = sizeof(struct top_opts),
};

static void print(const struct buf *text)
{
	fwrite(text->data, 1, text->len, stdout);
}

/* "git box VERB -h" where the error has no better advice. */
static int fail_usage(const struct app *app, const struct command *cmd, struct error *err)
{
	BUF_AUTO title = BUF_INIT;

	app_title(app, &title);
	if (!err->hint[0])
		error_hint(err, "see '%s%s%s -h'", title.data, cmd->name[0] ? " " : "", cmd->name);
	return msg_fail(app, err);
}

static const struct command *find_verb(const struct app *app, const char *word, struct error *err)
{
	const struct command *cmd = app_command(app, word);
	STRV_AUTO known = STRV_INIT;
	BUF_AUTO title = BUF_INIT;
	const char *near;

	if (cmd)
		return cmd;
	for (const struct command *const *c = app->commands; *c; c++) {
		strv_add(&known, (*c)->name);
		if ((*c)->alias)
			strv_add(&known, (*c)->alias);
	}
	error_set(err, ERR_USAGE, "'%s' is not a verb", word);
	near = suggest_nearest(word, strv_argv(&known));
	app_title(app, &title);
	if (near)
		error_hint(err, "did you mean '%s %s'?", title.data, near);
	return NULL;
}

static bool wants_json(const struct command *cmd, const void *opts)
{
	const struct opt *o = opt_find(cmd, "json", strlen("json"));

	return o && *(const bool *)((const char *)opts + o->offset);
}

/* Parses into the verb's struct and runs it. */
static int run_parsed(struct app *app, const struct command *cmd, const char *const *argv,
		      void *opts)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	bool help = false;

	if (opt_parse(cmd, argv, opts, &help, &err))
		return fail_usage(app, cmd, &err);
	if (!help) {
		app->json = wants_json(cmd, opts);
		return cmd->run(app, opts);
	}
	opt_help(app, cmd, &text);
	print(&text);
	return EXIT_OK;
}

static int run_verb(struct app *app, const struct command *cmd, const char *const *argv)
{
	void *opts = xcalloc(1, cmd->opts_size);
	int code;

	trace_cmd_name(app->trace, cmd->name);
	code = run_parsed(app, cmd, argv, opts);
	opt_release(cmd, opts);
	free(opts);
	return code;
}

static void print_version(const struct app *app, bool json)
{
	BUF_AUTO title = BUF_INIT;
	json_t *features, *answer;

	if (!json) {
		app_title(app, &title);
		printf("%s version %s\n", title.data, app->version);
		return;
	}
	features = json_array();
	for (const char *const *f = app->features; *f; f++)
		json_array_append_new(features, json_text(*f));
	answer = json_pack("{s:s, s:s, s:o}", "name", app->tool, "version", app->version,
			   "features", features);
	json_answer(answer, 1);
	json_decref(answer);
}

static int print_man(const struct app *app, const char *verb, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	const struct command *cmd;

	if (!verb) {
		man_page(app, &text);
	} else {
		cmd = find_verb(app, verb, err);
		if (!cmd)
			return -1;
		man_page_command(app, cmd, &text);
	}
	print(&text);
	return 0;
}

static void print_spec(const struct app *app)
{
	BUF_AUTO text = BUF_INIT;

	opt_json_spec(app, &text);
	print(&text);
}

/* What stands before a verb, or instead of one. */
static int run_top(struct app *app, const char *const *argv)
{
	struct top_opts opts = { .version = false };
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	bool help = false;

	if (opt_parse(&command_top, argv, &opts, &help, &err))
		return fail_usage(app, &command_top, &err);
	if (help) {
		app_help(app, &text);
		print(&text);
	} else if (opts.man) {
		if (print_man(app, opts.verb, &err))
			return fail_usage(app, &command_top, &err);
	} else if (opts.verb) {
		error_set(&err, ERR_USAGE, "options of a verb come after it: unexpected '%s'",
			  opts.verb);
		return fail_usage(app, &command_top, &err);
	} else if (opts.json_spec) {
		print_spec(app);
	} else if (opts.version) {
		print_version(app, opts.json);
	} else {
		error_set(&err, ERR_USAGE, "missing verb");
		return fail_usage(app, &command_top, &err);
	}
	return EXIT_OK;
}

static int dispatch(struct app *app, const struct command *fallback, const char *const *words)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	const struct command *cmd;

	if (!words[0] && fallback)
		return run_verb(app, fallback, words);
	if (words[0] && strcmp(words[0], "--complete") == 0) {
		complete_words(app, words + 1, &text);
		print(&text);
		return EXIT_OK;
	}
	if (!words[0] || words[0][0] == '-')
		return run_top(app, words);
	cmd = find_verb(app, words[0], &err);
	if (!cmd)
		return fail_usage(app, &command_top, &err);
	return run_verb(app, cmd, words + 1);
}

/* An answer that did not reach its reader is no success. */
static int flush_stdout(const struct app *app, int code)
{
	struct error err = ERROR_INIT;
	bool failed = ferror(stdout);

	if (fflush(stdout) == 0 && !failed)
		return code;
	error_set(&err, ERR_SYS, "cannot write to standard output");
	return msg_fail(app, &err);
}

int command_main(struct app *app, const struct command *fallback, const char *const *argv)
{
	int code;

	app_terminal(app);
	app->trace = trace_open(app->tool, app->version, argv);
	code = flush_stdout(app, dispatch(app, fallback, argv[0] ? argv + 1 : argv));
	trace_close(app->trace, code);
	app->trace = NULL;
	return code;
}
