/*
 * env: the only place that reads the environment, and the table of every
 * variable that we look at (printed in the manual's ENVIRONMENT section).
 */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include "base/base.h"

struct env_row {
	const char *name;
	const char *meaning;
};
extern const struct env_row env_table[];
extern const size_t env_table_len;

/*
 * Value, or NULL where unset or empty. A name that is not in env_table is a
 * BUG(), so that the table cannot lie. Borrowed: valid until exit.
 */
const char *env_get(const char *name);

/* Any variable by name, for `pass` lists of a policy only: not in the table. NULL where unset. */
const char *env_foreign(const char *name);

#endif
