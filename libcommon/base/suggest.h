/*
 * suggest: the nearest known word to a mistyped one.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/base.h"

/*
 * The candidate nearest to word by Damerau-Levenshtein distance (bytes), or
 * NULL where none is near enough (distance <= 1 + len/4, or word is a prefix
 * of just one candidate). candidates is NULL-terminated; the result is borrowed.
 */
const char *suggest_nearest(const char *word, const char *const *candidates);

#endif
