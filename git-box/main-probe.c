/*
 * git-box-probe FILE SOCKET ABSTRACT PORT: tries to get out. Started by the
 * self-test inside a box; started outside, it shows that its attempts are real.
 * One line for each success; the exit code names the first.
 */
#include "base/base.h"

#include "base/exit.h"
#include "base/num.h"
#include "box/escape.h"

int main(int argc, char **argv)
{
	struct error err = ERROR_INIT;
	uint64_t port;
	int code = 0;

	if (argc != 5 || num_u64(argv[4], 1, UINT16_MAX, &port, &err))
		return EXIT_USAGE;
	struct escape_targets t = { argv[1], argv[2], argv[3], (uint16_t)port };
	for (size_t i = 0; i < escapes_len; i++) {
		if (!escapes[i].attempt(&t))
			continue;
		printf("%s\n", escapes[i].name);
		if (!code)
			code = ESCAPE_EXIT_BASE + (int)i;
	}
	return code;
}
