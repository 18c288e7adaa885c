#include "base/base.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "box/probe.h"
#include "box/remove.h"
#include "box/session.h"
#include "git-box/doctor.h"
#include "role/role.h"
#include "store/git.h"
#include "sys/file.h"

#define GIT_MAJOR 2
#define GIT_MINOR 38

const char *const doctor_words[] = { "ok", "warn", "fail" };

void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->len; i++) {
		buf_release(&d->v[i].box);
		buf_release(&d->v[i].detail);
		buf_release(&d->v[i].fix);
	}
	free(d->v);
	*d = (struct doctor)DOCTOR_INIT;
}

bool doctor_healthy(const struct doctor *d)
{
	for (size_t i = 0; i < d->len; i++) {
		if (d->v[i].state == DOCTOR_FAIL)
			return false;
	}
	return true;
}

/* Valid until the next one is added. */
static struct doctor_check *add(struct doctor *d, const char *name, enum doctor_state state)
{
	struct doctor_check c = {
		.name = name, .box = BUF_INIT, .state = state, .detail = BUF_INIT, .fix = BUF_INIT
	};

	d->v = xrealloc(d->v, size_mul(d->len + 1, sizeof(*d->v)));
	d->v[d->len] = c;
	return &d->v[d->len++];
}

static struct doctor_check *add_error(struct doctor *d, const char *name, const struct error *err)
{
	struct doctor_check *c = add(d, name, DOCTOR_FAIL);

	buf_str(&c->detail, err->msg);
	buf_str(&c->fix, err->hint);
	return c;
}

static void check_git(struct doctor *d)
{
	struct error err = ERROR_INIT;
	BUF_AUTO version = BUF_INIT;

	if (git_require(GIT_MAJOR, GIT_MINOR, &err) < 0 || git_version(&version, &err) < 0)
		add_error(d, "git", &err);
	else
		buf_fmt(&add(d, "git", DOCTOR_OK)->detail, "version %s", version.data);
}

/* A box may plant a bare repository in its work tree; with this, git does not believe one that is
 * just found. */
static void check_bare(const struct repo *repo, struct doctor *d)
{
	static const char *const args[] = { "config", "--get", "safe.bareRepository", NULL };
	struct error err = ERROR_INIT;
	BUF_AUTO value = BUF_INIT;
	struct git_cmd cmd = { .args = args, .git_dir = repo->git_dir.data, .out = &value };
	struct doctor_check *c;
	int code;

	if (git_run(&cmd, &code, &err) < 0) {
		add_error(d, "bare-repositories", &err);
		return;
	}
	if (code == 0 && strcmp(value.data, "explicit\n") == 0) {
		buf_str(&add(d, "bare-repositories", DOCTOR_OK)->detail, "safe.bareRepository is "
									 "explicit");
		return;
	}
	c = add(d, "bare-repositories", DOCTOR_WARN);
	buf_str(&c->detail, "git typed below a box's work tree would obey a bare repository "
			    "planted there");
	buf_str(&c->fix, "git config --global safe.bareRepository explicit");
}

static void check_installation(struct doctor *d)
{
	struct error err = ERROR_INIT;
	BUF_AUTO dir = BUF_INIT;

	if (role_libexec(&dir, &err) < 0)
		add_error(d, "installation", &err);
	else
		buf_fmt(&add(d, "installation", DOCTOR_OK)->detail, "helpers are in %s", dir.data);
}

static void check_confinement(const struct box_root *root, struct doctor *d)
{
	struct error err = ERROR_INIT;
	struct doctor_check *c;
	struct probe p;

	if (probe_run(root->fd >= 0 ? root->path.data : "/tmp", &p, &err) < 0) {
		add_error(d, "confinement", &err);
		return;
	}
	if (probe_process_ok(&p)) {
		buf_str(&add(d, "confinement", DOCTOR_OK)->detail, "the process tier works here");
		return;
	}
	c = add(d, "confinement", DOCTOR_FAIL);
	buf_str(&c->detail, "the process tier does not work here");
	for (size_t i = 0; i < p.len; i++) {
		if (!p.checks[i].required || p.checks[i].state == PROBE_OK)
			continue;
		buf_fmt(&c->detail, "; %s: %s", p.checks[i].name, p.checks[i].detail);
		if (c->fix.len == 0)
			buf_str(&c->fix, p.checks[i].fix);
	}
	if (c->fix.len == 0)
		buf_str(&c->fix, "git box probe");
}

static void check_pin(const struct repo *repo, const struct box *b, struct doctor *d)
{
	BUF_AUTO ref = BUF_INIT;
	BUF_AUTO oid = BUF_INIT;
	struct error err = ERROR_INIT;
	struct doctor_check *c;
	int code;

	buf_fmt(&ref, BOX_REF_BASE "%s", b->m.id);
	const char *const args[] = { "rev-parse", "--verify", "--quiet", ref.data, NULL };
	struct git_cmd cmd = { .args = args, .git_dir = repo->git_dir.data, .out = &oid };

	if (git_run(&cmd, &code, &err) < 0) {
		add_error(d, "base", &err);
		return;
	}
	buf_truncate(&oid, strcspn(oid.data, "\n"));
	if (code == 0 && strcmp(oid.data, b->m.base_commit.data) == 0) {
		c = add(d, "base", DOCTOR_OK);
		buf_fmt(&c->detail, "%.12s is kept by %s", b->m.base_commit.data, ref.data);
	} else {
		c = add(d, "base", DOCTOR_FAIL);
		buf_fmt(&c->detail,
			"%s does not keep the base: git gc may prune what the box stands on",
			ref.data);
		buf_fmt(&c->fix, "git update-ref %s %s", ref.data, b->m.base_commit.data);
	}
	buf_str(&c->box, b->m.name.data);
}

static void check_files(const struct box *b, struct doctor *d)
{
	bool there = file_exists(b->fd, "work") &&
		     (b->m.tier == TIER_WORKSPACE || file_exists(b->fd, "git"));
	struct doctor_check *c = add(d, "files", there ? DOCTOR_OK : DOCTOR_FAIL);

	buf_str(&c->box, b->m.name.data);
	buf_str(&c->detail,
		there ? "the work tree is there" : "the work tree or its git directory is missing");
	if (!there)
		buf_fmt(&c->fix, "git box rm --force %s", b->m.name.data);
}

static size_t count_entries(int box_fd)
{
	struct box_root dir = { .fd = box_fd, .path = BUF_INIT };
	struct error ignored = ERROR_INIT;
	STRV_AUTO files = STRV_INIT;

	if (box_root_list(&dir, "session", &files, &ignored) < 0)
		return 0;
	return files.len;
}

/* Listing clears stale entries away, so they are counted before. */
static void check_sessions(const struct box *b, struct doctor *d)
{
	size_t entries = count_entries(b->fd);
	struct session_list live = SESSION_LIST_INIT;
	struct error err = ERROR_INIT;
	struct doctor_check *c;

	if (session_list(b->fd, &live, &err) < 0) {
		c = add_error(d, "sessions", &err);
	} else {
		c = add(d, "sessions", DOCTOR_OK);
		buf_fmt(&c->detail, "%zu live", live.len);
		if (entries > live.len)
			buf_fmt(&c->detail, ", %zu stale entries cleared", entries - live.len);
	}
	session_list_release(&live);
	buf_str(&c->box, b->m.name.data);
}

static void check_box(const struct repo *repo, const struct box *b, struct doctor *d)
{
	struct doctor_check *c = add(d, "box", DOCTOR_OK);

	buf_str(&c->box, b->m.name.data);
	buf_fmt(&c->detail, "manifest and policy agree, policy %.12s", b->m.policy_digest);
	check_pin(repo, b, d);
	check_files(b, d);
	check_sessions(b, d);
}

static void broken_box(const char *name, const struct error *why, struct doctor *d)
{
	struct doctor_check *c = add_error(d, "box", why);

	buf_str(&c->box, name);
	if (c->fix.len == 0)
		buf_fmt(&c->fix, "git box rm --force %s", name);
}

static int check_one(const struct repo *repo, const struct box_root *root, const char *name,
		     struct doctor *d, struct error *err)
{
	struct error why = ERROR_INIT;
	char id[BOX_ID_LEN + 1];
	struct box b;

	if (box_find(root, name, id, err) < 0)
		return -1;
	if (box_open_id(root, id, &b, &why) < 0) {
		broken_box(name, &why, d);
		return 0;
	}
	check_box(repo, &b, d);
	box_release(&b);
	return 0;
}

static int check_all(const struct repo *repo, const struct box_root *root, struct doctor *d,
		     struct error *err)
{
	struct box_list list = BOX_LIST_INIT;

	if (box_list(root, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.len; i++) {
		if (list.v[i].err.kind == ERR_NONE)
			check_box(repo, &list.v[i].box, d);
		else
			broken_box(list.v[i].id, &list.v[i].err, d);
	}
	box_list_release(&list);
	return 0;
}

static void check_leftovers(const struct repo *repo, const struct box_root *root, struct doctor *d)
{
	struct gc_report report = GC_REPORT_INIT;
	struct error err = ERROR_INIT;
	STRV_AUTO ids = STRV_INIT;
	STRV_AUTO others = STRV_INIT;
	struct doctor_check *c;

	if (box_gc(repo, UINT64_MAX, true, &report, &err) < 0 ||
	    box_ids(root, &ids, &others, &err) < 0) {
		add_error(d, "leftovers", &err);
	} else if (report.len == 0 && others.len == 0) {
		buf_str(&add(d, "leftovers", DOCTOR_OK)->detail, "none");
	} else {
		c = add(d, "leftovers", DOCTOR_WARN);
		buf_fmt(&c->detail, "%zu that git box gc removes", report.len);
		if (others.len > 0)
			buf_fmt(&c->detail, ", %zu foreign files in %s/b", others.len,
				root->path.data);
		buf_str(&c->fix, "git box gc --dry-run");
	}
	gc_report_release(&report);
}

/* What needs the box directory; without any there is nothing to be wrong. */
static int check_boxes(const struct repo *repo, const struct box_root *root, const char *name,
		       struct doctor *d, struct error *err)
{
	buf_fmt(&add(d, "directory", DOCTOR_OK)->detail, "%s is yours alone", root->path.data);
	if (name ? check_one(repo, root, name, d, err) < 0 : check_all(repo, root, d, err) < 0)
		return -1;
	check_leftovers(repo, root, d);
	return 0;
}

int doctor_run(const struct repo *repo, const char *name, struct doctor *out, struct error *err)
{
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;
	struct error why = ERROR_INIT;
	struct doctor d = DOCTOR_INIT;
	int rc = box_root_open(repo, false, &root, &why);

	check_git(&d);
	check_bare(repo, &d);
	check_installation(&d);
	check_confinement(&root, &d);
	if (rc == 0) {
		rc = check_boxes(repo, &root, name, &d, err);
	} else if (why.kind == ERR_NOTFOUND && name) {
		*err = why;
	} else if (why.kind == ERR_NOTFOUND) {
		buf_str(&add(&d, "directory", DOCTOR_OK)->detail, "no box was ever made here");
		rc = 0;
	} else {
		add_error(&d, "directory", &why);
		rc = 0;
	}
	if (rc < 0) {
		doctor_release(&d);
		return -1;
	}
	*out = d;
	return 0;
}
