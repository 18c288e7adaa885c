#include "base/base.h"

#include "base/env.h"
#include "cli/app.h"
#include "cli/opt.h"

/* NO_COLOR as in no-color.org: any value but the empty one. */
static bool terminal_is_plain(void)
{
	const char *term = env_get("TERM");

	return env_get("NO_COLOR") || !term || strcmp(term, "dumb") == 0;
}

void app_terminal(struct app *app)
{
	const char *term = env_get("TERM");
	bool out = isatty(STDOUT_FILENO);
	bool err = isatty(STDERR_FILENO);
	bool color = (out || err) && !terminal_is_plain();

	app->color_out = out && color;
	app->color_err = err && color;
	app->progress = err && term && strcmp(term, "dumb") != 0;
}

void app_title(const struct app *app, struct buf *out)
{
	size_t start = out->len;
	char *dash;

	buf_str(out, app->tool);
	dash = memchr(out->data + start, '-', out->len - start);
	if (dash)
		*dash = ' ';
}

const struct command *app_command(const struct app *app, const char *name)
{
	for (const struct command *const *c = app->commands; *c; c++) {
		if (strcmp((*c)->name, name) == 0)
			return *c;
		if ((*c)->alias && strcmp((*c)->alias, name) == 0)
			return *c;
	}
	return NULL;
}
