#include "base/base.h"

#include <fcntl.h>
#include <sys/sysinfo.h>

#include "mason/attributes.h"
#include "mason/checkout.h"
#include "mason/index.h"
#include "mason/lfs.h"
#include "mason/mason.h"
#include "sys/file.h"

#define INDEX_MAX (1u << 30)
#define WORKERS_MAX 8
#define WORKERS_PER_CPU 2    /* they wait for the file system, too */
#define PARALLEL_FROM "2000" /* files; below, starting the workers costs more than they save */

struct looking {
	struct checkout_seen *seen;
	struct buf gitlinks; /* NUL-terminated, back to back */
};

static void look(void *arg, const struct index_entry *e)
{
	struct looking *l = arg;
	BUF_AUTO path = BUF_INIT;

	l->seen->attributes = l->seen->attributes || path_is_gitattributes(e->path);
	if (e->mode != 0160000)
		return;
	buf_add(&l->gitlinks, e->path, strlen(e->path) + 1);
	buf_fmt(&path, "%s%s", l->seen->prefix, e->path);
	buf_str(l->seen->out, "submodule ");
	git_quote(path.data, l->seen->out);
	buf_char(l->seen->out, '\n');
}

static int read_tree(const struct git_cmd *base, const char *commit, struct error *err)
{
	BUF_AUTO workers = BUF_INIT;
	int n = get_nprocs() * WORKERS_PER_CPU;
	struct git_cmd cmd = *base;

	if (get_nprocs() == 1)
		n = 1;
	buf_fmt(&workers, "checkout.workers=%d", n < WORKERS_MAX ? n : WORKERS_MAX);
	const char *const args[] = { "-c",	  workers.data,
				     "-c",	  "checkout.thresholdForParallelism=" PARALLEL_FROM,
				     "-c",	  "index.version=2",
				     "read-tree", "-m",
				     "-u",	  commit,
				     NULL };
	cmd.args = args;
	return git_must(&cmd, err);
}

int checkout_look_at(const struct git_cmd *where, bool look, const struct buf *paths,
		     struct error *err)
{
	const char *const args[] = { "update-index",
				     look ? "--no-skip-worktree" : "--skip-worktree", "-z",
				     "--stdin", NULL };
	struct git_cmd cmd = *where;

	if (!paths->len)
		return 0;
	cmd.args = args;
	cmd.in = paths->data;
	cmd.in_len = paths->len;
	return git_must(&cmd, err);
}

int checkout_commit(const struct git_cmd *where, const char *commit, struct checkout_seen *seen,
		    struct error *err)
{
	struct looking l = { .seen = seen, .gitlinks = BUF_INIT };
	BUF_AUTO bytes = BUF_INIT;
	int rc = read_tree(where, commit, err);

	if (!rc)
		rc = file_read(AT_FDCWD, where->index_file, INDEX_MAX, &bytes, err);
	if (!rc)
		rc = index_each(&(struct index_bytes){ bytes.data, bytes.len, strlen(commit) / 2 },
				look, &l, err);
	if (!rc)
		rc = checkout_look_at(where, false, &l.gitlinks, err);
	buf_release(&l.gitlinks);
	return rc;
}

int mason_checkout(const char *work, const char *commit, const char *lfs, struct buf *out,
		   struct error *err)
{
	BUF_AUTO git_dir = BUF_INIT;
	BUF_AUTO index = BUF_INIT;
	BUF_AUTO info = BUF_INIT;
	struct git_cmd where = { .work_tree = work, .cwd = work };
	struct checkout_seen seen = { .prefix = "", .out = out };
	const struct lfs_fill fill = {
		.work = work, .git = &where, .objects = lfs, .hash_len = strlen(commit) / 2
	};

	buf_fmt(&git_dir, "%s/.git", work);
	buf_fmt(&index, "%s/../git/index", work);
	buf_fmt(&info, "%s/info/attributes", git_dir.data);
	where.git_dir = git_dir.data;
	where.index_file = index.data;
	if (checkout_commit(&where, commit, &seen, err))
		return -1;
	return seen.attributes || file_exists(AT_FDCWD, info.data) ? lfs_fill(&fill, out, err) : 0;
}
