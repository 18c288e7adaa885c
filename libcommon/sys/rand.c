#include "base/base.h"

#include <errno.h>
#include <sys/random.h>

#include "base/num.h"
#include "sys/rand.h"

void rand_hex(char *dst, size_t digits)
{
	unsigned char raw[16];
	char text[2 * sizeof(raw) + 1];

	while (digits) {
		size_t n = digits < 2 * sizeof(raw) ? digits : 2 * sizeof(raw);

		/* Up to 256 bytes come whole; only an interrupted wait at early boot can fail. */
		while (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
			if (errno != EINTR)
				BUG("no random numbers: errno %d", errno);
		num_hex(raw, sizeof(raw), text);
		memcpy(dst, text, n);
		dst += n;
		digits -= n;
	}
	*dst = '\0';
}
