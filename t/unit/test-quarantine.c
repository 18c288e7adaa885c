#include "base/base.h"

#include <sys/stat.h>

#include "store/quarantine.h"
#include "t/unit/scratch.h"

#define MAX (1u << 20)

/* A user's repository with one commit, and a second one (of "the box") that borrows its objects. */
struct world {
	struct scratch dir;
	struct buf host;   /* git directory */
	struct buf store;  /* its objects */
	struct buf box;	   /* git directory */
	struct buf commit; /* the base */
	struct buf base;   /* its tree */
	struct buf tree;   /* of the box: one more file */
};

static void git_in(const char *git_dir, const char *const *args, const char *in, struct buf *out)
{
	static const char *const env[] = { "GIT_AUTHOR_NAME=a",	    "GIT_AUTHOR_EMAIL=a@b",
					   "GIT_COMMITTER_NAME=a",  "GIT_COMMITTER_EMAIL=a@b",
					   "GIT_CONFIG_GLOBAL=/dev/null", NULL };
	struct error err = ERROR_INIT;
	struct git_cmd cmd = { .args = args,
			       .git_dir = git_dir,
			       .env = env,
			       .in = in,
			       .in_len = in ? strlen(in) : 0,
			       .out = out };

	cr_assert_eq(git_must(&cmd, &err), 0, "%s", err.msg);
	if (out)
		buf_truncate(out, strcspn(out->data, "\n"));
}

#define GIT(dir, in, out, ...) git_in((dir), (const char *const[]){ __VA_ARGS__, NULL }, in, out)

/* A tree with a file of that content. */
static void make_tree(const char *git_dir, const char *content, const char *name, struct buf *out)
{
	BUF_AUTO blob = BUF_INIT;
	BUF_AUTO line = BUF_INIT;

	GIT(git_dir, content, &blob, "hash-object", "-w", "--stdin");
	buf_fmt(&line, "100644 blob %s\t%s\n", blob.data, name);
	GIT(git_dir, line.data, out, "mktree");
}

static struct world make_world(void)
{
	struct world w = { .dir = scratch_make(),
			   .host = BUF_INIT,
			   .store = BUF_INIT,
			   .box = BUF_INIT,
			   .commit = BUF_INIT,
			   .base = BUF_INIT,
			   .tree = BUF_INIT };
	BUF_AUTO line = BUF_INIT;

	buf_fmt(&w.host, "%s/host", w.dir.path);
	buf_fmt(&w.store, "%s/host/objects", w.dir.path);
	buf_fmt(&w.box, "%s/box", w.dir.path);
	GIT(NULL, NULL, NULL, "init", "-q", "--bare", w.host.data);
	GIT(NULL, NULL, NULL, "init", "-q", "--bare", w.box.data);
	buf_fmt(&line, "%s\n", w.store.data);
	scratch_put(&w.dir, "box/objects/info/alternates", line.data);
	make_tree(w.host.data, "base\n", "f", &w.base);
	GIT(w.host.data, NULL, &w.commit, "commit-tree", "-m", "base", w.base.data);
	make_tree(w.box.data, "of the box\n", "g", &w.tree);
	return w;
}

static void world_release(struct world *w)
{
	buf_release(&w->host);
	buf_release(&w->store);
	buf_release(&w->box);
	buf_release(&w->commit);
	buf_release(&w->base);
	buf_release(&w->tree);
	scratch_remove(&w->dir);
}
#define WORLD_AUTO __attribute__((cleanup(world_release))) struct world

static void open_q(const struct world *w, struct quarantine *q)
{
	const char *const stores[] = { w->store.data, NULL };
	const struct quarantine_place where = {
		.dirfd = w->dir.fd, .path = w->dir.path, .stores = stores, .hex = 40
	};
	struct error err = ERROR_INIT;

	cr_assert_eq(quarantine_open(&where, q, &err), 0, "%s", err.msg);
}

/* What pack-objects makes of the listed objects; a sealed file of it, cut or broken as wanted. */
static int pack_fd(const struct world *w, const char *objects, size_t cut, bool flip)
{
	static const char *const args[] = { "pack-objects", "--stdout", "-q", NULL };
	struct error err = ERROR_INIT;
	BUF_AUTO pack = BUF_INIT;
	struct git_cmd cmd = { .args = args,
			       .git_dir = w->box.data,
			       .in = objects,
			       .in_len = strlen(objects),
			       .out = &pack };
	int fd;

	cr_assert_eq(git_must(&cmd, &err), 0, "%s", err.msg);
	if (flip)
		pack.data[pack.len / 2] ^= 1;
	fd = fd_sealed("pack", pack.data, pack.len - cut, &err);
	cr_assert_geq(fd, 0);
	return fd;
}

static void list_all(const struct world *w, struct buf *out)
{
	BUF_AUTO blob = BUF_INIT;
	BUF_AUTO name = BUF_INIT;

	buf_fmt(&name, "%s:g", w->tree.data);
	GIT(w->box.data, NULL, &blob, "rev-parse", name.data);
	buf_fmt(out, "%s\n%s\n", w->tree.data, blob.data);
}

static int take(struct quarantine *q, int fd, uint64_t max, struct error *err)
{
	const struct quarantine_pack pack = { .fd = fd, .max_bytes = max, .strict = true };
	int rc = quarantine_take(q, &pack, err);

	fd_close(&fd);
	return rc;
}

static bool host_has(const struct world *w, const char *oid)
{
	const char *const args[] = { "cat-file", "-e", oid, NULL };
	struct git_cmd cmd = { .args = args, .git_dir = w->host.data };
	struct error err = ERROR_INIT;
	int code = -1;

	cr_assert_eq(git_run(&cmd, &code, &err), 0);
	return code == 0;
}

Test(quarantine, what_is_accepted_arrives_and_nothing_else)
{
	static const char *const env[] = { "GIT_AUTHOR_NAME=a",	   "GIT_AUTHOR_EMAIL=a@b",
					   "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
					   NULL };
	WORLD_AUTO w = make_world();
	struct repo repo = REPO_INIT;
	struct quarantine q;
	struct error err = ERROR_INIT;
	BUF_AUTO objects = BUF_INIT;
	BUF_AUTO more = BUF_INIT;
	BUF_AUTO commit = BUF_INIT;
	struct quarantine_commit c = { .repo = &repo,
				       .tree = w.tree.data,
				       .parent = w.commit.data,
				       .message = "m\n",
				       .env = env };

	repo.git_dir = w.host;
	list_all(&w, &objects);
	make_tree(w.box.data, "not asked for\n", "h", &more);
	buf_fmt(&objects, "%s\n", more.data);
	open_q(&w, &q);
	/* h's blob lies in the box's store alone: what the tree needs is not complete. */
	cr_assert_eq(take(&q, pack_fd(&w, objects.data, 0, false), MAX, &err), -1);
	buf_reset(&objects);
	list_all(&w, &objects);
	cr_assert_eq(take(&q, pack_fd(&w, objects.data, 0, false), MAX, &err), 0, "%s", err.msg);
	cr_assert_eq(quarantine_check(&q, w.tree.data, w.base.data, &err), 0, "%s", err.msg);
	cr_expect_not(host_has(&w, w.tree.data));
	cr_assert_eq(quarantine_commit(&q, &c, &commit, &err), 0, "%s", err.msg);
	cr_expect_not(host_has(&w, commit.data));
	cr_assert_eq(quarantine_accept(&q, &repo, commit.data, w.commit.data, &err), 0, "%s",
		     err.msg);
	cr_expect(host_has(&w, commit.data));
	cr_expect(host_has(&w, w.tree.data));
	cr_expect_not(host_has(&w, more.data));
	quarantine_drop(&q);
}

Test(quarantine, hostile_packs_are_refused)
{
	WORLD_AUTO w = make_world();
	BUF_AUTO objects = BUF_INIT;

	list_all(&w, &objects);
	for (int i = 0; i < 4; i++) {
		struct error err = ERROR_INIT;
		struct quarantine q;
		int fd = i == 3 ? fd_sealed("pack", "PACK", 4, &err)
				: pack_fd(&w, objects.data, i == 0 ? 7 : 0, i == 1);

		open_q(&w, &q);
		cr_expect_eq(take(&q, fd, i == 2 ? 20 : MAX, &err), -1, "%d", i);
		cr_expect_eq(err.kind, ERR_CORRUPT, "%d: %s", i, err.msg);
		cr_expect_eq(quarantine_check(&q, w.tree.data, w.base.data, &err), -1);
		quarantine_drop(&q);
	}
}

Test(quarantine, what_fsck_complains_of_is_refused_where_strict)
{
	WORLD_AUTO w = make_world();
	BUF_AUTO tree = BUF_INIT;
	BUF_AUTO objects = BUF_INIT;
	struct error err = ERROR_INIT;

	/* A name that no git makes by itself. */
	make_tree(w.box.data, "x\n", ".GIT", &tree);
	GIT(w.box.data, NULL, &objects, "rev-list", "--objects", "--no-object-names", tree.data);
	buf_char(&objects, '\n');
	for (int strict = 0; strict < 2; strict++) {
		BUF_AUTO all = BUF_INIT;
		BUF_AUTO blob = BUF_INIT;
		BUF_AUTO name = BUF_INIT;
		struct quarantine q;

		buf_fmt(&name, "%s:.GIT", tree.data);
		GIT(w.box.data, NULL, &blob, "rev-parse", name.data);
		buf_fmt(&all, "%s\n%s\n", tree.data, blob.data);
		FD_AUTO fd = pack_fd(&w, all.data, 0, false);
		const struct quarantine_pack pack = { .fd = fd,
						      .max_bytes = MAX,
						      .strict = strict };

		open_q(&w, &q);
		cr_expect_eq(quarantine_take(&q, &pack, &err), strict ? -1 : 0, "%s", err.msg);
		quarantine_drop(&q);
	}
}

Test(quarantine, an_announced_tree_must_be_there_and_be_a_tree)
{
	WORLD_AUTO w = make_world();
	struct error err = ERROR_INIT;
	struct quarantine q;

	open_q(&w, &q);
	cr_expect_eq(quarantine_check(&q, w.tree.data, w.base.data, &err), -1);
	cr_expect_eq(err.kind, ERR_CORRUPT);
	cr_expect_eq(quarantine_check(&q, w.base.data, w.base.data, &err), 0);
	quarantine_drop(&q);
}

Test(quarantine, what_an_owner_left_is_swept)
{
	WORLD_AUTO w = make_world();
	struct error err = ERROR_INIT;
	STRV_AUTO swept = STRV_INIT;
	struct quarantine q;
	BUF_AUTO path = BUF_INIT;

	open_q(&w, &q);
	buf_fmt(&path, "%s/0123456789abcdef", w.dir.path);
	cr_assert_eq(mkdir(path.data, 0700), 0);
	cr_assert_eq(quarantine_sweep(w.dir.fd, true, &swept, &err), 0);
	cr_assert_eq(swept.len, 1, "the live one is locked");
	cr_expect(file_exists(AT_FDCWD, path.data));
	cr_assert_eq(quarantine_sweep(w.dir.fd, false, &swept, &err), 0);
	cr_expect_not(file_exists(AT_FDCWD, path.data));
	cr_expect(file_exists(w.dir.fd, q.name));
	BUF_AUTO name = BUF_INIT;

	buf_str(&name, q.name);
	quarantine_drop(&q);
	cr_expect_not(file_exists(w.dir.fd, name.data));
}
