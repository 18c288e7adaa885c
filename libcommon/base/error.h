/*
 * error: what went wrong, as a value on the caller's stack.
 *
 * Convention of the whole tree: `int f(..., struct error *err)` returns 0, or
 * -1 with *err filled. *err is untouched on success; out-parameters are
 * untouched on failure. Kinds drive exit codes, retries and tests; the text is
 * for people and names the object, the cause and the next step.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/base.h"

enum error_kind {
	ERR_NONE = 0,
	ERR_USAGE,	 /* the call is wrong */
	ERR_NOTFOUND,	 /* no such object, or ambiguous */
	ERR_EXISTS,	 /* it is already there */
	ERR_BUSY,	 /* somebody holds it; try again */
	ERR_REFUSED,	 /* policy or safety says no */
	ERR_UNSUPPORTED, /* this host cannot do it */
	ERR_CORRUPT,	 /* stored or received bytes are not what they must be */
	ERR_PEER,	 /* another process or machine failed us */
	ERR_LIMIT,	 /* a bound of ours was reached */
	ERR_SYS,	 /* a system call failed, see sys */
	ERR_KIND_MAX
};

struct error {
	enum error_kind kind;
	int sys; /* errno, or 0 */
	char msg[1024];
	char hint[512]; /* next step; may be empty */
};

#define ERROR_INIT { .kind = ERR_NONE }

/* Fills *err (message is printf style, no newline). Always returns -1. */
int error_set(struct error *err, enum error_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* As error_set() with kind ERR_SYS; appends ": " and the text of errno_value. Returns -1. */
int error_sys(struct error *err, int errno_value, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Puts "context: " before the message already in *err. Returns -1. */
int error_wrap(struct error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Sets the next step, e.g. "run 'git box ls'". Returns -1. */
int error_hint(struct error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Stable lower-case name of a kind ("busy"), for --json and traces. */
const char *error_kind_name(enum error_kind kind);

#endif
