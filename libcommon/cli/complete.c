#include "base/base.h"

#include "cli/msg.h"
#include "cli/opt.h"

/* Where the words before the last one leave a parser. */
struct spot {
	const struct opt *value; /* option that waits for its value */
	const struct opt *arg;   /* argument that comes next */
	bool no_options;
	bool rest; /* inside the command to be run */
};

static void candidate(const char *word, const char *prefix, const char *help, struct buf *out)
{
	if (strncmp(word, prefix, strlen(prefix)) != 0)
		return;
	msg_clean(word, strlen(word), out);
	if (help)
		buf_fmt(out, "\t%s", help);
	buf_char(out, '\n');
}

static void complete_value(const struct app *app, const struct opt *o, const char *lead,
			   const char *prefix, struct buf *out)
{
	STRV_AUTO words = STRV_INIT;

	if (o->complete == COMPLETE_FILE)
		buf_str(out, ":files\n");
	else if (o->complete == COMPLETE_COMMAND)
		buf_str(out, ":command\n");
	else if (o->choices)
		strv_add_all(&words, o->choices);
	else if (o->complete != COMPLETE_NONE && app->words)
		app->words(o->complete, &words);
	for (size_t i = 0; i < words.len; i++) {
		BUF_AUTO whole = BUF_INIT;

		if (strncmp(words.v[i], prefix, strlen(prefix)) != 0)
			continue;
		buf_fmt(&whole, "%s%s", lead, words.v[i]);
		candidate(whole.data, "", NULL, out);
	}
}

static void complete_options(const struct command *cmd, const char *prefix, struct buf *out)
{
	bool negated = strncmp(prefix, "--no-", 5) == 0;

	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		BUF_AUTO word = BUF_INIT;

		if (opt_is_argument(o) || o->flags & OPT_HIDDEN || !o->name)
			continue;
		if (negated && o->kind != OPT_KIND_FLAG)
			continue;
		buf_fmt(&word, "--%s%s", negated ? "no-" : "", o->name);
		candidate(word.data, prefix, negated ? NULL : o->help, out);
	}
	candidate("--help", prefix, "explain the verb", out);
}

/* The option that a word leaves waiting for its value, or NULL. */
static const struct opt *waits_for_value(const struct command *cmd, const char *word)
{
	const struct opt *o;

	if (strncmp(word, "--", 2) == 0) {
		o = opt_find(cmd, word + 2, strlen(word + 2));
		return o && opt_takes_value(o) ? o : NULL;
	}
	for (const char *c = word + 1; *c; c++) {
		o = opt_find_short(cmd, *c);
		if (o && opt_takes_value(o))
			return c[1] ? NULL : o;
	}
	return NULL;
}

static void step(const struct command *cmd, const char *word, struct spot *s)
{
	if (s->rest)
		return;
	if (s->value) {
		s->value = NULL;
	} else if (!s->no_options && strcmp(word, "--") == 0) {
		s->no_options = true;
		for (const struct opt *o = s->arg; o; o = opt_next_argument(o + 1))
			s->rest |= o->kind == OPT_KIND_REST;
	} else if (!s->no_options && word[0] == '-' && word[1]) {
		s->value = waits_for_value(cmd, word);
	} else if (s->arg && s->arg->kind == OPT_KIND_ARG) {
		s->arg = opt_next_argument(s->arg + 1);
	} else if (s->arg && s->arg->kind == OPT_KIND_REST) {
		s->rest = true;
	}
}

static void complete_last(const struct app *app, const struct command *cmd, const struct spot *s,
			  const char *last, struct buf *out)
{
	size_t equals = strcspn(last, "=");
	const struct opt *o;

	if (s->rest) {
		buf_str(out, ":command\n");
	} else if (s->value) {
		complete_value(app, s->value, "", last, out);
	} else if (!s->no_options && strncmp(last, "--", 2) == 0 && last[equals]) {
		BUF_AUTO lead = BUF_INIT;

		buf_add(&lead, last, equals + 1);
		o = opt_find(cmd, last + 2, equals - 2);
		if (o && opt_takes_value(o))
			complete_value(app, o, lead.data, last + equals + 1, out);
	} else if (!s->no_options && last[0] == '-') {
		complete_options(cmd, last, out);
	} else if (s->arg) {
		complete_value(app, s->arg, "", last, out);
	}
}

static void complete_verbs(const struct app *app, const char *prefix, struct buf *out)
{
	for (const struct command *const *c = app->commands; *c; c++) {
		candidate((*c)->name, prefix, (*c)->summary, out);
		if ((*c)->alias && prefix[0])
			candidate((*c)->alias, prefix, (*c)->summary, out);
	}
}

/* `git box --man VERB`, and options where no verb was typed yet. */
static void complete_top(const struct app *app, const char *first, const char *last,
			 struct buf *out)
{
	if (last[0] == '-')
		complete_options(&command_top, last, out);
	else if (first == last || strcmp(first, "--man") == 0)
		complete_verbs(app, last, out);
}

void complete_words(const struct app *app, const char *const *words, struct buf *out)
{
	struct spot s = { .value = NULL };
	const struct command *cmd;
	const char *const *last = words;

	if (!words[0]) {
		complete_verbs(app, "", out);
		return;
	}
	while (last[1])
		last++;
	if (last == words || words[0][0] == '-') {
		complete_top(app, words[0], *last, out);
		return;
	}
	cmd = app_command(app, words[0]);
	if (!cmd)
		return;
	s.arg = opt_next_argument(cmd->opts);
	for (const char *const *w = words + 1; w < last; w++)
		step(cmd, *w, &s);
	complete_last(app, cmd, &s, *last, out);
}
