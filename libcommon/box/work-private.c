/*
 * The confined tiers' workspace. The host looks at nothing in it: the scribe
 * compares files, the box's own git counts commits, each in its confinement.
 * What the box says of its commits can only make a removal ask for more.
 */
#include "base/base.h"

#include "base/num.h"
#include "box/bundle.h"
#include "box/intake.h"
#include "box/mason.h"
#include "box/session.h"
#include "box/work.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"

#define COUNT_TIMEOUT_MS 60000
#define COUNT_OUT_MAX 64

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
	const char *const argv[] = { "git",	 "-C",	    b->m.repo_top.data,
				     "rev-list", "--count", "--ignore-missing",
				     "--all",	 "--stdin", NULL };
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
static int write_kept(const struct box *b, struct quarantine *q, int fd, struct error *err)
{
	SCRIBE_REPORT_AUTO report = SCRIBE_REPORT_INIT;
	struct quarantine_pack pack = { .max_bytes = INTAKE_PACK_MAX };

	if (scribe_take(b, SCRIBE_FROZEN, &report, err) < 0)
		return -1;
	if (report.pack_fd < 0)
		return error_set(err, ERR_PEER, "the box's scribe found no work any more");
	pack.fd = report.pack_fd;
	if (quarantine_take(q, &pack, err) < 0 ||
	    quarantine_check(q, report.tree.data, b->m.base_tree.data, err) < 0)
		return -1;
	return bundle_write(q, report.tree.data, b->m.base_commit.data, fd, err);
}

static int bundle(const struct repo *repo, const struct box *b, int fd, struct error *err)
{
	struct quarantine q = QUARANTINE_INIT;
	int rc = intake_quarantine(repo, b, &q, err);

	if (rc == 0)
		rc = write_kept(b, &q, fd, err);
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
