/* policy/lower: what a box looks like inside, as words of the plan; no privilege is needed. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "policy/lower.h"
#include "policy/profile.h"
#include "scratch.h"

/* A box below a scratch directory, described but for what a test changes. */
struct bench {
	struct scratch dir;
	struct buf box_dir, top, home;
	struct policy policy;
	struct lower_box box;
	const char *objects[2];
	struct buf plan, text;
};
#define BENCH_AUTO __attribute__((cleanup(bench_release))) struct bench

static void mkdirs(const struct bench *b, const char *path)
{
	struct error err = ERROR_INIT;

	cr_assert_eq(file_mkdir_p(b->dir.fd, path, 0755, &err), 0, "%s", err.msg);
}

static void bench_make(struct bench *b, const char *profile)
{
	struct profile_request req = { .profile = profile };
	struct error err = ERROR_INIT;

	*b = (struct bench){ .dir = scratch_make(),
			     .box_dir = BUF_INIT,
			     .top = BUF_INIT,
			     .home = BUF_INIT,
			     .plan = BUF_INIT,
			     .text = BUF_INIT };
	buf_fmt(&b->box_dir, "%s/r/.git/box/b/1", b->dir.path);
	buf_fmt(&b->top, "%s/r", b->dir.path);
	buf_fmt(&b->home, "%s/home", b->dir.path);
	mkdirs(b, "r/.git/box/b/1/work");
	mkdirs(b, "r/.git/objects");
	mkdirs(b, "home");
	req.home = b->home.data;
	req.repo_top = b->top.data;
	policy_init(&b->policy);
	cr_assert_eq(profile_resolve(&req, &b->policy, &err), 0);
	b->objects[0] = "/objects";
	b->box = (struct lower_box){ .name = "x",
				     .id = "0123456789abcdef",
				     .box_dir = b->box_dir.data,
				     .repo_top = b->top.data,
				     .home = b->home.data,
				     .user = "u",
				     .objects = b->objects,
				     .uid = 4242,
				     .gid = 4243 };
}

static void bench_release(struct bench *b)
{
	policy_release(&b->policy);
	buf_release(&b->box_dir);
	buf_release(&b->top);
	buf_release(&b->home);
	buf_release(&b->plan);
	buf_release(&b->text);
	scratch_remove(&b->dir);
}

static const struct plan *plan_of(const struct bench *b)
{
	return (const struct plan *)(const void *)b->plan.data;
}

/* Lowers and puts the plan into lines; the scratch directory's path reads "@". */
static int lower(struct bench *b, struct error *err)
{
	struct plan_builder builder;
	BUF_AUTO line = BUF_INIT;
	size_t n = strlen(b->dir.path);

	plan_begin(&builder);
	int r = lower_box(&b->policy, &b->box, &builder, err);
	buf_reset(&b->plan);
	buf_reset(&b->text);
	if (!r)
		plan_finish(&builder, &b->plan);
	plan_release(&builder);
	if (r)
		return -1;
	cr_assert_eq(plan_check(b->plan.data, b->plan.len, err), 0, "%s", err->msg);
	for (size_t i = 0; i < plan_of(b)->mounts.len; i++) {
		plan_mount_text(plan_of(b), &plan_mounts(plan_of(b))[i], &line);
		buf_char(&line, '\n');
	}
	for (const char *p = line.data; *p; p++) {
		if (strncmp(p, b->dir.path, n) == 0) {
			buf_char(&b->text, '@');
			p += n - 1;
		} else {
			buf_char(&b->text, *p);
		}
	}
	return 0;
}

static void must_lower(struct bench *b)
{
	struct error err = ERROR_INIT;

	cr_assert_eq(lower(b, &err), 0, "%s", err.msg);
}

/* Where the line stands in the plan, or NULL. */
static const char *line_at(const struct bench *b, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = b->text.data; p && *p;
	     p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		if (strncmp(p, line, n) == 0 && p[n] == '\n')
			return p;
	return NULL;
}

static void expect_order(const struct bench *b, const char *const *lines)
{
	const char *last = b->text.data;

	for (size_t i = 0; lines[i]; i++) {
		const char *at = line_at(b, lines[i]);
		cr_assert_not_null(at, "'%s' is missing in\n%s", lines[i], b->text.data);
		cr_assert_geq(at, last, "'%s' comes too early in\n%s", lines[i], b->text.data);
		last = at;
	}
}

/* scratch lies below /tmp: so does the repository, as in case A16. */
Test(lower, places_of_the_box_parents_first)
{
	static const char *const want[] = { "bind /tmp from @/r/.git/box/b/1/tmp beneath",
					    "dir @",
					    "hold @",
					    "bind @/home from @/r/.git/box/b/1/home beneath",
					    "bind @/r from @/r/.git/box/b/1/work beneath",
					    "bind @/r/.git from @/r/.git/box/b/1/git beneath",
					    "bind /usr read-only recursive optional",
					    "bind /var/tmp from @/r/.git/box/b/1/tmp beneath",
					    NULL };
	BENCH_AUTO b;

	bench_make(&b, "default");
	must_lower(&b);
	expect_order(&b, want);
	const struct plan *p = plan_of(&b);
	cr_expect_eq(p->uid, 4242);
	cr_expect_eq(p->gid, 4243);
	cr_expect_str_eq(plan_str(p, p->hostname), "x");
	cr_expect_str_eq(plan_str(p, p->cwd), b.top.data);
	cr_expect_str_eq(plan_str(p, p->box_root), b.box_dir.data);
	cr_expect(p->bits & PLAN_NET_OWN);
	cr_expect(p->bits & PLAN_ROOT_RO);
	cr_expect_gt(p->filter.len, 0);
	cr_expect_eq(p->memory_hi, 1);
	cr_expect_eq(p->memory_lo, 0);
}

Test(lower, nothing_but_places_of_the_box_is_writable)
{
	static const char *const writable[] = { "/tmp", "/var/tmp", "/dev/shm", "/dev/pts",
						"/proc" };
	BENCH_AUTO b;

	bench_make(&b, "agent");
	must_lower(&b);
	const struct plan *p = plan_of(&b);
	for (size_t i = 0; i < p->mounts.len; i++) {
		const struct plan_mount *m = &plan_mounts(p)[i];
		const char *dst = plan_str(p, m->dst);
		bool made = m->op == PLAN_DIR || m->op == PLAN_FILE || m->op == PLAN_SYMLINK ||
			    m->op == PLAN_MASK;
		bool own = m->flags & PLAN_SRC_HOST_ONLY ||
			   strncmp(dst, b.dir.path, strlen(b.dir.path)) == 0;
		for (size_t k = 0; k < ARRAY_SIZE(writable); k++)
			own = own || strcmp(dst, writable[k]) == 0;
		cr_expect(made || own || m->flags & PLAN_RO, "%s", dst);
		cr_expect_not(m->flags & PLAN_DEV && !(m->flags & PLAN_RO) && m->op != PLAN_DEVPTS,
			      "%s", dst);
	}
}

Test(lower, repository_below_home)
{
	static const char *const want[] = { "bind @ from @/r/.git/box/b/1/home beneath",
					    "dir @/src", "hold @/src",
					    "bind @/src/r from @/r/.git/box/b/1/work beneath",
					    NULL };
	BENCH_AUTO b;
	BUF_AUTO top = BUF_INIT;

	bench_make(&b, "default");
	buf_fmt(&top, "%s/src/r", b.dir.path);
	b.box.home = b.dir.path;
	b.box.repo_top = top.data;
	must_lower(&b);
	expect_order(&b, want);
}

Test(lower, home_that_can_not_be_shown)
{
	BENCH_AUTO b;
	BUF_AUTO inside = BUF_INIT;

	bench_make(&b, "default");
	buf_fmt(&inside, "%s/x", b.top.data);
	const char *const homes[] = { "",     "/",	   "relative", "/proc/x",
				      "/etc", inside.data, b.top.data, "/usr/there-is-none" };
	for (size_t i = 0; i < ARRAY_SIZE(homes); i++) {
		b.box.home = homes[i];
		must_lower(&b);
		cr_expect(line_at(&b, "bind /home/box from @/r/.git/box/b/1/home beneath"), "%s",
			  homes[i]);
	}
}

Test(lower, work_tree_that_can_not_be_shown)
{
	static const char *const tops[] = { "/",    "/usr",	  "/etc", "/etc/x",   "/proc/1",
					    "/dev", "/tmp",	  "/var", "/var/tmp", "/home",
					    "/run", "/run/box/x", "/bin", "r" };
	BENCH_AUTO b;

	bench_make(&b, "default");
	for (size_t i = 0; i < ARRAY_SIZE(tops); i++) {
		struct error err = ERROR_INIT;
		b.box.repo_top = tops[i];
		cr_expect_eq(lower(&b, &err), -1, "%s", tops[i]);
		cr_expect_eq(err.kind, ERR_REFUSED, "%s", tops[i]);
	}
}

Test(lower, protected_files_that_are_there)
{
	static const char *const want[] = { "bind @/r from @/r/.git/box/b/1/work beneath",
					    "hold @/r/.claude optional",
					    "hold @/r/.claude/settings.json read-only optional",
					    NULL };
	BENCH_AUTO b;

	bench_make(&b, "default");
	must_lower(&b);
	cr_expect_null(strstr(b.text.data, ".claude"), "absent ones are not made");
	mkdirs(&b, "r/.git/box/b/1/work/.claude");
	scratch_put(&b.dir, "r/.git/box/b/1/work/.claude/settings.json", "{}");
	must_lower(&b);
	expect_order(&b, want);
	cr_expect_null(strstr(b.text.data, ".mcp.json"));
}

/* The box could have made the link: a host that followed it would hold a file outside. */
Test(lower, protected_path_through_a_symlink)
{
	BENCH_AUTO b;

	bench_make(&b, "default");
	mkdirs(&b, "other");
	scratch_put(&b.dir, "other/settings.json", "{}");
	cr_assert_eq(symlinkat("../../../../../../other", b.dir.fd, "r/.git/box/b/1/work/.claude"),
		     0);
	must_lower(&b);
	cr_expect_null(strstr(b.text.data, ".claude"));
}

Test(lower, grants)
{
	static const char *const want[] = {
		"bind @/data/both optional", "overlay @/data/tool read-only optional",
		"overlay @/home/.nvm from @/data/nvm read-only optional", NULL
	};
	BENCH_AUTO b;

	bench_make(&b, "default");
	mkdirs(&b, "data/tool/inner");
	mkdirs(&b, "data/nvm");
	mkdirs(&b, "data/both");
	cr_assert_eq(symlinkat("../data/nvm", b.dir.fd, "home/.nvm"), 0);
	scratch_put(&b.dir, "data/file", "x");
	strv_addf(&b.policy.read, "%s/data/tool", b.dir.path);
	strv_addf(&b.policy.read, "%s/data/tool/inner", b.dir.path);
	strv_addf(&b.policy.read, "%s/data/file", b.dir.path);
	strv_addf(&b.policy.read, "%s/home/.nvm", b.dir.path);
	strv_addf(&b.policy.read, "%s/home/.missing", b.dir.path);
	strv_addf(&b.policy.read, "%s/data/both", b.dir.path);
	strv_addf(&b.policy.write, "%s/data/both", b.dir.path);
	must_lower(&b);
	expect_order(&b, want);
	cr_expect(line_at(&b, "bind @/data/file read-only optional"),
		  "an overlay has no files at its root");
	cr_expect_null(strstr(b.text.data, "inner"), "shown already");
	cr_expect_null(strstr(b.text.data, "missing"));
}

Test(lower, a_socket_is_no_grant)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct error err = ERROR_INIT;
	BENCH_AUTO b;

	bench_make(&b, "default");
	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/sock", b.dir.path);
	FD_AUTO fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(bind(fd, (struct sockaddr *)(void *)&sun, sizeof(sun)), 0);
	strv_add(&b.policy.read, sun.sun_path);
	cr_expect_eq(lower(&b, &err), -1);
	cr_expect_eq(err.kind, ERR_REFUSED);
}

Test(lower, other_boxes_are_hidden_where_a_grant_shows_them)
{
	BENCH_AUTO b;

	bench_make(&b, "default");
	strv_addf(&b.policy.read, "%s/r/.git", b.dir.path);
	must_lower(&b);
	cr_expect_null(line_at(&b, "mask @/r/.git/box"), "the work tree covers it");
	b.box.repo_top = "/srv/linked";
	must_lower(&b);
	cr_expect(line_at(&b, "mask @/r/.git/box"));
}

static const struct plan_mount *mount_at(const struct plan *p, const char *dst)
{
	for (size_t i = 0; i < p->mounts.len; i++)
		if (strcmp(plan_str(p, plan_mounts(p)[i].dst), dst) == 0)
			return &plan_mounts(p)[i];
	return NULL;
}

Test(lower, accounts)
{
	static const struct {
		const char *user, *line;
	} rows[] = {
		{ "u", "\nu:x:4242:4243:u:" },		 { "root", "\nbox:x:4242:4243:box:" },
		{ "", "\nbox:x:4242:4243:box:" },	 { "a:b", "\nbox:x:4242:4243:box:" },
		{ "a\nroot", "\nbox:x:4242:4243:box:" },
	};
	BENCH_AUTO b;

	bench_make(&b, "default");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.box.user = rows[i].user;
		must_lower(&b);
		const struct plan_mount *m = mount_at(plan_of(&b), "/etc/passwd");
		cr_assert_not_null(m);
		cr_expect(strstr(plan_str(plan_of(&b), m->data), rows[i].line), "%s", rows[i].user);
	}
}

Test(lower, no_secret_of_etc)
{
	static const char *const hidden[] = { "/etc/shadow",
					      "/etc/gshadow",
					      "/etc/ssl",
					      "/etc/ssl/private",
					      "/etc/sudoers",
					      "/etc/gitconfig",
					      "/etc/npmrc",
					      "/etc/maven",
					      "/etc/pip.conf",
					      "/etc/wgetrc",
					      "/etc/environment",
					      "/etc/ssh",
					      "/etc",
					      "/sys",
					      "/run",
					      "/boot" };
	BENCH_AUTO b;

	bench_make(&b, "agent");
	must_lower(&b);
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		cr_expect_null(mount_at(plan_of(&b), hidden[i]), "%s", hidden[i]);
}

/* Every variable there is, then what arrives. */
Test(lower, environment)
{
	static const char *const extra[] = { "LANG=en", "MINE=1", NULL };
	struct strv env = STRV_INIT;
	BENCH_AUTO b;
	BUF_AUTO path = BUF_INIT;

	bench_make(&b, "agent");
	mkdirs(&b, "home/.cargo/bin");
	mkdirs(&b, "home/bin");
	clearenv();
	buf_fmt(&path, "/usr/bin:relative:%s/bin:%s/home/bin:/usr/bin:/usr/there-is-none",
		b.top.data, b.dir.path);
	mkdirs(&b, "r/bin");
	setenv("PATH", path.data, 1);
	setenv("LANG", "C", 1);
	setenv("SECRET", "1", 1);
	setenv("LD_PRELOAD", "/usr/lib/x.so", 1);
	setenv("GIT_DIR", "x", 1);
	setenv("SSH_AUTH_SOCK", "x", 1);
	setenv("JAVA_HOME", "/somewhere/else", 1);
	setenv("GOROOT", "/usr/lib/go", 1);
	strv_add(&b.policy.env, "LD_PRELOAD");
	strv_add(&b.policy.env, "GIT_DIR");
	strv_add(&b.policy.env, "SSH_AUTH_SOCK");
	lower_env(&b.policy, &b.box, extra, &env);
	BUF_AUTO want = BUF_INIT;
	buf_fmt(&want, "PATH=%s/home/.cargo/bin:/usr/bin:%s/bin:", b.dir.path, b.top.data);
	bool found = false;
	for (size_t i = 0; i < env.len; i++) {
		cr_expect_null(strstr(env.v[i], "SECRET"));
		cr_expect_neq(strncmp(env.v[i], "LD_", 3), 0);
		cr_expect_neq(strncmp(env.v[i], "SSH_", 4), 0);
		cr_expect_neq(strncmp(env.v[i], "GIT_DIR", 7), 0);
		cr_expect_neq(strncmp(env.v[i], "JAVA_HOME", 9), 0, "not visible inside");
		found = found || strncmp(env.v[i], want.data, want.len) == 0;
	}
	cr_expect(found, "%s", want.data);
	cr_expect(strv_has(&env, "LANG=en"), "--env wins");
	cr_expect(strv_has(&env, "MINE=1"));
	cr_expect(strv_has(&env, "GOROOT=/usr/lib/go"));
	cr_expect(strv_has(&env, "TMPDIR=/tmp"));
	cr_expect(strv_has(&env, "GIT_BOX=x"));
	cr_expect(strv_has(&env, "IS_SANDBOX=1"));
	cr_expect(strv_has(&env, "USER=u"));
	strv_release(&env);
}

Test(lower, mason)
{
	static const char *const want[] = { "bind /usr read-only recursive",
					    "tmpfs /tmp mode=1777,size=64m,nr_inodes=4096 noexec",
					    "bind /run/box/bin from @/libexec read-only",
					    "bind /objects read-only noexec",
					    "bind @/r/.git/box/b/1/work noexec optional beneath",
					    NULL };
	struct plan_builder builder;
	struct error err = ERROR_INIT;
	BUF_AUTO libexec = BUF_INIT;
	BENCH_AUTO b;

	bench_make(&b, "default");
	mkdirs(&b, "libexec");
	buf_fmt(&libexec, "%s/../%s/libexec", b.dir.path, strrchr(b.dir.path, '/') + 1);
	plan_begin(&builder);
	cr_assert_eq(lower_mason(&b.box, libexec.data, &builder, &err), 0, "%s", err.msg);
	plan_finish(&builder, &b.plan);
	plan_release(&builder);
	cr_assert_eq(plan_check(b.plan.data, b.plan.len, &err), 0);
	const struct plan *p = plan_of(&b);
	cr_expect_eq(p->uid, 4242);
	for (size_t i = 0; i < p->mounts.len; i++) {
		BUF_AUTO line = BUF_INIT;
		plan_mount_text(p, &plan_mounts(p)[i], &line);
		for (char *at = line.data; (at = strstr(at, b.dir.path));) {
			*at = '@';
			memmove(at + 1, at + strlen(b.dir.path),
				strlen(at + strlen(b.dir.path)) + 1);
		}
		buf_fmt(&b.text, "%s\n", line.data);
	}
	expect_order(&b, want);
	cr_expect_null(strstr(b.text.data, "@/home"), "HOME is not there");
}
