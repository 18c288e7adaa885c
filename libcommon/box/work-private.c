/*
 * The confined tiers' workspace. The host looks at nothing in it: the scribe
 * compares files, the box's own git counts commits, each in its confinement.
 * What the box says of its commits can only make a removal ask for more.
 */
#include "base/base.h"

#include "base/num.h"
#include "box/bundle.h"
#include "box/inside.h"
#include "box/intake.h"
#include "box/left.h"
#include "box/lfs.h"
#include "box/mason.h"
#include "box/work.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"

#define COUNT_OUT_MAX 64

/* What the host knows anyway does not count as the box's: its refs were copied into the box. */
static int known_commits(const struct repo *repo, const struct box *b, struct buf *out,
			 struct error *err)
{
	static const char *const refs[] = { "for-each-ref", "--format=^%(objectname)", NULL };

	buf_fmt(out, "^%s\n", b->m.base_commit.data);
	return git_want(repo, refs, NULL, out, err);
}

static int ask_commits(const struct repo *repo, const struct box *b, struct buf *out,
		       struct error *err)
{
	static const char *const args[] = { "rev-list", "--count", "--ignore-missing",
					    "--all",	"--stdin", NULL };
	BUF_AUTO known = BUF_INIT;
	const struct inside_question q = {
		.label = "rm: counting commits", .args = args, .in = &known, .max = COUNT_OUT_MAX
	};

	return known_commits(repo, b, &known, err) < 0 ? -1 : inside_ask(b, &q, out, err);
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

static void count_submodules(const struct box *b, struct work_found *found)
{
	struct error ignored = ERROR_INIT;
	STRV_AUTO left = STRV_INIT;

	found->submodules = left_in_submodules(b, &left, &ignored) < 0 ? b->m.submodules.len :
									 left.len;
}

static int look(const struct repo *repo, const struct box *b, struct work_found *out,
		struct error *err)
{
	SCRIBE_REPORT_AUTO report = SCRIBE_REPORT_INIT;

	*out = (struct work_found){ .differs = false };
	if (scribe_take(b, SCRIBE_FROZEN, &report, err) < 0)
		return error_wrap(err, "cannot tell whether box '%s' holds work", b->m.name.data);
	out->differs = strcmp(report.tree.data, b->m.base_tree.data) != 0;
	/* The commits led to what the proposal holds. */
	out->commits_known = out->differs && work_is_proposed(repo, b, report.tree.data);
	if (out->commits_known)
		out->differs = false;
	else
		count_commits(repo, b, out);
	count_submodules(b, out);
	return 0;
}

static int take(const struct repo *repo, const struct box *b, enum scribe_how how,
		struct scribe_report *out, struct error *err)
{
	(void)repo;
	return scribe_take(b, how, out, err);
}

/* What is only kept need not be fit for the user's repository: no gate, and git fsck is not asked.
 */
static int write_kept(const struct repo *repo, const struct box *b, struct quarantine *q, int fd,
		      struct error *err)
{
	SCRIBE_REPORT_AUTO report = SCRIBE_REPORT_INIT;
	struct quarantine_pack pack = { .max_bytes = INTAKE_PACK_MAX };

	if (scribe_take(b, SCRIBE_FROZEN, &report, err) < 0)
		return -1;
	if (report.pack_fd < 0)
		return error_set(err, ERR_PEER, "the box's scribe found no work any more");
	pack.fd = report.pack_fd;
	if (lfs_take(repo, b, &report.lfs, err) < 0 || quarantine_take(q, &pack, err) < 0 ||
	    quarantine_check(q, report.tree.data, b->m.base_tree.data, err) < 0)
		return -1;
	return bundle_write(q, report.tree.data, b->m.base_commit.data, fd, err);
}

static int bundle(const struct repo *repo, const struct box *b, int fd, struct error *err)
{
	struct quarantine q = QUARANTINE_INIT;
	int rc = intake_quarantine(repo, b, &q, err);

	if (rc == 0)
		rc = write_kept(repo, b, &q, fd, err);
	quarantine_drop(&q);
	return rc;
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

const struct work_ops work_private = { .look = look,
				       .take = take,
				       .bundle = bundle,
				       .empty = empty };
