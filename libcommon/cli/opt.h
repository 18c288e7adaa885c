/*
 * opt: one table per verb, from which come the parser, `-h`, the manual
 * section, the shell completions and the JSON description.
 *
 * Parsing follows git: `--name value`, `--name=value`, unique abbreviations,
 * `-x value`, `-xvalue`, bundled flags, `--no-name` for flags, `--` ends the
 * options. Values go to the verb's own struct by offset.
 *
 *	struct run_opts { const char *name; bool quiet; uint64_t timeout_ms; struct strv env; ... };
 *	static const struct opt opts[] = {
 *		OPT_FLAG('q', "quiet", struct run_opts, quiet, "say nothing of our own"),
 *		OPT_DURATION(0, "timeout", struct run_opts, timeout_ms, "TIME", "time limit"),
 *		OPT_LIST('e', "env", struct run_opts, env, "NAME=VALUE", "set a variable"),
 *		ARG_ONE("NAME", struct run_opts, name, COMPLETE_BOX, "the box"),
 *		ARG_REST("CMD", struct run_opts, cmd, "command and its arguments"),
 *		OPT_END
 *	};
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"
#include "cli/app.h"

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_FLAG,     /* bool */
	OPT_KIND_STRING,   /* const char *, borrowed from argv */
	OPT_KIND_LIST,     /* struct strv, repeatable */
	OPT_KIND_U64,      /* uint64_t */
	OPT_KIND_SIZE,     /* uint64_t bytes */
	OPT_KIND_DURATION, /* uint64_t milliseconds */
	OPT_KIND_CHOICE,   /* const char *, one of choices */
	OPT_KIND_ARG,      /* const char *, positional */
	OPT_KIND_ARGS,     /* struct strv, all remaining positionals before "--" */
	OPT_KIND_REST /* struct strv, everything after "--" (or after the last ARG) untouched */
};

enum opt_flags {
	OPT_OPTIONAL = 1 << 0,   /* positional that may be absent */
	OPT_HIDDEN = 1 << 1,     /* not in -h or completion */
	OPT_NEED_DASHES = 1 << 2 /* REST only after a literal "--" */
};

struct opt {
	enum opt_kind kind;
	char short_name;  /* 0: none */
	const char *name; /* long option without dashes, or the positional's metavariable */
	size_t offset;    /* into the verb's struct */
	const char *arg;  /* metavariable of the value; NULL for flags */
	const char *help; /* one line, no full stop */
	const char *const *choices; /* CHOICE: NULL-terminated */
	enum opt_complete complete;
	unsigned flags; /* enum opt_flags */
};

#define OPT_END \
	{ \
		.kind = OPT_KIND_END \
	}
/* The initialisers; each checks the member's type through a one-level _Generic. */
#define OPT_MEMBER(type, member, want) \
	(offsetof(type, member) + 0 * sizeof(_Generic(((type *)0)->member, want : 0)))
#define OPT_FLAG(s, n, type, member, h) \
	{ \
		.kind = OPT_KIND_FLAG, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, bool), .help = (h) \
	}
#define OPT_STRING(s, n, type, member, a, c, h) \
	{ \
		.kind = OPT_KIND_STRING, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, const char *), .arg = (a), .complete = (c), \
		.help = (h) \
	}
#define OPT_LIST(s, n, type, member, a, h) \
	{ \
		.kind = OPT_KIND_LIST, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, struct strv), .arg = (a), .help = (h) \
	}
#define OPT_U64(s, n, type, member, a, h) \
	{ \
		.kind = OPT_KIND_U64, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, uint64_t), .arg = (a), .help = (h) \
	}
#define OPT_SIZE(s, n, type, member, a, h) \
	{ \
		.kind = OPT_KIND_SIZE, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, uint64_t), .arg = (a), .help = (h) \
	}
#define OPT_DURATION(s, n, type, member, a, h) \
	{ \
		.kind = OPT_KIND_DURATION, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, uint64_t), .arg = (a), .help = (h) \
	}
#define OPT_CHOICE(s, n, type, member, a, ch, c, h) \
	{ \
		.kind = OPT_KIND_CHOICE, .short_name = (s), .name = (n), \
		.offset = OPT_MEMBER(type, member, const char *), .arg = (a), .choices = (ch), \
		.complete = (c), .help = (h) \
	}
#define ARG_ONE(n, type, member, c, h) \
	{ \
		.kind = OPT_KIND_ARG, .name = (n), \
		.offset = OPT_MEMBER(type, member, const char *), .complete = (c), .help = (h) \
	}
#define ARG_MAYBE(n, type, member, c, h) \
	{ \
		.kind = OPT_KIND_ARG, .name = (n), \
		.offset = OPT_MEMBER(type, member, const char *), .complete = (c), .help = (h), \
		.flags = OPT_OPTIONAL \
	}
#define ARG_MANY(n, type, member, c, h) \
	{ \
		.kind = OPT_KIND_ARGS, .name = (n), \
		.offset = OPT_MEMBER(type, member, struct strv), .complete = (c), .help = (h) \
	}
#define ARG_REST(n, type, member, h) \
	{ \
		.kind = OPT_KIND_REST, .name = (n), \
		.offset = OPT_MEMBER(type, member, struct strv), .complete = COMPLETE_COMMAND, \
		.help = (h) \
	}
#define ARG_REST_MAYBE(n, type, member, h) \
	{ \
		.kind = OPT_KIND_REST, .name = (n), \
		.offset = OPT_MEMBER(type, member, struct strv), .complete = COMPLETE_FILE, \
		.help = (h), .flags = OPT_OPTIONAL \
	}

/* One verb. Lives in its cmd-<verb>.c as `const struct command cmd_<verb>`. */
struct command {
	const char *name;
	const char *alias;       /* NULL: none */
	const char *summary;     /* one line */
	const char *description; /* manual text: plain paragraphs separated by an empty line */
	const char *examples;   /* manual text, verbatim lines: "$ git box ..." and comments; may be
				   NULL */
	const struct opt *opts; /* ends with OPT_END */
	size_t opts_size;       /* size of the verb's struct, which starts as zeros */
	/*
	 * The verb itself. opts is the filled struct; what the parser put into it is freed
	 * afterwards. Returns the exit code; prints its own results.
	 */
	int (*run)(struct app *app, void *opts);
};

/*
 * Pure parser: fills opts (opts_size bytes, zeros at first) from the words after
 * the verb (NULL-terminated, borrowed by opts). Errors: usage, with the nearest option as hint
 * where one is near. *help_out is set where -h or --help was given (opts are then incomplete).
 */
int opt_parse(const struct command *cmd, const char *const *argv, void *opts, bool *help_out,
	      struct error *err);

/* Frees what opt_parse() put into the lists of opts. */
void opt_release(const struct command *cmd, void *opts);

/* The option (not argument) that `name` (len bytes, no dashes) spells out in full, or NULL. */
const struct opt *opt_find(const struct command *cmd, const char *name, size_t len);
const struct opt *opt_find_short(const struct command *cmd, char c);
/* Takes a value; arguments do not count. */
bool opt_takes_value(const struct opt *o);
bool opt_is_argument(const struct opt *o);
/* The first argument at or after o, or NULL. */
const struct opt *opt_next_argument(const struct opt *o);

/* cli/help.c */
/* The parts of a usage line after the verb: "[-q]", "[--timeout TIME]", "NAME", "-- CMD...". */
void opt_usage_items(const struct command *cmd, struct strv *out);
/* "git box run [-q] [--timeout TIME] NAME -- CMD...". Appended. */
void opt_usage_line(const struct app *app, const struct command *cmd, struct buf *out);
/* "-q, --quiet" or "--timeout TIME"; for an argument its name. Appended. */
void opt_term(const struct opt *o, struct buf *out);
/* What `git box VERB -h` prints: usage, summary, arguments, options. Appended. */
void opt_help(const struct app *app, const struct command *cmd, struct buf *out);
/* What `git box -h` prints: usage, verbs, options. Appended. */
void app_help(const struct app *app, struct buf *out);

/* cli/man.c: manual pages in man(7), from the tables. Appended. */
void man_page(const struct app *app, struct buf *out);
void man_page_command(const struct app *app, const struct command *cmd, struct buf *out);
/*
 * cli/complete.c: candidates for the last of the words typed after "git box",
 * for the shell functions in completion/. One a line, "word" or "word TAB
 * description"; a line ":files" or ":command" asks the shell for its own.
 */
void complete_words(const struct app *app, const char *const *words, struct buf *out);
/* cli/spec.c: JSON description of all verbs (schema 1), for `git box --json-spec`. Appended. */
void opt_json_spec(const struct app *app, struct buf *out);

/* cli/command.c */
/* The options that stand before a verb, as a command without a run function. */
extern const struct command command_top;
/*
 * main()'s work: opens the trace, finds the verb (argv[1]), parses, runs, reports.
 * Handles -h, --version, --complete, --man, --json-spec; suggests for an unknown
 * verb. With no verb at all runs `fallback` (bare `git box`), or where that is NULL
 * says that a verb is missing. argv is main()'s.
 * Returns the exit code.
 */
int command_main(struct app *app, const struct command *fallback, const char *const *argv);

#endif
