#include "base/base.h"

#include <stdarg.h>

#include "base/error.h"

/*
 * Text goes through a copy of its own, because the arguments may point into
 * *err: error_set(&err, kind, "%s", err.msg) is natural to write.
 */
static void fill(struct error *err, enum error_kind kind, const char *text)
{
	err->kind = kind;
	err->sys = 0;
	err->hint[0] = '\0';
	snprintf(err->msg, sizeof(err->msg), "%s", text);
}

int error_set(struct error *err, enum error_kind kind, const char *fmt, ...)
{
	char text[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fill(err, kind, text);
	return -1;
}

int error_sys(struct error *err, int errno_value, const char *fmt, ...)
{
	const char *reason = strerrordesc_np(errno_value);
	char text[sizeof(err->msg)];
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = strlen(text);
	if (reason)
		snprintf(text + len, sizeof(text) - len, ": %s", reason);
	else
		snprintf(text + len, sizeof(text) - len, ": error %d", errno_value);
	fill(err, ERR_SYS, text);
	err->sys = errno_value;
	return -1;
}

int error_wrap(struct error *err, const char *fmt, ...)
{
	char text[2 * sizeof(err->msg)];
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, ": %s", err->msg);
	text[sizeof(err->msg) - 1] = '\0';
	memcpy(err->msg, text, strlen(text) + 1);
	return -1;
}

int error_hint(struct error *err, const char *fmt, ...)
{
	char text[sizeof(err->hint)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(err->hint, text, strlen(text) + 1);
	return -1;
}

const char *error_kind_name(enum error_kind kind)
{
	static const char *const names[ERR_KIND_MAX] = {
		[ERR_NONE] = "none",
		[ERR_USAGE] = "usage",
		[ERR_NOTFOUND] = "notfound",
		[ERR_EXISTS] = "exists",
		[ERR_BUSY] = "busy",
		[ERR_REFUSED] = "refused",
		[ERR_UNSUPPORTED] = "unsupported",
		[ERR_CORRUPT] = "corrupt",
		[ERR_PEER] = "peer",
		[ERR_LIMIT] = "limit",
		[ERR_SYS] = "sys",
	};

	if ((unsigned int)kind >= ERR_KIND_MAX)
		BUG("error kind %d", (int)kind);
	return names[kind];
}
