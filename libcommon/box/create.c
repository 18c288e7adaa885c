#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/num.h"
#include "box/create.h"
#include "box/create-work.h"
#include "box/layout.h"
#include "box/remains.h"
#include "box/steps.h"
#include "policy/profile.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "sys/rand.h"

/* The operator's HOME as a box may see it; "" where there is none. */
static void find_home(struct buf *out)
{
	const char *home = env_get("HOME");
	struct error ignored = ERROR_INIT;

	if (!home || *home != '/' || file_canonical(home, out, &ignored))
		buf_reset(out);
}

/* Confined commands run under the operator's own ids, but never as root. */
static int find_ids(struct create *c, struct error *err)
{
	struct ids ids = { geteuid(), getegid() };

	if (create_work_for(c->policy.tier)->own_ids &&
	    ids_choose(config_last(&c->facts.box, "box.uid"), &ids, err))
		return -1;
	c->m->uid = ids.uid;
	c->m->gid = ids.gid;
	return 0;
}

static const char *or_config(const struct create *c, const char *asked, const char *key)
{
	return asked ? asked : config_last(&c->facts.box, key);
}

static int resolve_policy(void *arg, struct error *err)
{
	struct create *c = arg;
	struct profile_request req = {
		.profile = or_config(c, c->req->profile, "box.profile"),
		.isolation = or_config(c, c->req->isolation, "box.isolation"),
		.repo_top = c->req->repo->top.data,
	};

	req.home = c->m->home.data;
	if (profile_resolve(&req, &c->policy, err) || find_ids(c, err))
		return -1;
	c->m->tier = c->policy.tier;
	policy_digest(&c->policy, c->m->policy_digest);
	return 0;
}

static int claim_name(void *arg, struct error *err)
{
	struct create *c = arg;

	if (box_root_open(c->req->repo, true, &c->root, err))
		return -1;
	c->claim = box_name_claim(&c->root, c->req->name, c->m->id, err);
	return c->claim < 0 ? -1 : 0;
}

static void free_name(void *arg)
{
	struct create *c = arg;
	struct error ignored = ERROR_INIT;
	bool claimed = c->claim >= 0;

	fd_close(&c->claim);
	if (claimed)
		(void)box_name_free(&c->root, c->req->name, c->m->id, &ignored);
}

static int make_directory(void *arg, struct error *err)
{
	struct create *c = arg;
	BUF_AUTO dir = BUF_INIT;

	buf_fmt(&dir, "b/%s", c->m->id);
	buf_fmt(&c->path, "%s/%s", c->root.path.data, dir.data);
	if (file_mkdir(c->root.fd, dir.data, 0700, err))
		return -1;
	c->box_fd = openat(c->root.fd, dir.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c->box_fd < 0)
		return error_sys(err, errno, "cannot open '%s'", c->path.data);
	c->lock = lock_acquire(c->box_fd, "lock", LOCK_EXCLUSIVE, 0, err);
	return c->lock < 0 ? -1 : 0;
}

/* No command of the box ran yet, so the host may remove everything itself. */
static void remove_directory(void *arg)
{
	struct create *c = arg;
	BUF_AUTO dir = BUF_INIT;
	struct error ignored = ERROR_INIT;

	fd_close(&c->lock);
	fd_close(&c->box_fd);
	buf_fmt(&dir, "b/%s", c->m->id);
	(void)file_remove_tree(c->root.fd, dir.data, &ignored);
}

/* Most boxes are confined; which tier it is depends on what git says. */
static bool may_be_confined(const struct create *c)
{
	const char *tier = c->req->isolation;

	return !tier || strcmp(tier, tier_names[TIER_WORKSPACE]) != 0;
}

static int start_early(void *arg, struct error *err)
{
	struct create *c = arg;

	find_home(&c->m->home);
	if (repo_stores(c->req->repo, &c->facts.objects, err))
		return -1;
	return may_be_confined(c) ? create_private_start(c, err) : 0;
}

static void stop_early(void *arg)
{
	struct create *c = arg;

	mason_job_release(&c->mason);
}

static int read_facts(void *arg, struct error *err)
{
	struct create *c = arg;

	if (repo_facts_ask(c->req->repo, c->req->from, &c->questions, err) ||
	    (may_be_confined(c) && create_private_meanwhile(c, err)))
		return -1;
	return repo_facts_read(c->req->repo, c->req->from, &c->questions, &c->facts, err);
}

int create_start_late(struct create *c, struct error *err)
{
	BUF_AUTO ref = BUF_INIT;

	buf_fmt(&ref, BOX_REF_BASE "%s", c->m->id);
	const char *const args[] = { "update-ref", ref.data, c->facts.commit.data, "", NULL };

	if (repo_refs_start(c->req->repo, &c->refs, err))
		return -1;
	return git_start(c->req->repo, args, &c->pin, err);
}

static void unpin_base(struct create *c)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;
	int code;

	/* Killed in the middle it would leave its lock file. */
	if (c->pin.proc.pid > 0)
		(void)git_finish(&c->pin, &out, &code, &ignored);
	git_job_release(&c->pin);
	(void)remains_unpin(c->req->repo, c->m->id, &ignored);
}

static int wait_for_pin(struct create *c, struct error *err)
{
	BUF_AUTO out = BUF_INIT;
	int code;

	if (git_finish(&c->pin, &out, &code, err))
		return -1;
	return code ? git_failed(c->pin.what, code, &c->pin.errout, err) : 0;
}

static int make_work(void *arg, struct error *err)
{
	struct create *c = arg;

	return create_work_for(c->policy.tier)->make(c, err);
}

static void undo_work(void *arg)
{
	struct create *c = arg;

	create_work_for(c->policy.tier)->undo(c);
	unpin_base(c);
}

static void fill_manifest(struct create *c)
{
	buf_str(&c->m->name, c->req->name);
	buf_str(&c->m->profile, c->policy.profile.data);
	buf_str(&c->m->base_commit, c->facts.commit.data);
	buf_str(&c->m->base_tree, c->facts.tree.data);
	buf_str(&c->m->base_branch, c->facts.branch.data);
	buf_str(&c->m->repo_top, c->req->repo->top.data);
	strv_add_all(&c->m->objects, strv_argv(&c->facts.objects));
	c->m->created_us = clock_now_us();
	c->m->temporary = c->req->temporary;
}

int create_finish_late(struct create *c, struct error *err)
{
	BUF_AUTO policy = BUF_INIT;

	if (repo_refs_finish(c->req->from, &c->refs, &c->facts, err))
		return -1;
	fill_manifest(c);
	policy_json(&c->policy, &policy);
	if (file_create(c->box_fd, "policy.json",
			(struct file_content){ policy.data, policy.len, 0600 }, err))
		return -1;
	return manifest_prepare(c->box_fd, c->m, err);
}

/* manifest.json is what makes it a box, so it comes last. */
static int write_records(void *arg, struct error *err)
{
	struct create *c = arg;

	return wait_for_pin(c, err) ? -1 : manifest_publish(c->box_fd, err);
}

/* A box that was made but could not be answered for must not be taken for one. */
static void remove_records(void *arg)
{
	struct create *c = arg;

	(void)unlinkat(c->box_fd, MANIFEST_FILE, 0);
}

static const struct step create_steps[] = {
	{ "claim the name", claim_name, free_name },
	{ "make the directory", make_directory, remove_directory },
	{ "start the mason", start_early, stop_early },
	{ "read the repository", read_facts, NULL },
	{ "resolve the policy", resolve_policy, NULL },
	{ "check out", make_work, undo_work },
	{ "write the manifest", write_records, remove_records },
};

static void create_release(struct create *c)
{
	mason_job_release(&c->mason);
	repo_questions_release(&c->questions);
	repo_facts_release(&c->facts);
	git_job_release(&c->refs);
	git_job_release(&c->pin);
	policy_release(&c->policy);
	fd_close(&c->claim);
	fd_close(&c->lock);
	fd_close(&c->box_fd);
	box_root_release(&c->root);
	buf_release(&c->path);
}

int box_create(const struct create_request *req, struct manifest *out, struct create_notes *notes,
	       struct error *err)
{
	struct create c = { .req = req,
			    .m = out,
			    .notes = &notes->lines,
			    .mason = MASON_JOB_INIT,
			    .questions = REPO_QUESTIONS_INIT,
			    .facts = REPO_FACTS_INIT,
			    .refs = GIT_JOB_INIT,
			    .pin = GIT_JOB_INIT,
			    .root = BOX_ROOT_INIT,
			    .claim = -1,
			    .box_fd = -1,
			    .lock = -1,
			    .path = BUF_INIT };
	struct steps steps = { .operation = "create",
			       .v = create_steps,
			       .len = ARRAY_SIZE(create_steps),
			       .progress = req->progress,
			       .progress_arg = req->progress_arg,
			       .trace = req->trace };
	int rc;

	if (box_name_check(req->name, err))
		return -1;
	policy_init(&c.policy);
	rand_hex(c.m->id, BOX_ID_LEN);
	rc = steps_run(&steps, &c, err);
	create_release(&c);
	return rc;
}
