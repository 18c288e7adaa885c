#include "base/base.h"

#include <sodium.h>

#include "base/num.h"
#include "crypto/digest.h"

void digest_hex(const void *data, size_t len, char dst[DIGEST_HEX + 1])
{
	unsigned char raw[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(raw, data, len);
	num_hex(raw, sizeof(raw), dst);
}
