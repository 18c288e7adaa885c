#include "base/base.h"

#include "base/strv.h"
#include "box/bundle.h"
#include "sys/fd.h"

static int make_commit(const struct quarantine *q, const char *tree, const char *parent,
		       struct buf *commit, struct error *err)
{
	static const char *const who[] = { "GIT_AUTHOR_NAME=git box",
					   "GIT_AUTHOR_EMAIL=box@localhost",
					   "GIT_COMMITTER_NAME=git box",
					   "GIT_COMMITTER_EMAIL=box@localhost", NULL };
	const char *const args[] = { "commit-tree",	 "-p", parent, "-m",
				     "Files of the box", tree, NULL };
	STRV_AUTO env = STRV_INIT;
	struct git_cmd cmd = q->git;

	strv_add_all(&env, who);
	strv_add_all(&env, q->git.env);
	cmd.args = args;
	cmd.env = strv_argv(&env);
	cmd.out = commit;
	if (git_must(&cmd, err) < 0)
		return -1;
	buf_truncate(commit, strcspn(commit->data, "\n"));
	return 0;
}

int bundle_write(const struct quarantine *q, const char *tree, const char *parent, int fd,
		 struct error *err)
{
	static const char *const args[] = {
		"pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "-q", NULL
	};
	BUF_AUTO commit = BUF_INIT;
	BUF_AUTO head = BUF_INIT;
	BUF_AUTO revs = BUF_INIT;
	struct git_cmd cmd = q->git;

	if (make_commit(q, tree, parent, &commit, err) < 0)
		return -1;
	buf_str(&head, commit.len == 64 ? "# v3 git bundle\n@object-format=sha256\n" :
					  "# v2 git bundle\n");
	buf_fmt(&head, "-%s\n%s " BUNDLE_REF "\n\n", parent, commit.data);
	buf_fmt(&revs, "%s\n^%s\n", commit.data, parent);
	cmd.args = args;
	cmd.in = revs.data;
	cmd.in_len = revs.len;
	cmd.out_fd = &fd;
	return fd_write_full(fd, head.data, head.len, err) < 0 || git_must(&cmd, err) < 0 ? -1 : 0;
}
