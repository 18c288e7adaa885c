/* cli/opt: NUL-separated words against a table with an option of every kind. */
#include "base/base.h"

#include "base/strv.h"
#include "cli/opt.h"
#include "t/fuzz/target.h"

struct values {
	const char *name;
	const char *when;
	bool quiet;
	bool quick;
	uint64_t count;
	uint64_t size;
	uint64_t timeout_ms;
	struct strv env;
	const char *first;
	const char *second;
	struct strv rest;
};

static const char *const moments[] = { "always", "never", "auto", NULL };

static const struct opt opts[] = {
	OPT_FLAG('q', "quiet", struct values, quiet, "x"),
	OPT_FLAG(0, "quick", struct values, quick, "x"),
	OPT_STRING('n', "name", struct values, name, "NAME", COMPLETE_NONE, "x"),
	OPT_CHOICE(0, "when", struct values, when, "WHEN", moments, COMPLETE_NONE, "x"),
	OPT_U64('c', "count", struct values, count, "N", "x"),
	OPT_SIZE('s', "size", struct values, size, "SIZE", "x"),
	OPT_DURATION('t', "timeout", struct values, timeout_ms, "TIME", "x"),
	OPT_LIST('e', "env", struct values, env, "NAME=VALUE", "x"),
	ARG_ONE("FIRST", struct values, first, COMPLETE_NONE, "x"),
	ARG_MAYBE("SECOND", struct values, second, COMPLETE_NONE, "x"),
	ARG_REST("CMD", struct values, rest, "x"),
	OPT_END,
};

static const struct command command = {
	.name = "verb", .summary = "x", .opts = opts, .opts_size = sizeof(struct values)
};

static bool one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	struct values values = { 0 };
	STRV_AUTO words = STRV_INIT;
	BUF_AUTO text = BUF_INIT;
	bool help = false;
	int rc;

	buf_add(&text, data, size);
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		strv_add(&words, text.data + at);
	rc = opt_parse(&command, strv_argv(&words), &values, &help, &err);
	if (rc < 0)
		MUST((err.kind == ERR_USAGE || err.kind == ERR_LIMIT) && err.msg[0]);
	else if (!help) {
		MUST(values.first);
		MUST(!values.when || one_of(values.when, moments));
		MUST(values.rest.len <= words.len && values.env.len <= words.len);
	}
	opt_release(&command, &values);
	return 0;
}
