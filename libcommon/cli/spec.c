#include "base/base.h"

#include "base/env.h"
#include "base/exit.h"
#include "cli/opt.h"
#include "wire/json.h"

#define SPEC_SCHEMA 1

static const char *kind_name(enum opt_kind kind)
{
	switch (kind) {
	case OPT_KIND_FLAG:
		return "flag";
	case OPT_KIND_STRING:
	case OPT_KIND_LIST:
	case OPT_KIND_ARG:
	case OPT_KIND_ARGS:
		return "string";
	case OPT_KIND_U64:
		return "number";
	case OPT_KIND_SIZE:
		return "size";
	case OPT_KIND_DURATION:
		return "duration";
	case OPT_KIND_CHOICE:
		return "choice";
	case OPT_KIND_REST:
		return "command";
	case OPT_KIND_END:
		break;
	}
	BUG("kind %d has no name", (int)kind);
}

static void add_text(json_t *obj, const char *key, const char *text)
{
	if (text)
		json_object_set_new(obj, key, json_text(text));
}

static json_t *spec_entry(const struct opt *o)
{
	char short_name[2] = { o->short_name, '\0' };
	json_t *obj = json_object();
	json_t *choices;

	add_text(obj, "name", o->name);
	add_text(obj, "short", o->short_name ? short_name : NULL);
	add_text(obj, "kind", kind_name(o->kind));
	add_text(obj, "value", o->arg);
	add_text(obj, "help", o->help);
	json_object_set_new(obj, "repeatable",
			    json_boolean(o->kind == OPT_KIND_LIST || o->kind == OPT_KIND_ARGS ||
					 o->kind == OPT_KIND_REST));
	if (opt_is_argument(o))
		json_object_set_new(obj, "required", json_boolean(!(o->flags & OPT_OPTIONAL)));
	if (!o->choices)
		return obj;
	choices = json_array();
	for (const char *const *c = o->choices; *c; c++)
		json_array_append_new(choices, json_text(*c));
	json_object_set_new(obj, "choices", choices);
	return obj;
}

static json_t *spec_entries(const struct command *cmd, bool arguments)
{
	json_t *list = json_array();

	for (const struct opt *o = cmd->opts; o->kind != OPT_KIND_END; o++) {
		if (opt_is_argument(o) == arguments && !(o->flags & OPT_HIDDEN))
			json_array_append_new(list, spec_entry(o));
	}
	return list;
}

static json_t *spec_command(const struct app *app, const struct command *cmd)
{
	json_t *obj = json_object();
	BUF_AUTO usage = BUF_INIT;

	opt_usage_line(app, cmd, &usage);
	add_text(obj, "name", cmd->name);
	add_text(obj, "alias", cmd->alias);
	add_text(obj, "summary", cmd->summary);
	add_text(obj, "usage", usage.data);
	json_object_set_new(obj, "options", spec_entries(cmd, false));
	json_object_set_new(obj, "arguments", spec_entries(cmd, true));
	return obj;
}

static json_t *spec_exit_codes(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < exit_table_len; i++)
		json_array_append_new(list, json_pack("{s:i, s:s}", "code", exit_table[i].code,
						      "meaning", exit_table[i].meaning));
	return list;
}

static json_t *spec_environment(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < env_table_len; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", env_table[i].name,
						      "meaning", env_table[i].meaning));
	return list;
}

void opt_json_spec(const struct app *app, struct buf *out)
{
	json_t *spec = json_object();
	json_t *commands = json_array();

	for (const struct command *const *c = app->commands; *c; c++)
		json_array_append_new(commands, spec_command(app, *c));
	json_object_set_new(spec, "schema", json_integer(SPEC_SCHEMA));
	add_text(spec, "name", app->tool);
	add_text(spec, "version", app->version);
	add_text(spec, "summary", app->summary);
	json_object_set_new(spec, "options", spec_entries(&command_top, false));
	json_object_set_new(spec, "commands", commands);
	json_object_set_new(spec, "exit_codes", spec_exit_codes());
	json_object_set_new(spec, "environment", spec_environment());
	json_canonical(spec, out);
	buf_char(out, '\n');
	json_decref(spec);
}
