#include "base/base.h"

#include <sodium.h>

#include "base/num.h"
#include "crypto/keyed-sum.h"

_Static_assert(sizeof(struct keyed_sum) >= sizeof(crypto_generichash_state), "room for the state");

static crypto_generichash_state *state(struct keyed_sum *s)
{
	return (crypto_generichash_state *)(void *)s->state;
}

void keyed_sum_begin(const char key[KEYED_SUM_KEY], struct keyed_sum *s)
{
	crypto_generichash_init(state(s), (const unsigned char *)key, KEYED_SUM_KEY,
				KEYED_SUM_HEX / 2);
}

void keyed_sum_add(struct keyed_sum *s, const void *data, size_t len)
{
	crypto_generichash_update(state(s), data, len);
}

void keyed_sum_end(struct keyed_sum *s, char dst[KEYED_SUM_HEX + 1])
{
	unsigned char raw[KEYED_SUM_HEX / 2];

	crypto_generichash_final(state(s), raw, sizeof(raw));
	num_hex(raw, sizeof(raw), dst);
}
