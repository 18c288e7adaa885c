#include "base/base.h"

#include "box/selection.h"

/* Whatever the operator's own settings say. */
static const char *const settings[] = { "apply.whitespace=nowarn", "apply.ignoreWhitespace=no",
					NULL };

static int read_base(const struct git_cmd *git, const char *tree, struct error *err)
{
	const char *const args[] = { "read-tree", tree, NULL };
	struct git_cmd cmd = *git;

	cmd.args = args;
	return git_must(&cmd, err);
}

static int apply(const struct git_cmd *git, const struct buf *patch, struct error *err)
{
	static const char *const args[] = { "apply", "--cached", "--binary", "-", NULL };
	struct git_cmd cmd = *git;
	BUF_AUTO errout = BUF_INIT;
	int code;

	cmd.args = args;
	cmd.in = patch->data;
	cmd.in_len = patch->len;
	cmd.errout = &errout;
	if (git_run(&cmd, &code, err) < 0)
		return -1;
	if (code == 0)
		return 0;
	git_failed(args[0], code, &errout, err);
	err->kind = ERR_REFUSED;
	error_wrap(err, "what was taken does not stand alone");
	return error_hint(err, "take what it needs, too: a file cannot be where a directory stays");
}

static int write_tree(const struct git_cmd *git, struct buf *out, struct error *err)
{
	static const char *const args[] = { "write-tree", NULL };
	struct git_cmd cmd = *git;
	BUF_AUTO text = BUF_INIT;

	cmd.args = args;
	cmd.out = &text;
	if (git_must(&cmd, err) < 0)
		return -1;
	buf_add(out, text.data, strcspn(text.data, "\n"));
	return 0;
}

static int make_tree(const struct selection *s, const struct box *b, struct intake *out,
		     struct error *err)
{
	struct git_cmd git = out->q.git;
	BUF_AUTO index = BUF_INIT;

	buf_fmt(&index, "%s/selection.index", out->q.path.data);
	git.index_file = index.data;
	git.config = settings;
	if (read_base(&git, b->m.base_tree.data, err) < 0 ||
	    (s->patch->len && apply(&git, s->patch, err) < 0))
		return -1;
	return write_tree(&git, &out->scribe.tree, err);
}

int selection_take(void *arg, const struct repo *repo, const struct box *b, struct intake *out,
		   struct error *err)
{
	const struct selection *s = arg;

	if (strcmp(b->m.proposal.data, s->commit) != 0) {
		error_set(err, ERR_BUSY, "box '%s' has proposed anew meanwhile", b->m.name.data);
		return error_hint(err, "look at it: git box review %s", b->m.name.data);
	}
	if (intake_quarantine(repo, b, &out->q, err) < 0 || make_tree(s, b, out, err) < 0)
		return -1;
	out->same = strcmp(out->scribe.tree.data, b->m.base_tree.data) == 0;
	return 0;
}
