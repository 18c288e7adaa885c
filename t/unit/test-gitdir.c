#include "base/base.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/gitdir.h"
#include "t/unit/scratch.h"

#define COMMIT "0123456789012345678901234567890123456789"
#define COMMIT256 COMMIT "012345678901234567890123"

struct fixture {
	struct repo repo;
	struct repo_facts facts;
};

static struct fixture fixture_make(const struct scratch *s, const char *commit)
{
	struct fixture f = { .repo = REPO_INIT, .facts = REPO_FACTS_INIT };
	struct error err = ERROR_INIT;

	cr_assert_eq(file_mkdir_p(s->fd, "host/info", 0700, &err), 0);
	cr_assert_eq(file_mkdir(s->fd, "out", 0700, &err), 0);
	buf_fmt(&f.repo.common_dir, "%s/host", s->path);
	buf_fmt(&f.repo.git_dir, "%s/host", s->path);
	buf_str(&f.facts.commit, commit);
	strv_add(&f.facts.objects, "/srv/host/objects");
	strv_add(&f.facts.objects, "/srv/lender/objects");
	return f;
}

static void fixture_end(struct fixture *f)
{
	repo_release(&f->repo);
	repo_facts_release(&f->facts);
}

static int out_dir(const struct scratch *s)
{
	int fd = openat(s->fd, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	return fd;
}

static void expect_file(const struct scratch *s, const char *path, const char *want)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	cr_assert_eq(file_read(s->fd, path, 1 << 20, &text, &err), 0, "%s: %s", path, err.msg);
	cr_expect_str_eq(text.data, want, "%s", path);
}

static void expect_config(const struct scratch *s, const char *line, bool there)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	cr_assert_eq(file_read(s->fd, "out/config", 1 << 20, &text, &err), 0, "%s", err.msg);
	cr_expect_eq(strstr(text.data, line) != NULL, there, "%s in:\n%s", line, text.data);
}

/* Both halves, as create calls them. */
static int write_view(int out, const struct fixture *f, struct error *err)
{
	return gitdir_begin_view(out, f->facts.objects.v[0], err) ||
			       gitdir_write_view(out, &f->repo, &f->facts, err) ?
		       -1 :
		       0;
}

Test(gitdir, config_lines_are_quoted)
{
	BUF_AUTO out = BUF_INIT;

	gitdir_config_line("core.eol", "lf", &out);
	gitdir_config_line("filter.a \"b\\.c.clean", "x\ny\"z\\ #;", &out);
	cr_expect_str_eq(out.data, "[core]\n\teol = \"lf\"\n"
				   "[filter \"a \\\"b\\\\.c\"]\n\tclean = \"x\\ny\\\"z\\\\ #;\"\n");
}

Test(gitdir, view)
{
	SCRATCH_AUTO s = scratch_make();
	struct fixture f = fixture_make(&s, COMMIT);
	struct error err = ERROR_INIT;
	FD_AUTO out = out_dir(&s);
	struct stat st;

	scratch_put(&s, "host/shallow", COMMIT "\n");
	scratch_put(&s, "host/info/exclude", "*.o\n");
	f.facts.shallow = true;
	strv_add(&f.facts.filters_off, "filter.lfs.clean=");
	strv_add(&f.facts.config, "core.hookspath=/evil");
	umask(077);
	cr_assert_eq(write_view(out, &f, &err), 0, "%s", err.msg);
	expect_file(&s, "out/HEAD", COMMIT "\n");
	expect_file(&s, "out/objects/info/alternates", "/srv/host/objects\n");
	expect_file(&s, "out/shallow", COMMIT "\n");
	expect_file(&s, "out/info/exclude", "*.o\n");
	expect_config(&s, "[core]\n\tfsmonitor = \"false\"", true);
	expect_config(&s, "[filter \"lfs\"]\n\tclean = \"\"", true);
	expect_config(&s, "/evil\"\n[core]\n\thookspath = \"/dev/null\"", true);
	/* The mason reads it under another uid. */
	cr_assert_eq(fstatat(out, "HEAD", &st, 0), 0);
	cr_expect_eq(st.st_mode & 0777, 0644);
	cr_assert_eq(fstatat(out, "objects", &st, 0), 0);
	cr_expect_eq(st.st_mode & 0777, 0755);
	fixture_end(&f);
}

Test(gitdir, private_directory)
{
	SCRATCH_AUTO s = scratch_make();
	struct fixture f = fixture_make(&s, COMMIT);
	struct error err = ERROR_INIT;
	FD_AUTO out = out_dir(&s);

	buf_str(&f.facts.packed_refs,
		COMMIT " refs/heads/box/fix\n" COMMIT " refs/heads/box/fix/x\n" COMMIT
		       " refs/heads/boxer\n" COMMIT " refs/tags/v1\n");
	cr_assert_eq(gitdir_write_private(out, &f.repo, &f.facts, "box/fix", &err), 0, "%s",
		     err.msg);
	expect_file(&s, "out/HEAD", "ref: refs/heads/box/fix\n");
	expect_file(&s, "out/refs/heads/box/fix", COMMIT "\n");
	expect_file(&s, "out/objects/info/alternates", "/run/box/objects/0\n/run/box/objects/1\n");
	expect_file(&s, "out/packed-refs",
		    "# pack-refs with: sorted \n" COMMIT " refs/heads/boxer\n" COMMIT
		    " refs/tags/v1\n");
	expect_config(&s, "hookspath", false);
	fixture_end(&f);
}

Test(gitdir, branch_named_like_our_prefix)
{
	SCRATCH_AUTO s = scratch_make();
	struct fixture f = fixture_make(&s, COMMIT);
	struct error err = ERROR_INIT;
	FD_AUTO out = out_dir(&s);

	buf_str(&f.facts.packed_refs, COMMIT " refs/heads/box\n");
	cr_assert_eq(gitdir_write_private(out, &f.repo, &f.facts, "box/fix", &err), 0, "%s",
		     err.msg);
	expect_file(&s, "out/packed-refs", "# pack-refs with: sorted \n");
	fixture_end(&f);
}

Test(gitdir, sha256)
{
	SCRATCH_AUTO s = scratch_make();
	struct fixture f = fixture_make(&s, COMMIT256);
	struct error err = ERROR_INIT;
	FD_AUTO out = out_dir(&s);

	cr_assert_eq(write_view(out, &f, &err), 0, "%s", err.msg);
	expect_config(&s, "repositoryformatversion = \"1\"", true);
	expect_config(&s, "objectformat = \"sha256\"", true);
	fixture_end(&f);
}

Test(gitdir, odd_store_path_is_quoted)
{
	SCRATCH_AUTO s = scratch_make();
	struct fixture f = fixture_make(&s, COMMIT);
	struct error err = ERROR_INIT;
	FD_AUTO out = out_dir(&s);

	strv_release(&f.facts.objects);
	strv_add(&f.facts.objects, "/a\nb\"c/\xff");
	cr_assert_eq(write_view(out, &f, &err), 0, "%s", err.msg);
	expect_file(&s, "out/objects/info/alternates", "\"/a\\012b\\\"c/\\377\"\n");
	fixture_end(&f);
}

Test(gitdir, what_cannot_be_opened_is_not_given_half)
{
	SCRATCH_AUTO s = scratch_make();
	struct error err = ERROR_INIT;
	FD_AUTO out = -1;
	struct rlimit before, tight;
	int whole, half;

	cr_assert_eq(file_mkdir_p(s.fd, "out/sub/sub", 0700, &err), 0);
	scratch_put(&s, "out/sub/file", "x");
	cr_assert_eq(symlinkat("nowhere", s.fd, "out/link"), 0);
	out = out_dir(&s);
	whole = gitdir_give(out, geteuid(), getegid(), &err);
	cr_expect_eq(whole, 0, "%s", err.msg);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	tight = before;
	/* Enough to list the top, not to open what lies in it. */
	tight.rlim_cur = (rlim_t)out + 2;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
	half = gitdir_give(out, geteuid(), getegid(), &err);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	cr_expect_eq(half, -1);
	cr_expect_str_not_empty(err.msg);
}
