/*
 * git-box-mason: one operation inside one box's directories (mason/mason.h).
 * It is started confined, so it confines nothing itself.
 */
#include "base/base.h"

#include <errno.h>

#include "base/exit.h"
#include "base/num.h"
#include "base/rd.h"
#include "mason/mason.h"
#include "sys/fd.h"

#define FILES_MAX 1024
#define COMMIT_MAX 65 /* a SHA-256 in hex, newline */
#define SUBMODULES_MAX 128
#define INPUT_MAX (4u << 20)
#define INPUT_CHUNK 65536

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

	if (fd_write_full(STDOUT_FILENO, "ready\n", 6, err))
		return -1;
	return read_commit(&commit, err) ? -1 :
					   mason_checkout(argv[0], commit.data,
							  argc > 1 ? argv[1] : "", out, err);
}

static int read_input(struct buf *out, struct error *err)
{
	ssize_t n;

	do {
		buf_grow(out, INPUT_CHUNK);
		n = read(STDIN_FILENO, out->data + out->len, INPUT_CHUNK);
		if (n < 0)
			return error_sys(err, errno, "cannot read stdin");
		out->len += (size_t)n;
		out->data[out->len] = '\0';
	} while (n > 0 && out->len <= INPUT_MAX);
	return n > 0 ? error_set(err, ERR_LIMIT, "that is too much on stdin") : 0;
}

/* Six strings for each, in the order of the struct, with a NUL after each. */
static int op_submodules(int argc, const char *const *argv, struct buf *out, struct error *err)
{
	struct mason_submodule list[SUBMODULES_MAX];
	BUF_AUTO input = BUF_INIT;
	struct rd r;
	size_t len = 0;

	(void)argc;
	if (read_input(&input, err))
		return -1;
	for (r = rd_init(input.data, input.len); r.len && !r.bad && len < SUBMODULES_MAX; len++) {
		struct mason_submodule *m = &list[len];
		const char **const fields[] = { &m->parent_path, &m->parent_dir, &m->path,
						&m->name,	 &m->commit,	 &m->alternates };

		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			*fields[i] = rd_cstring(&r, INPUT_MAX);
	}
	if (!rd_done(&r))
		return error_set(err, ERR_USAGE, "that is no list of submodules");
	return mason_submodules(argv[0], list, len, out, err);
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
	{ "checkout", 1, 2, op_checkout },
	{ "submodules", 1, 1, op_submodules },
	{ "snapshot", 4, 5, op_snapshot },
	{ "rebase", 7, 7, op_rebase },
	{ "readable", 1, 1, op_readable },
	{ "remove", 1, 64, op_remove },
	{ "read", 3, FILES_MAX, op_read },
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
