#include "base/base.h"

#include "base/suggest.h"

/* No word of ours is longer; anything that is longer is not a typing error. */
#define WORD_MAX 63

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Insert, delete, replace a byte, or swap two neighbours: each counts 1. Both <= WORD_MAX. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned char d[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = (unsigned char)i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = (unsigned char)j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = d[i - 1][j - 1] + (size_t)(a[i - 1] != b[j - 1]);

			best = least(best, d[i - 1][j] + 1U);
			best = least(best, d[i][j - 1] + 1U);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = least(best, d[i - 2][j - 2] + 1U);
			d[i][j] = (unsigned char)best;
		}
	}
	return d[a_len][b_len];
}

/* The only candidate that begins with word, or NULL. */
static const char *completed(const char *word, size_t len, const char *const *candidates)
{
	const char *found = NULL;

	for (; *candidates; candidates++) {
		if (strncmp(*candidates, word, len) != 0)
			continue;
		if (found)
			return NULL;
		found = *candidates;
	}
	return found;
}

const char *suggest_nearest(const char *word, const char *const *candidates)
{
	size_t len = strlen(word);
	size_t best = len / 4 + 2; /* one more than is near enough */
	const char *found = NULL;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (size_t i = 0; candidates[i]; i++) {
		size_t c_len = strlen(candidates[i]);
		size_t d;

		if (c_len > WORD_MAX)
			continue;
		d = distance(word, len, candidates[i], c_len);
		if (d < best) {
			best = d;
			found = candidates[i];
		}
	}
	return found ? found : completed(word, len, candidates);
}
