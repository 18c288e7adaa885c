#include "base/base.h"

#include "base/num.h"
#include "box/keep.h"
#include "box/remains.h"
#include "box/remove.h"
#include "store/git.h"
#include "sys/fd.h"
#include "sys/file.h"

#define KEEP_DEFAULT_MS (14 * 24 * 3600 * 1000ULL)

int box_keep_ms(const struct repo *repo, uint64_t *out, struct error *err)
{
	static const char *const args[] = { "config", "--get", "box.keepRemoved", NULL };
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = { .args = args, .git_dir = repo->git_dir.data, .out = &text };
	int code;

	if (git_run(&cmd, &code, err) < 0)
		return -1;
	if (code != 0) {
		*out = KEEP_DEFAULT_MS;
		return 0;
	}
	buf_truncate(&text, strcspn(text.data, "\n"));
	if (num_duration_ms(text.data, out, err) < 0)
		return error_wrap(err, "git config box.keepRemoved");
	return 0;
}

void remove_result_init(struct remove_result *r)
{
	*r = (struct remove_result){
		.name = BUF_INIT, .bundle = BUF_INIT, .ref = BUF_INIT, .commit = BUF_INIT
	};
}

void remove_result_release(struct remove_result *r)
{
	buf_release(&r->name);
	buf_release(&r->bundle);
	buf_release(&r->ref);
	buf_release(&r->commit);
}

static void shell_quote(const char *s, struct buf *out)
{
	buf_char(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_str(out, "'\\''");
		else
			buf_char(out, *s);
	}
	buf_char(out, '\'');
}

void remove_restore_command(const struct remove_result *r, struct buf *out)
{
	buf_str(out, "git fetch ");
	shell_quote(r->bundle.data, out);
	buf_fmt(out, " %s:refs/heads/box/%s", r->ref.data, r->name.data);
}

/* Exclusive, and nobody's command left behind by a front that was killed. */
static int lock_idle(const struct remains *r, struct error *err)
{
	FD_AUTO lock = -1;

	if (file_exists(r->box.fd, MANIFEST_FILE))
		return box_lock_idle(&r->box, err);
	lock = remains_lock(&r->box, err);
	return lock < 0 || box_idle(&r->box, err) < 0 ? -1 : fd_take(&lock);
}

static void name_work(const struct work_found *found, struct buf *out)
{
	if (found->differs)
		buf_str(out, "changed files");
	if (found->commits > 0)
		buf_fmt(out, "%s%llu commit%s of its own", out->len > 0 ? " and " : "",
			(unsigned long long)found->commits, found->commits == 1 ? "" : "s");
	if (found->submodules > 0)
		buf_fmt(out, "%schanges in %llu submodule%s", out->len > 0 ? " and " : "",
			(unsigned long long)found->submodules, found->submodules == 1 ? "" : "s");
	if (!found->commits_known)
		buf_fmt(out, "%scommits that could not be counted", out->len > 0 ? " and " : "");
}

static const char *what_is_lost(const struct work_found *found)
{
	if (found->submodules > 0)
		return found->commits > 0 ? " (not the history of its commits, nor submodules)" :
					    " (not what is in submodules)";
	return found->commits > 0 ? " (not the history of its commits)" : "";
}

static int refuse_work(const struct remove_request *req, const struct box *b,
		       const struct work_found *found, struct error *err)
{
	BUF_AUTO what = BUF_INIT;
	char kept[32];

	name_work(found, &what);
	error_set(err, ERR_REFUSED, "box '%s' holds work: %s", b->m.name.data, what.data);
	if (req->keep_ms == 0)
		return error_hint(err,
				  "git box rm --force %s removes it for good (box.keepRemoved is "
				  "0)",
				  b->m.name.data);
	num_duration_text(req->keep_ms, kept);
	return error_hint(err, "git box rm --force %s removes it%s%s%s", b->m.name.data,
			  found->differs ? " and keeps its files in a bundle for " :
					   "; there are no files to keep",
			  found->differs ? kept : "",
			  what_is_lost(found));
}

/* Looks for work, and keeps it where that is asked for. */
static int look_and_keep(const struct remove_request *req, const struct box_root *root,
			 const struct box *b, struct remove_result *out, struct error *err)
{
	struct work_found found;
	struct kept kept;

	if (req->force && req->keep_ms == 0)
		return 0;
	if (work_ops_for(b->m.tier)->look(req->repo, b, &found, err) < 0)
		return error_hint(err,
				  "git -c box.keepRemoved=0 box rm --force %s removes it unseen, "
				  "for good",
				  b->m.name.data);
	out->had_work = found.differs || found.commits > 0 || !found.commits_known ||
			found.submodules > 0;
	out->commits = found.commits;
	if (out->had_work && !req->force)
		return refuse_work(req, b, &found, err);
	if (!found.differs)
		return 0;
	if (keep_store(req->repo, root, b, &kept, err) < 0)
		return -1;
	out->bundle = kept.path;
	out->ref = kept.ref;
	out->commit = kept.commit;
	return 0;
}

/* Without a policy that can be believed nothing of the box runs, so what it holds stays unknown. */
static int check_damaged(const struct remove_request *req, const struct remains *r,
			 struct error *err)
{
	if (r->kind != REMAINS_DAMAGED || req->force)
		return 0;
	*err = r->why;
	if (!file_exists(r->box.fd, MANIFEST_FILE))
		error_set(err, ERR_CORRUPT, "box '%s' has lost its " MANIFEST_FILE, req->name);
	return error_hint(err, "git box rm --force %s removes it; nothing of it can be kept",
			  req->name);
}

/* Up to the moment from which on there is no such box. */
static int prepare(const struct remove_request *req, const struct box_root *root, struct remains *r,
		   struct remove_result *out, struct error *err)
{
	bool claimed = false;

	if (r->kind == REMAINS_MARKED)
		return 0;
	if (r->kind == REMAINS_UNFINISHED) {
		if (box_id_claimed(root, r->box.m.id, &claimed, err) < 0)
			return -1;
		return claimed ? error_set(err, ERR_BUSY, "box '%s' is being made right now",
					   req->name) :
				 0;
	}
	if (r->kind == REMAINS_BOX && look_and_keep(req, root, &r->box, out, err) < 0)
		return -1;
	if (remains_mark(&r->box, err) < 0)
		return -1;
	r->kind = REMAINS_MARKED;
	return 0;
}

static int remove_opened(const struct remove_request *req, const struct box_root *root,
			 struct remains *r, struct remove_result *out, struct error *err)
{
	FD_AUTO lock = -1;
	bool named;

	if (check_damaged(req, r, err) < 0)
		return -1;
	lock = lock_idle(r, err);
	if (lock < 0 || prepare(req, root, r, out, err) < 0)
		return -1;
	/* A manifest that could not be read has no name either. */
	named = strcmp(r->box.m.name.data, r->box.m.id) != 0;
	buf_reset(&out->name);
	buf_str(&out->name, named ? r->box.m.name.data : req->name);
	if (remains_clear(req->repo, root, r, err) < 0) {
		error_wrap(err, "box '%s' is removed, but not all of its files",
			   r->box.m.name.data);
		return error_hint(err, "git box gc");
	}
	return 0;
}

int box_remove(const struct remove_request *req, struct remove_result *out, struct error *err)
{
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;
	char id[BOX_ID_LEN + 1];
	struct remains r;
	int rc;

	if (box_root_open(req->repo, false, &root, err) < 0 ||
	    box_find(&root, req->name, id, err) < 0 || remains_open(&root, id, &r, err) < 0)
		return -1;
	rc = remove_opened(req, &root, &r, out, err);
	box_release(&r.box);
	return rc;
}
