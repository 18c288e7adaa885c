/*
 * keyed-sum: a sum over a stream of bytes that nobody without the key can steer
 * (BLAKE2b with a key, RFC 7693).
 */
#ifndef CRYPTO_KEYED_SUM_H
#define CRYPTO_KEYED_SUM_H

#include "base/base.h"

#define KEYED_SUM_KEY 64 /* any bytes */
#define KEYED_SUM_HEX 64

struct keyed_sum {
	_Alignas(64) unsigned char state[384]; /* crypto_generichash_state */
};

void keyed_sum_begin(const char key[KEYED_SUM_KEY], struct keyed_sum *s);
void keyed_sum_add(struct keyed_sum *s, const void *data, size_t len);
/* Lower-case hex and NUL. */
void keyed_sum_end(struct keyed_sum *s, char dst[KEYED_SUM_HEX + 1]);

#endif
