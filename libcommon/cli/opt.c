#include "base/base.h"

#include "base/num.h"
#include "base/suggest.h"
#include "cli/opt.h"

struct parser {
	const struct command *cmd;
	const char *const *next; /* word */
	char *base;              /* the verb's struct */
	const struct opt *arg;   /* next argument to fill, NULL: all are */
	bool no_options;         /* after "--" */
	bool help;
};

static const struct opt help_opt = { .kind = OPT_KIND_FLAG, .short_name = 'h', .name = "help" };

bool opt_is_argument(const struct opt *o)
{
	return o->kind >= OPT_KIND_ARG;
}

bool opt_takes_value(const struct opt *o)
{
	return o->kind > OPT_KIND_FLAG && !opt_is_argument(o);
}

const struct opt *opt_next_argument(const struct opt *o)
{
	for (; o->kind != OPT_KIND_END; o++) {
		if (opt_is_argument(o))
			return o;
	}
	return NULL;
}

static bool spells(const struct opt *o, const char *name, size_t len)
{
	return o->name && !opt_is_argument(o) && strlen(o->name) == len &&
	       memcmp(o->name, name, len) == 0;
}

const struct opt *opt_find(const struct command *cmd, const char *name, size_t len)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (spells(o, name, len))
			return o;
	}
	return spells(&help_opt, name, len) ? &help_opt : NULL;
}

const struct opt *opt_find_short(const struct command *cmd, char c)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (!opt_is_argument(o) && o->short_name == c)
			return o;
	}
	return c == help_opt.short_name ? &help_opt : NULL;
}

static int set_choice(const struct opt *o, const char *value, const char **dst, struct error *err)
{
	BUF_AUTO all = BUF_INIT;
	const char *near;

	for (const char *const *c = o->choices; *c; c++) {
		if (strcmp(*c, value) == 0) {
			*dst = *c;
			return 0;
		}
		buf_fmt(&all, "%s%s", all.len ? ", " : "", *c);
	}
	error_set(err, ERR_USAGE, "'%s' is not one of %s", value, all.data);
	near = suggest_nearest(value, o->choices);
	return near ? error_hint(err, "did you mean '%s'?", near) : -1;
}

static int convert(const struct opt *o, const char *value, void *dst, struct error *err)
{
	switch (o->kind) {
	case OPT_KIND_STRING:
	case OPT_KIND_ARG:
		*(const char **)dst = value;
		return 0;
	case OPT_KIND_LIST:
	case OPT_KIND_ARGS:
	case OPT_KIND_REST:
		strv_add(dst, value);
		return 0;
	case OPT_KIND_U64:
		return num_u64(value, 0, UINT64_MAX, dst, err);
	case OPT_KIND_SIZE:
		return num_size(value, dst, err);
	case OPT_KIND_DURATION:
		return num_duration_ms(value, dst, err);
	case OPT_KIND_CHOICE:
		return set_choice(o, value, dst, err);
	case OPT_KIND_FLAG:
	case OPT_KIND_END:
		break;
	}
	BUG("option '%s' takes no value", o->name);
}

/* Whatever is wrong with a value typed by somebody, a limit included, is a wrong call. */
static int set_value(struct parser *p, const struct opt *o, const char *value, struct error *err)
{
	if (convert(o, value, p->base + o->offset, err) == 0)
		return 0;
	err->kind = ERR_USAGE;
	if (o->name)
		return error_wrap(err, "--%s", o->name);
	return error_wrap(err, "-%c", o->short_name);
}

static void set_flag(struct parser *p, const struct opt *o, bool on)
{
	if (o == &help_opt)
		p->help = on;
	else
		*(bool *)(p->base + o->offset) = on;
}

/* The word after an option that wants a value, whatever it looks like. */
static int set_from_next(struct parser *p, const struct opt *o, const char *spelling,
			 struct error *err)
{
	if (!*p->next)
		return error_set(err, ERR_USAGE, "option '%s' needs a value (%s)", spelling,
				 o->arg);
	return set_value(p, o, *p->next++, err);
}

struct match {
	const struct opt *opt;
	bool negated;
	size_t count;
};

/* Counts o when `name` abbreviates it, or its "no-" form where it is a flag. */
static void try_prefix(const struct opt *o, const char *name, size_t len, struct match *m,
		       struct buf *list)
{
	bool plain, negated;

	if (!o->name || opt_is_argument(o) || o->flags & OPT_HIDDEN)
		return;
	plain = strncmp(o->name, name, len) == 0;
	negated = o->kind == OPT_KIND_FLAG && o != &help_opt && len > 3 &&
		  strncmp(name, "no-", 3) == 0 && strncmp(o->name, name + 3, len - 3) == 0;
	if (!plain && !negated)
		return;
	buf_fmt(list, "%s--%s%s", m->count ? ", " : "", plain ? "" : "no-", o->name);
	m->opt = o;
	m->negated = !plain;
	m->count++;
}

static void unknown_option(const struct command *cmd, const char *name, size_t len,
			   struct error *err)
{
	STRV_AUTO known = STRV_INIT;
	BUF_AUTO word = BUF_INIT;
	const char *near;

	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (o->name && !opt_is_argument(o) && !(o->flags & OPT_HIDDEN))
			strv_add(&known, o->name);
	}
	strv_add(&known, help_opt.name);
	buf_add(&word, name, len);
	error_set(err, ERR_USAGE, "unknown option '--%s'", word.data);
	near = suggest_nearest(word.data, strv_argv(&known));
	if (near)
		error_hint(err, "did you mean '--%s'?", near);
}

static int find_long(const struct command *cmd, const char *name, size_t len, struct match *m,
		     struct error *err)
{
	BUF_AUTO list = BUF_INIT;

	m->opt = opt_find(cmd, name, len);
	if (m->opt)
		return 0;
	if (len > 3 && strncmp(name, "no-", 3) == 0) {
		m->opt = opt_find(cmd, name + 3, len - 3);
		m->negated = m->opt && m->opt->kind == OPT_KIND_FLAG && m->opt != &help_opt;
		if (m->negated)
			return 0;
	}
	m->opt = NULL;
	if (len > 0) {
		for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++)
			try_prefix(o, name, len, m, &list);
		try_prefix(&help_opt, name, len, m, &list);
	}
	if (m->count == 1)
		return 0;
	if (m->count == 0)
		unknown_option(cmd, name, len, err);
	else
		error_set(err, ERR_USAGE, "ambiguous option '--%.*s': could be %s", (int)len, name,
			  list.data);
	return -1;
}

static int parse_long(struct parser *p, const char *word, struct error *err)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	struct match m = { .opt = NULL };

	if (find_long(p->cmd, name, len, &m, err))
		return -1;
	if (opt_takes_value(m.opt)) {
		if (value)
			return set_value(p, m.opt, value, err);
		return set_from_next(p, m.opt, word, err);
	}
	if (value)
		return error_set(err, ERR_USAGE, "option '--%.*s' takes no value", (int)len, name);
	set_flag(p, m.opt, !m.negated);
	return 0;
}

/* "-q", "-qv", "-e VALUE", "-eVALUE", "-qe VALUE". */
static int parse_bundle(struct parser *p, const char *word, struct error *err)
{
	for (const char *c = word + 1; *c; c++) {
		const struct opt *o = opt_find_short(p->cmd, *c);
		char spelling[3] = { '-', *c, '\0' };

		if (!o)
			return error_set(err, ERR_USAGE, "unknown option '-%c'%s%s%s", *c,
					 word[2] ? " in '" : "", word[2] ? word : "",
					 word[2] ? "'" : "");
		if (opt_takes_value(o))
			return c[1] ? set_value(p, o, c + 1, err)
				    : set_from_next(p, o, spelling, err);
		set_flag(p, o, true);
	}
	return 0;
}

/* All words left belong to the command that is to be run. */
static void take_rest(struct parser *p, const struct opt *rest)
{
	while (*p->next)
		strv_add((struct strv *)(p->base + rest->offset), *p->next++);
}

static const struct opt *find_rest(const struct command *cmd)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (o->kind == OPT_KIND_REST)
			return o;
	}
	return NULL;
}

static int parse_argument(struct parser *p, const char *word, struct error *err)
{
	const struct opt *o = p->arg;

	if (!o)
		return error_set(err, ERR_USAGE, "unexpected argument '%s'", word);
	if (o->kind == OPT_KIND_REST) {
		if (o->flags & OPT_NEED_DASHES) {
			error_set(err, ERR_USAGE, "unexpected argument '%s'", word);
			return error_hint(err, "put '--' before the command");
		}
		p->next--;
		take_rest(p, o);
		return 0;
	}
	if (o->kind == OPT_KIND_ARG)
		p->arg = opt_next_argument(o + 1);
	return convert(o, word, p->base + o->offset, err);
}

static int check_missing(const struct parser *p, struct error *err)
{
	for (const struct opt *o = p->arg; o; o = opt_next_argument(o + 1)) {
		const struct strv *list = (const struct strv *)(p->base + o->offset);

		if (o->flags & OPT_OPTIONAL || (o->kind != OPT_KIND_ARG && list->len > 0))
			continue;
		return error_set(err, ERR_USAGE, "missing %s: %s", o->name, o->help);
	}
	return 0;
}

static int parse_dashes(struct parser *p)
{
	const struct opt *rest = find_rest(p->cmd);

	p->no_options = true;
	if (rest)
		take_rest(p, rest);
	return 0;
}

static int parse_word(struct parser *p, struct error *err)
{
	const char *word = *p->next++;

	if (p->no_options || word[0] != '-' || word[1] == '\0')
		return parse_argument(p, word, err);
	if (strcmp(word, "--") == 0)
		return parse_dashes(p);
	return word[1] == '-' ? parse_long(p, word, err) : parse_bundle(p, word, err);
}

int opt_parse(const struct command *cmd, const char *const *argv, void *opts, bool *help_out,
	      struct error *err)
{
	struct parser p = {
		.cmd = cmd,
		.next = argv,
		.base = opts,
		.arg = opt_next_argument(cmd->opts),
	};

	while (*p.next && !p.help) {
		if (parse_word(&p, err))
			return -1;
	}
	if (!p.help && check_missing(&p, err))
		return -1;
	*help_out = p.help;
	return 0;
}

void opt_release(const struct command *cmd, void *opts)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (o->kind == OPT_KIND_LIST || o->kind == OPT_KIND_ARGS ||
		    o->kind == OPT_KIND_REST)
			strv_release((struct strv *)((char *)opts + o->offset));
	}
}
