/*
 * The confined tiers' workspace. The host looks at nothing in it: the mason
 * compares files, the box's own git counts commits, each in its confinement.
 * What the box says of its commits can only make a removal ask for more.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/num.h"
#include "box/mason.h"
#include "box/session.h"
#include "box/work.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"

#define COUNT_TIMEOUT_MS 60000
#define COUNT_OUT_MAX 64
#define COPY_CHUNK (1u << 30)

/* Boxes are made without it, and it belongs to the payload's ids, as the mason does. */
static int make_snap(const struct box *b, struct error *err)
{
	FD_AUTO fd = -1;

	if (mkdirat(b->fd, "snap", 0700) < 0 && errno != EEXIST)
		return error_sys(err, errno, "cannot make %s/snap", b->path.data);
	fd = openat(b->fd, "snap", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, errno, "cannot open %s/snap", b->path.data);
	if (b->m.uid != geteuid() && fchown(fd, b->m.uid, b->m.gid) < 0)
		return error_sys(err, errno, "cannot give %s/snap to uid %u", b->path.data,
				 b->m.uid);
	return 0;
}

/* "tree <hex>\n" from the mason. */
static int parse_tree(const struct buf *out, struct buf *tree, struct error *err)
{
	static const char label[] = "tree ";
	size_t len;

	if (strncmp(out->data, label, strlen(label)) != 0)
		return error_set(err, ERR_PEER, "the box's mason gave no tree");
	len = strspn(out->data + strlen(label), "0123456789abcdef");
	if ((len != 40 && len != 64) || out->data[strlen(label) + len] != '\n')
		return error_set(err, ERR_PEER, "the box's mason gave a tree that is none");
	buf_add(tree, out->data + strlen(label), len);
	return 0;
}

static int snapshot(const struct box *b, bool *differs_out, struct error *err)
{
	struct lower_box lower;
	BUF_AUTO work = BUF_INIT;
	BUF_AUTO snap = BUF_INIT;
	BUF_AUTO out = BUF_INIT;
	BUF_AUTO tree = BUF_INIT;

	buf_fmt(&work, "%s/work", b->path.data);
	buf_fmt(&snap, "%s/snap", b->path.data);
	box_lowering(b, &lower);
	const char *const argv[] = {
		MASON_PATH, "snapshot", work.data, snap.data, b->m.base_commit.data, NULL
	};

	if (make_snap(b, err) < 0 || mason_run(&lower, argv, &out, err) < 0 ||
	    parse_tree(&out, &tree, err) < 0)
		return error_wrap(err, "cannot tell whether box '%s' holds work", b->m.name.data);
	*differs_out = strcmp(tree.data, b->m.base_tree.data) != 0;
	return 0;
}

/* What the host knows anyway does not count as the box's: its refs were copied into the box. */
static int known_commits(const struct repo *repo, const struct box *b, struct buf *out,
			 struct error *err)
{
	static const char *const refs[] = { "for-each-ref", "--format=^%(objectname)", NULL };

	buf_fmt(out, "^%s\n", b->m.base_commit.data);
	return git_want(repo, refs, NULL, out, err);
}

static int plan_inside(const struct box *b, struct buf *out, struct strv *env, struct error *err)
{
	struct lower_box lower;
	struct plan_builder plan;
	int rc;

	box_lowering(b, &lower);
	plan_begin(&plan);
	rc = lower_box(&b->policy, &lower, &plan, err);
	if (rc == 0)
		plan_finish(&plan, out);
	plan_release(&plan);
	lower_env(&b->policy, &lower, NULL, env);
	return rc;
}

static int ask_commits(const struct repo *repo, const struct box *b, struct buf *out,
		       struct error *err)
{
	const char *const argv[] = { "git",      "-C",      b->m.repo_top.data,
				     "rev-list", "--count", "--ignore-missing",
				     "--all",    "--stdin", NULL };
	STRV_AUTO env = STRV_INIT;
	BUF_AUTO plan = BUF_INIT;
	BUF_AUTO known = BUF_INIT;
	FD_AUTO in = -1;
	struct session_result result;
	struct session_request req = {
		.plan = &plan,
		.argv = argv,
		.cwd = b->m.repo_top.data,
		.timeout_ms = COUNT_TIMEOUT_MS,
		.box_fd = -1,
		.lock_fd = -1,
		.label = "rm: counting commits",
		.out = -1,
		.err = -1,
		.capture = out,
		.capture_max = COUNT_OUT_MAX,
	};

	if (known_commits(repo, b, &known, err) < 0 || plan_inside(b, &plan, &env, err) < 0)
		return -1;
	in = fd_sealed("known-commits", known.data, known.len, err);
	if (in < 0)
		return -1;
	req.in = in;
	req.envp = strv_argv(&env);
	if (session_run(&req, &result, err) < 0)
		return -1;
	if (result.end != SESSION_EXITED || result.code != 0)
		return error_set(err, ERR_PEER, "git failed in the box");
	return 0;
}

static void count_commits(const struct repo *repo, const struct box *b, struct work_found *found)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;

	found->commits_known = false;
	if (ask_commits(repo, b, &out, &ignored) < 0)
		return;
	buf_truncate(&out, strcspn(out.data, "\n"));
	found->commits_known = num_u64(out.data, 0, UINT32_MAX, &found->commits, &ignored) == 0;
}

static int look(const struct repo *repo, const struct box *b, struct work_found *out,
		struct error *err)
{
	*out = (struct work_found){ .differs = false };
	if (snapshot(b, &out->differs, err) < 0)
		return -1;
	count_commits(repo, b, out);
	return 0;
}

static int copy_all(int from, int to, struct error *err)
{
	ssize_t n;

	do
		n = sendfile(to, from, NULL, COPY_CHUNK);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? error_sys(err, errno, "cannot copy the bundle") : 0;
}

/* A copy, because the mason's uid may still hold its own file open. */
static int bundle(const struct repo *repo, const struct box *b, int fd, struct error *err)
{
	FD_AUTO from = file_open_beneath(b->fd, "snap/bundle", O_RDONLY | O_NONBLOCK, 0, err);
	struct stat st;

	(void)repo;
	if (from < 0)
		return error_wrap(err, "the box's mason left no bundle");
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(err, ERR_CORRUPT, "the box's mason left a bundle that is no file");
	return copy_all(from, fd, err);
}

static int empty(const struct repo *repo, const struct box *b, struct error *err)
{
	STRV_AUTO argv = STRV_INIT;
	struct lower_box lower;

	(void)repo;
	strv_add(&argv, MASON_PATH);
	strv_add(&argv, "remove");
	for (size_t i = 0; work_dirs[i]; i++) {
		if (file_exists(b->fd, work_dirs[i]))
			strv_addf(&argv, "%s/%s", b->path.data, work_dirs[i]);
	}
	if (argv.len == 2)
		return 0;
	box_lowering(b, &lower);
	return mason_run(&lower, strv_argv(&argv), NULL, err);
}

const struct work_ops work_private = { .look = look, .bundle = bundle, .empty = empty };
