/*
 * diff-args: which of git diff's options an operator may hand through. Those
 * that only choose what is shown, and how; none that runs a program, reads a
 * file of the host or writes one.
 */
#ifndef GIT_BOX_DIFF_ARGS_H
#define GIT_BOX_DIFF_ARGS_H

#include "base/error.h"
#include "base/strv.h"

/*
 * Sorts words into options and paths: options come first, everything after "--" or after the first
 * path is a path. Paths are relative to prefix (below the top, "" at the top). Pure. Errors: usage
 * (not one of the options; says why where it is known).
 */
int diff_args_sort(const struct strv *words, const char *prefix, struct strv *options,
		   struct strv *paths, struct error *err);

#endif
