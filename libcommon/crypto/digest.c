#include "base/base.h"

#include <errno.h>
#include <sodium.h>

#include "base/buf.h"
#include "base/num.h"
#include "crypto/digest.h"
#include "sys/fd.h"

#define CHUNK (256u << 10)

void digest_hex(const void *data, size_t len, char dst[DIGEST_HEX + 1])
{
	unsigned char raw[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(raw, data, len);
	num_hex(raw, sizeof(raw), dst);
}

static ssize_t read_some(int fd, void *dst, size_t len)
{
	ssize_t n;

	do
		n = read(fd, dst, len);
	while (n < 0 && errno == EINTR);
	return n;
}

int digest_stream(int from, int to, uint64_t max, struct digest_sum *out, struct error *err)
{
	unsigned char raw[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	BUF_AUTO chunk = BUF_INIT;
	uint64_t size = 0;
	ssize_t n;

	buf_grow(&chunk, CHUNK);
	crypto_hash_sha256_init(&state);
	while ((n = read_some(from, chunk.data, CHUNK)) > 0) {
		size += (size_t)n;
		if (size > max)
			return error_set(err, ERR_LIMIT, "the file has more than %llu bytes",
					 (unsigned long long)max);
		crypto_hash_sha256_update(&state, (unsigned char *)chunk.data, (size_t)n);
		if (to >= 0 && fd_write_full(to, chunk.data, (size_t)n, err))
			return -1;
	}
	if (n < 0)
		return error_sys(err, errno, "cannot read a file");
	crypto_hash_sha256_final(&state, raw);
	num_hex(raw, sizeof(raw), out->hex);
	out->size = size;
	return 0;
}
