/*
 * execute: one command in one box, whatever its tier: lock, environment,
 * directory, limits.
 */
#ifndef BOX_EXECUTE_H
#define BOX_EXECUTE_H

#include "box/tier.h"

struct execute_request {
	const struct box *box;
	const char *const *argv;
	const char *const *env; /* "NAME=VALUE", set last; NULL-terminated, may be NULL */
	const char *subdir;  /* below the work tree's top, where to start unless cwd is set; "" */
	const char *cwd;     /* inside: absolute, or relative to the top; NULL: subdir */
	uint64_t timeout_ms; /* 0: the policy's wall clock */
	int in, out, err;    /* -1: none */
	struct buf *capture, *capture_err;
	size_t capture_max;
};

/*
 * Errors: busy (being removed), refused (a timeout above the policy's), and those of session_run().
 * A cwd that does not exist is SESSION_CANNOT_ENTER in the result.
 */
int box_execute(const struct execute_request *req, struct session_result *out, struct error *err);

#endif
