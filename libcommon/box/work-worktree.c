/*
 * The workspace tier's plain git worktree. Nothing confines what runs there, it
 * has the operator's rights anyway, so the operator's git may look at it.
 */
#include "base/base.h"

#include <unistd.h>

#include "base/num.h"
#include "box/work.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/lock.h"

#define LOCK_WAIT_MS 60000
#define KEEP_REF "refs/box/kept"

static void work_path(const struct box *b, struct buf *out)
{
	buf_fmt(out, "%s/work", b->path.data);
}

/* git in the worktree; *out without its last newline. */
static int git_there(const struct box *b, const char *const *args, struct buf *out,
		     struct error *err)
{
	static const char *const env[] = { "GIT_AUTHOR_NAME=git box",
					   "GIT_AUTHOR_EMAIL=box@localhost",
					   "GIT_COMMITTER_NAME=git box",
					   "GIT_COMMITTER_EMAIL=box@localhost", NULL };
	BUF_AUTO path = BUF_INIT;
	struct git_cmd cmd = { .args = args, .env = env, .out = out };

	work_path(b, &path);
	cmd.cwd = path.data;
	if (git_must(&cmd, err) < 0)
		return -1;
	if (out->len > 0 && out->data[out->len - 1] == '\n')
		buf_truncate(out, out->len - 1);
	return 0;
}

/* By an index of its own: what the agent staged stays as it is. */
static int take(const struct repo *repo, const struct box *b, enum scribe_how how,
		struct scribe_report *out, struct error *err)
{
	static const char *const read[] = { "read-tree", "HEAD", NULL };
	static const char *const add[] = { "add", "--all", NULL };
	static const char *const write[] = { "write-tree", NULL };
	FD_AUTO lock = lock_acquire(b->fd, "snap.lock", LOCK_EXCLUSIVE, LOCK_WAIT_MS, err);
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO index = BUF_INIT;
	struct git_cmd cmd = { .args = read };

	(void)repo;
	(void)how;
	if (lock < 0)
		return -1;
	/* Of a git that was killed; others wait for our lock. */
	unlinkat(b->fd, "snap.index.lock", 0);
	work_path(b, &path);
	buf_fmt(&index, "%s/snap.index", b->path.data);
	cmd.cwd = path.data;
	cmd.index_file = index.data;
	if (git_must(&cmd, err) < 0)
		return -1;
	cmd.args = add;
	if (git_must(&cmd, err) < 0)
		return -1;
	cmd.args = write;
	cmd.out = &out->tree;
	if (git_must(&cmd, err) < 0)
		return -1;
	buf_truncate(&out->tree, strcspn(out->tree.data, "\n"));
	return 0;
}

/* To remove what a proposal holds loses nothing. */
static int look_proposed(const struct repo *repo, const struct box *b, struct work_found *out,
			 struct error *err)
{
	SCRIBE_REPORT_AUTO report = SCRIBE_REPORT_INIT;

	if (take(repo, b, SCRIBE_FROZEN, &report, err) < 0)
		return -1;
	if (work_is_proposed(repo, b, report.tree.data))
		*out = (struct work_found){ .commits_known = true };
	return 0;
}

static int look(const struct repo *repo, const struct box *b, struct work_found *out,
		struct error *err)
{
	static const char *const status[] = { "status", "--porcelain", NULL };
	const char *const count[] = { "rev-list", "--count", "HEAD", "--not", b->m.base_commit.data,
				      "--all",    NULL };
	BUF_AUTO changes = BUF_INIT;
	BUF_AUTO number = BUF_INIT;

	*out = (struct work_found){ .commits_known = true };
	if (git_there(b, status, &changes, err) < 0 || git_there(b, count, &number, err) < 0 ||
	    num_u64(number.data, 0, UINT32_MAX, &out->commits, err) < 0)
		return error_wrap(err, "cannot tell whether box '%s' holds work", b->m.name.data);
	/* Commits lie in no branch, so they go with the box unless they are bundled too. */
	out->differs = changes.len > 0 || out->commits > 0;
	return out->differs && b->m.proposal.len > 0 ? look_proposed(repo, b, out, err) : 0;
}

static int bundle(const struct repo *repo, const struct box *b, int fd, struct error *err)
{
	static const char *const add[] = { "add", "--all", NULL };
	static const char *const write[] = { "write-tree", NULL };
	static const char *const unref[] = { "update-ref", "-d", KEEP_REF, NULL };
	BUF_AUTO none = BUF_INIT;
	BUF_AUTO tree = BUF_INIT;
	BUF_AUTO commit = BUF_INIT;
	BUF_AUTO data = BUF_INIT;
	BUF_AUTO not_base = BUF_INIT;
	int rc;

	if (git_there(b, add, &none, err) < 0 || git_there(b, write, &tree, err) < 0)
		return -1;
	const char *const make[] = { "commit-tree", "-p", "HEAD", "-m", "files of a removed box",
				     tree.data,     NULL };
	if (git_there(b, make, &commit, err) < 0)
		return -1;
	buf_fmt(&not_base, "^%s", b->m.base_commit.data);
	const char *const ref[] = { "update-ref", KEEP_REF, commit.data, NULL };
	const char *const pack[] = { "bundle", "create",      "--quiet", "-",
				     KEEP_REF, not_base.data, NULL };
	if (git_want(repo, ref, NULL, &none, err) < 0)
		return -1;
	rc = git_want(repo, pack, NULL, &data, err);
	if (rc == 0)
		rc = fd_write_full(fd, data.data, data.len, err);
	if (rc == 0)
		rc = git_want(repo, unref, NULL, &none, err);
	return rc;
}

static int empty(const struct repo *repo, const struct box *b, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	int code;

	work_path(b, &path);
	const char *const remove[] = {
		"worktree", "remove", "--force", "--force", path.data, NULL
	};
	struct git_cmd cmd = { .args = remove, .git_dir = repo->git_dir.data };

	/* A second attempt finds no registration any more: its exit code says nothing. */
	if (git_run(&cmd, &code, err) < 0)
		return -1;
	for (size_t i = 0; work_dirs[i]; i++) {
		if (file_remove_tree(b->fd, work_dirs[i], err) < 0)
			return -1;
	}
	return 0;
}

const struct work_ops work_worktree = {
	.look = look, .take = take, .bundle = bundle, .empty = empty
};
