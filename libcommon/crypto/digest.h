/*
 * digest: SHA-256 by libsodium.
 */
#ifndef CRYPTO_DIGEST_H
#define CRYPTO_DIGEST_H

#include "base/error.h"

#define DIGEST_HEX 64

/* Lower-case hex and NUL. */
void digest_hex(const void *data, size_t len, char dst[DIGEST_HEX + 1]);

struct digest_sum {
	char hex[DIGEST_HEX + 1];
	uint64_t size;
};

/*
 * What is read from the descriptor `from` up to its end, at most max bytes; each byte that counts
 * is also written to `to` (-1: nowhere). Errors: limit (there is more), sys.
 */
int digest_stream(int from, int to, uint64_t max, struct digest_sum *out, struct error *err);

#endif
