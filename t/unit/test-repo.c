#include "base/base.h"

#include <sys/stat.h>

#include "store/repo.h"
#include "t/unit/scratch.h"

/* Fakes: discovery looks at names and kinds only, it never starts git here. */
static void put_git_dir(const struct scratch *s, const char *dir)
{
	static const char *const parts[] = { "", "/objects", "/refs" };
	struct error err = ERROR_INIT;
	BUF_AUTO head = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		BUF_AUTO path = BUF_INIT;

		buf_fmt(&path, "%s%s", dir, parts[i]);
		cr_assert_eq(file_mkdir_p(s->fd, path.data, 0700, &err), 0, "%s", err.msg);
	}
	buf_fmt(&head, "%s/HEAD", dir);
	scratch_put(s, head.data, "ref: refs/heads/main\n");
}

static void go(const struct scratch *s, const char *dir)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "%s/%s", s->path, dir);
	cr_assert_eq(chdir(path.data), 0);
	cr_assert_eq(setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1), 0);
}

static void expect_path(const struct scratch *s, const struct buf *got, const char *want)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "%s/%s", s->path, want);
	cr_expect_str_eq(got->data, path.data);
}

static enum error_kind kind_at(const struct scratch *s, const char *dir, struct error *err)
{
	REPO_AUTO r = REPO_INIT;

	go(s, dir);
	*err = (struct error)ERROR_INIT;
	cr_expect_eq(repo_discover(&r, err), -1);
	cr_expect_eq(r.top.len, 0, "untouched on failure");
	return err->kind;
}

Test(repo, top_and_below)
{
	SCRATCH_AUTO s = scratch_make();
	REPO_AUTO top = REPO_INIT;
	REPO_AUTO sub = REPO_INIT;
	struct error err = ERROR_INIT;

	put_git_dir(&s, "r/.git");
	cr_assert_eq(file_mkdir_p(s.fd, "r/a/b", 0700, &err), 0);
	go(&s, "r");
	cr_assert_eq(repo_discover(&top, &err), 0, "%s", err.msg);
	cr_expect_str_eq(top.prefix.data, "");
	go(&s, "r/a/b");
	cr_assert_eq(repo_discover(&sub, &err), 0, "%s", err.msg);
	expect_path(&s, &sub.top, "r");
	expect_path(&s, &sub.git_dir, "r/.git");
	expect_path(&s, &sub.common_dir, "r/.git");
	cr_expect_str_eq(sub.prefix.data, "a/b");
	cr_expect_geq(sub.common_fd, 0);
}

Test(repo, symlinked_path_is_canonical)
{
	SCRATCH_AUTO s = scratch_make();
	REPO_AUTO r = REPO_INIT;
	struct error err = ERROR_INIT;

	put_git_dir(&s, "r/.git");
	cr_assert_eq(symlinkat("r", s.fd, "via"), 0);
	go(&s, "via");
	cr_assert_eq(repo_discover(&r, &err), 0, "%s", err.msg);
	expect_path(&s, &r.top, "r");
}

Test(repo, linked_worktree)
{
	SCRATCH_AUTO s = scratch_make();
	REPO_AUTO r = REPO_INIT;
	struct error err = ERROR_INIT;

	put_git_dir(&s, "r/.git");
	cr_assert_eq(file_mkdir_p(s.fd, "r/.git/worktrees/w", 0700, &err), 0);
	scratch_put(&s, "r/.git/worktrees/w/HEAD", "ref: refs/heads/x\n");
	scratch_put(&s, "r/.git/worktrees/w/commondir", "../..\n");
	cr_assert_eq(file_mkdir(s.fd, "w", 0700, &err), 0);
	scratch_put(&s, "w/.git", "gitdir: ../r/.git/worktrees/w\n");
	go(&s, "w");
	cr_assert_eq(repo_discover(&r, &err), 0, "%s", err.msg);
	expect_path(&s, &r.top, "w");
	expect_path(&s, &r.git_dir, "r/.git/worktrees/w");
	expect_path(&s, &r.common_dir, "r/.git");
}

Test(repo, dangling_pointer)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	cr_assert_eq(file_mkdir(s.fd, "w", 0700, &err), 0);
	scratch_put(&s, "w/.git", "gitdir: ../nowhere\n");
	cr_expect_eq(kind_at(&s, "w", &err), ERR_CORRUPT);
	cr_assert_eq(file_mkdir(s.fd, "v", 0700, &err), 0);
	scratch_put(&s, "v/.git", "rubbish\n");
	cr_expect_eq(kind_at(&s, "v", &err), ERR_CORRUPT);
}

Test(repo, none_names_neighbours)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	put_git_dir(&s, "holder/here/.git");
	cr_expect_eq(kind_at(&s, "holder", &err), ERR_NOTFOUND);
	cr_expect(strstr(err.hint, "'here'"), "%s", err.hint);
	cr_assert_eq(file_mkdir(s.fd, "none", 0700, &err), 0);
	cr_expect_eq(kind_at(&s, "none", &err), ERR_NOTFOUND);
	cr_expect(strstr(err.hint, "git init"), "%s", err.hint);
}

Test(repo, bare_and_inside_git)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	put_git_dir(&s, "b.git");
	cr_expect_eq(kind_at(&s, "b.git", &err), ERR_REFUSED);
	cr_expect(strstr(err.msg, "bare"), "%s", err.msg);
	put_git_dir(&s, "r/.git");
	cr_expect_eq(kind_at(&s, "r/.git/refs", &err), ERR_REFUSED);
	cr_expect(strstr(err.msg, "inside the git directory"), "%s", err.msg);
}

Test(repo, inside_a_box)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;

	put_git_dir(&s, "r/.git");
	/* What the box plants there is not even looked at. */
	put_git_dir(&s, "r/.git/box/b/0123456789abcdef/work/.git");
	put_git_dir(&s, "r/.git/box/b/0123456789abcdef/work/sub/.git");
	cr_expect_eq(kind_at(&s, "r/.git/box/b/0123456789abcdef/work/sub", &err), ERR_UNSUPPORTED);
	cr_expect(strstr(err.hint, "/r'"), "%s", err.hint);
}

Test(repo, inherited_git_dir)
{
	SCRATCH_AUTO s = scratch_make();
	REPO_AUTO r = REPO_INIT;
	struct error err = ERROR_INIT;

	put_git_dir(&s, "r/.git");
	put_git_dir(&s, "other/.git");
	cr_assert_eq(setenv("GIT_DIR", "../other/.git", 1), 0);
	cr_expect_eq(kind_at(&s, "r", &err), ERR_REFUSED);
	cr_assert_eq(setenv("GIT_DIR", ".git", 1), 0);
	cr_expect_eq(repo_discover(&r, &err), 0, "%s", err.msg);
}

Test(repo, odd_bytes_stay)
{
	SCRATCH_AUTO s = scratch_make();
	REPO_AUTO r = REPO_INIT;
	struct error err = ERROR_INIT;

	put_git_dir(&s, "a\n\xff b/.git");
	go(&s, "a\n\xff b");
	cr_assert_eq(repo_discover(&r, &err), 0, "%s", err.msg);
	expect_path(&s, &r.top, "a\n\xff b");
}
