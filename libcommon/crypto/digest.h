/*
 * digest: SHA-256 by libsodium.
 */
#ifndef CRYPTO_DIGEST_H
#define CRYPTO_DIGEST_H

#include "base/base.h"

#define DIGEST_HEX 64

/* Lower-case hex and NUL. */
void digest_hex(const void *data, size_t len, char dst[DIGEST_HEX + 1]);

#endif
