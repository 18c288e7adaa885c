#include "base/base.h"

#include <fcntl.h>
#include <unistd.h>

#include "box/mason.h"
#include "box/rebase-parts.h"
#include "box/steps.h"
#include "sys/fd.h"
#include "sys/file.h"

void rebase_result_init(struct rebase_result *r)
{
	*r = (struct rebase_result){ .name = BUF_INIT,
				     .branch = BUF_INIT,
				     .before = BUF_INIT,
				     .after = BUF_INIT,
				     .merge = MERGE_RESULT_INIT };
}

void rebase_result_release(struct rebase_result *r)
{
	buf_release(&r->name);
	buf_release(&r->branch);
	buf_release(&r->before);
	buf_release(&r->after);
	merge_result_release(&r->merge);
}

int rebase_check(const struct box *b, struct error *err)
{
	if (!file_exists(b->fd, REBASE_FILE))
		return 0;
	error_set(err, ERR_BUSY, "a rebase of box '%s' was cut short", b->m.name.data);
	return error_hint(err, "finish it: git box rebase %s", b->m.name.data);
}

static int check_box(const struct box *b, struct error *err)
{
	if (b->m.state == BOX_ABORTED)
		return error_set(err, ERR_REFUSED, "box '%s' was given up", b->m.name.data);
	if (b->m.tier != TIER_WORKSPACE)
		return 0;
	error_set(err, ERR_UNSUPPORTED, "box '%s' is a worktree of git's", b->m.name.data);
	return error_hint(err, "use git itself: git -C \"$(git box path %s)\" rebase",
			  b->m.name.data);
}

/* The manifest is read again under the lock: it may have changed since. */
static int open_box(void *arg, struct error *err)
{
	struct rebase *r = arg;
	struct box *b = &r->box;

	if (box_open(r->req->repo, r->req->name, b, err) < 0)
		return -1;
	memcpy(r->out->id, b->m.id, sizeof(r->out->id));
	buf_str(&r->out->name, b->m.name.data);
	r->lock = box_lock_idle(b, err);
	if (r->lock < 0)
		return -1;
	manifest_release(&b->m);
	manifest_init(&b->m);
	if (manifest_read(b->fd, &b->m, err) < 0 || check_box(b, err) < 0)
		return -1;
	manifest_text(&b->m, &r->old_manifest);
	r->finishing = file_exists(b->fd, REBASE_FILE);
	if (r->finishing)
		return rebase_journal_read(b->fd, &r->journal, err);
	buf_str(&r->journal.old_commit, b->m.base_commit.data);
	return 0;
}

/* What git is asked at once. */
struct questions {
	struct repo_questions facts;
	struct git_job refs;
	struct git_job name; /* full name of what the operator named */
};

static void questions_release(struct questions *q)
{
	repo_questions_release(&q->facts);
	git_job_release(&q->refs);
	git_job_release(&q->name);
}

static int ask(struct rebase *r, const char *rev, struct questions *q, struct error *err)
{
	const char *const name_args[] = {
		"rev-parse", "-q", "--verify", "--symbolic-full-name", "--end-of-options", rev, NULL
	};
	const struct repo *repo = r->req->repo;
	BUF_AUTO name = BUF_INIT;
	int code;

	if (repo_facts_ask(repo, rev, &q->facts, err) || repo_refs_start(repo, &q->refs, err) ||
	    git_start(repo, name_args, &q->name, err) ||
	    repo_facts_read(repo, rev, &q->facts, &r->facts, err) ||
	    repo_refs_finish(NULL, &q->refs, &r->facts, err) ||
	    git_finish(&q->name, &name, &code, err))
		return -1;
	buf_truncate(&name, strcspn(name.data, "\n"));
	if (!strncmp(name.data, "refs/heads/", 11))
		buf_str(&r->journal.branch, name.data + 11);
	else
		buf_str(&r->journal.branch, r->box.m.base_branch.data);
	return 0;
}

static int choose_base(struct rebase *r, const char *rev, struct error *err)
{
	struct rebase_journal *j = &r->journal;
	struct questions q = { .facts = REPO_QUESTIONS_INIT,
			       .refs = GIT_JOB_INIT,
			       .name = GIT_JOB_INIT };
	int rc = ask(r, rev, &q, err);

	questions_release(&q);
	if (rc && err->kind == ERR_NOTFOUND && !r->req->onto)
		return error_hint(err,
				  "its branch is gone; name another: git box rebase --onto REV %s",
				  r->box.m.name.data);
	if (rc)
		return -1;
	buf_str(&j->commit, r->facts.commit.data);
	buf_str(&j->tree, r->facts.tree.data);
	r->done = !strcmp(j->commit.data, j->old_commit.data);
	if (r->done)
		r->out->outcome = REBASE_UP_TO_DATE;
	return 0;
}

/* A store may have been added to the repository since. Submodules of the box know theirs by number.
 */
static int add_stores(const struct repo *repo, struct manifest *m, struct error *err)
{
	STRV_AUTO now = STRV_INIT;

	if (repo_stores(repo, &now, err))
		return -1;
	if (!m->submodules.len) {
		strv_release(&m->objects);
		m->objects = (struct strv)STRV_INIT;
	}
	for (size_t i = 0; i < now.len; i++) {
		if (!strv_has(&m->objects, now.v[i]))
			strv_add(&m->objects, now.v[i]);
	}
	return m->objects.len > MANIFEST_OBJECTS_MAX ?
		       error_set(err, ERR_LIMIT, "the repository has too many object stores") :
		       0;
}

static int read_repository(void *arg, struct error *err)
{
	struct rebase *r = arg;
	struct manifest *m = &r->box.m;
	BUF_AUTO rev = BUF_INIT;

	if (add_stores(r->req->repo, m, err))
		return -1;
	r->out->outcome = r->finishing ? REBASE_FINISHED : REBASE_DONE;
	if (r->req->onto)
		buf_str(&rev, r->req->onto);
	else
		buf_fmt(&rev, "refs/heads/%s", m->base_branch.data);
	if (!r->finishing && !r->req->onto && !m->base_branch.len) {
		error_set(err, ERR_REFUSED, "box '%s' was made from no branch", m->name.data);
		return error_hint(err, "say where to: git box rebase --onto REV %s", m->name.data);
	}
	if (!r->finishing && choose_base(r, rev.data, err))
		return -1;
	buf_str(&r->out->before, r->journal.old_commit.data);
	buf_str(&r->out->after, r->journal.commit.data);
	buf_str(&r->out->branch, r->journal.branch.data);
	return 0;
}

static void drop_data(void *arg)
{
	struct rebase *r = arg;

	if (!r->finishing && !r->stuck)
		(void)unlinkat(r->box.fd, REBASE_DATA, 0);
}

static int move_pin(const struct rebase *r, const char *commit, struct error *err)
{
	BUF_AUTO ref = BUF_INIT;

	buf_fmt(&ref, BOX_REF_BASE "%s", r->box.m.id);
	const char *const args[] = { "update-ref", ref.data, commit, NULL };

	return git_want(r->req->repo, args, NULL, NULL, err);
}

static int pin(void *arg, struct error *err)
{
	struct rebase *r = arg;

	return r->done ? 0 : move_pin(r, r->journal.commit.data, err);
}

static void unpin(void *arg)
{
	struct rebase *r = arg;
	struct error ignored = ERROR_INIT;

	if (!r->done && !r->finishing && !r->stuck)
		(void)move_pin(r, r->journal.old_commit.data, &ignored);
}

/* From here on it will be finished, unless it is taken back. */
static int write_journal(void *arg, struct error *err)
{
	struct rebase *r = arg;

	return r->done || r->finishing ? 0 : rebase_journal_write(r->box.fd, &r->journal, err);
}

static void drop_journal(void *arg)
{
	struct rebase *r = arg;
	struct error ignored = ERROR_INIT;

	if (!r->done && !r->finishing && !r->stuck)
		(void)rebase_journal_drop(r->box.fd, &ignored);
}

static int run_mason(const struct rebase *r, const char *from, const char *to, const char *commit,
		     struct error *err)
{
	BUF_AUTO work = BUF_INIT;
	BUF_AUTO snap = BUF_INIT;
	BUF_AUTO branch = BUF_INIT;
	BUF_AUTO stores = BUF_INIT;
	FD_AUTO data = openat(r->box.fd, REBASE_DATA, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const struct mason_io io = { .in = data, .out = -1 };

	if (data < 0)
		return error_set(err, ERR_CORRUPT, "%s/" REBASE_DATA " is missing",
				 r->box.path.data);
	buf_fmt(&work, "%s/work", r->box.path.data);
	buf_fmt(&snap, "%s/snap", r->box.path.data);
	buf_fmt(&branch, "box/%s", r->box.m.name.data);
	buf_fmt(&stores, "%zu", r->box.m.objects.len);
	const char *const argv[] = { MASON_PATH, "rebase", work.data,	snap.data,   from,
				     to,	 commit,   branch.data, stores.data, NULL };

	return mason_stream(&r->box, argv, &io, err);
}

static int write_files(void *arg, struct error *err)
{
	struct rebase *r = arg;
	const struct rebase_journal *j = &r->journal;

	return r->done ? 0 : run_mason(r, j->from.data, j->to.data, j->commit.data, err);
}

/* Where even this fails, the next rebase goes on instead. */
static void take_back_files(void *arg)
{
	struct rebase *r = arg;
	const struct rebase_journal *j = &r->journal;
	struct error ignored = ERROR_INIT;

	if (!r->done && !r->finishing)
		r->stuck = run_mason(r, j->to.data, j->from.data, j->old_commit.data, &ignored) !=
			   0;
}

static void replace(struct buf *to, const struct buf *with)
{
	buf_reset(to);
	buf_str(to, with->data);
}

/* What was proposed stood on the old base. */
static int write_manifest(void *arg, struct error *err)
{
	struct rebase *r = arg;
	struct manifest *m = &r->box.m;

	if (r->done)
		return 0;
	replace(&m->base_commit, &r->journal.commit);
	replace(&m->base_tree, &r->journal.tree);
	replace(&m->base_branch, &r->journal.branch);
	buf_reset(&m->proposal);
	buf_reset(&m->applied);
	m->state = BOX_CREATED;
	return manifest_write(r->box.fd, m, err);
}

static void restore_manifest(void *arg)
{
	struct rebase *r = arg;
	const struct file_content old = { r->old_manifest.data, r->old_manifest.len, 0600 };
	struct error ignored = ERROR_INIT;

	if (!r->done && !r->finishing)
		(void)file_write_atomic(r->box.fd, MANIFEST_FILE, old, &ignored);
}

static const struct step rebase_steps[] = {
	{ "open the box", open_box, NULL },
	{ "read the repository", read_repository, NULL },
	{ "merge", rebase_merge, NULL },
	{ "keep what is needed", rebase_write_data, drop_data },
	{ "begin", write_journal, drop_journal },
	{ "pin the base", pin, unpin },
	{ "write the files", write_files, take_back_files },
	{ "write the manifest", write_manifest, restore_manifest },
};

static void release(struct rebase *r)
{
	intake_release(&r->intake);
	fd_close(&r->lock);
	box_release(&r->box);
	repo_facts_release(&r->facts);
	rebase_journal_release(&r->journal);
	buf_release(&r->old_manifest);
}

int box_rebase(const struct rebase_request *req, struct rebase_result *out, struct error *err)
{
	struct rebase r = { .req = req,
			    .out = out,
			    .lock = -1,
			    .facts = REPO_FACTS_INIT,
			    .intake = INTAKE_INIT,
			    .journal = REBASE_JOURNAL_INIT,
			    .old_manifest = BUF_INIT };
	const struct steps steps = { .operation = "rebase",
				     .v = rebase_steps,
				     .len = ARRAY_SIZE(rebase_steps),
				     .trace = req->trace };
	int rc;

	box_init(&r.box);
	rc = steps_run(&steps, &r, err);
	/* The manifest has the new base: where this fails, the next rebase does it all again. */
	if (!rc && !r.done)
		rc = rebase_journal_drop(r.box.fd, err);
	if (rc && r.stuck)
		error_hint(err, "its files could not be put back; finish it: git box rebase %s",
			   out->name.data);
	release(&r);
	return rc;
}
