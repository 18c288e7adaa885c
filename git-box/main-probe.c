/*
 * git-box-probe FILE SOCKET ABSTRACT PORT: tries to get out. Started by the
 * self-test inside a box; started outside, it shows that its attempts are real.
 * Names what worked on stderr, the exit code is the first of it; the mount
 * table as it is seen from here goes to stdout.
 */
#include "base/base.h"

#include <fcntl.h>

#include "base/exit.h"
#include "base/num.h"
#include "box/escape.h"
#include "sys/fd.h"
#include "sys/file.h"

#define TABLE_MAX (1u << 20)

int main(int argc, char **argv)
{
	struct error err = ERROR_INIT;
	BUF_AUTO table = BUF_INIT;
	uint64_t port;
	int code = 0;

	if (argc != 5 || num_u64(argv[4], 1, UINT16_MAX, &port, &err))
		return EXIT_USAGE;
	struct escape_targets t = { argv[1], argv[2], argv[3], (uint16_t)port };
	for (size_t i = 0; i < escapes_len; i++) {
		if (!escapes[i].attempt(&t))
			continue;
		fprintf(stderr, "%s\n", escapes[i].name);
		if (!code)
			code = ESCAPE_EXIT_BASE + (int)i;
	}
	if (file_read(AT_FDCWD, "/proc/self/mountinfo", TABLE_MAX, &table, &err) ||
	    fd_write_full(STDOUT_FILENO, table.data, table.len, &err))
		return EXIT_FATAL;
	return code;
}
