/*
 * git-box-mason: one operation inside one box's directories (mason/mason.h).
 * It is started confined, so it confines nothing itself.
 */
#include "base/base.h"

#include "base/exit.h"
#include "base/num.h"
#include "mason/mason.h"
#include "sys/fd.h"

#define FILES_MAX 1024
#define COMMIT_MAX 65 /* a SHA-256 in hex, newline */

/* The commit comes last and by stdin, so that all else is ready when it is known. */
static int read_commit(struct buf *out, struct error *err)
{
	char byte;

	while (out->len < COMMIT_MAX) {
		if (fd_read_full(STDIN_FILENO, &byte, 1, err))
			return error_wrap(err, "no commit was named");
		if (byte == '\n')
			return 0;
		buf_char(out, byte);
	}
	return error_set(err, ERR_USAGE, "that is no commit");
}

static int op_checkout(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	BUF_AUTO commit = BUF_INIT;

	(void)argc;
	if (fd_write_full(STDOUT_FILENO, "ready\n", 6, err))
		return -1;
	return read_commit(&commit, err) ? -1 : mason_checkout(argv[0], commit.data, out, err);
}

static int op_snapshot(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	const struct snapshot_request req = { .work = argv[0],
					      .snap_dir = argv[1],
					      .commit = argv[2],
					      .tree = argv[3],
					      .thorough = argc > 4 && !strcmp(argv[4], "thorough"),
					      .glance = argc > 4 && !strcmp(argv[4], "glance") };

	return mason_snapshot(&req, out, err);
}

static int op_rebase(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	struct mason_rebase what = {
		.from = argv[2], .to = argv[3], .commit = argv[4], .branch = argv[5]
	};
	uint64_t stores;

	(void)argc;
	(void)out;
	if (num_u64(argv[6], 1, FILES_MAX, &stores, err))
		return -1;
	what.stores = stores;
	return mason_rebase(argv[0], argv[1], &what, err);
}

static int op_readable(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	(void)argc;
	(void)out;
	return mason_make_readable(argv[0], err);
}

static int op_remove(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	(void)out;
	for (int i = 0; i < argc; i++) {
		if (mason_remove(argv[i], err))
			return -1;
	}
	return 0;
}

/* argv ends with NULL, as main()'s. */
static int op_read(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	uint64_t max;

	(void)argc;
	(void)out;
	return num_u64(argv[1], 0, INT64_MAX, &max, err) ? -1 :
							   mason_read(argv[0], max, argv + 2, err);
}

static int op_write(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	(void)argc;
	(void)out;
	return mason_write(argv[0], !strcmp(argv[1], "replace"), argv + 2, err);
}

static const struct {
	const char *name;
	int args_min, args_max;
	int (*run)(int argc, const char *const *argv, struct buf *out, struct error *err);
} ops[] = {
	{ "checkout", 1, 1, op_checkout },   { "snapshot", 4, 5, op_snapshot },
	{ "rebase", 7, 7, op_rebase },	     { "readable", 1, 1, op_readable },
	{ "remove", 1, 64, op_remove },	     { "read", 3, FILES_MAX, op_read },
	{ "write", 3, FILES_MAX, op_write },
};

static int run(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	for (size_t i = 0; argc >= 1 && i < ARRAY_SIZE(ops); i++) {
		if (!strcmp(argv[0], ops[i].name) && argc - 1 >= ops[i].args_min &&
		    argc - 1 <= ops[i].args_max)
			return ops[i].run(argc - 1, argv + 1, out, err);
	}
	return error_set(err, ERR_USAGE, "no such operation");
}

int main(int argc, char **argv)
{
	BUF_AUTO out = BUF_INIT;
	struct error err = ERROR_INIT;

	if (run(argc - 1, (const char *const *)argv + 1, &out, &err) ||
	    fd_write_full(STDOUT_FILENO, out.data, out.len, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return exit_for(err.kind);
	}
	return EXIT_OK;
}
