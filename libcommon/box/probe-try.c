#include "base/base.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "box/escape.h"
#include "box/probe-try.h"
#include "policy/lower.h"
#include "policy/profile.h"
#include "role/role.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/rand.h"

#define PROBER "/run/box/bin/git-box-probe"

/* What the attempts aim at, and the directories of the box: all below one directory. */
struct site {
	struct buf top;
	int top_fd;
	int socket, abstract, tcp; /* listening */
	char abstract_name[24];
	char port[8];
};
#define SITE_INIT                                                                                  \
	{                                                                                          \
		.top = BUF_INIT, .top_fd = -1, .socket = -1, .abstract = -1, .tcp = -1             \
	}
#define SITE_AUTO __attribute__((cleanup(site_remove))) struct site

static void site_remove(struct site *s)
{
	struct error ignored = ERROR_INIT;

	fd_close(&s->socket);
	fd_close(&s->abstract);
	fd_close(&s->tcp);
	fd_close(&s->top_fd);
	if (s->top.len)
		(void)file_remove_tree(AT_FDCWD, s->top.data, &ignored);
	buf_release(&s->top);
}

static int listen_on(int family, const void *addr, socklen_t len, struct error *err)
{
	FD_AUTO fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, addr, len) || listen(fd, 1))
		return error_sys(err, errno, "cannot listen on a socket of the self-test");
	return fd_take(&fd);
}

static int listen_unix(struct site *s, struct error *err)
{
	struct sockaddr_un path = { .sun_family = AF_UNIX }, name = { .sun_family = AF_UNIX };

	/* By descriptor: the path of the directory may be longer than an address. */
	FD_AUTO dir = file_open_dir(s->top_fd, "grant", err);
	if (dir < 0)
		return -1;
	(void)snprintf(path.sun_path, sizeof(path.sun_path), "/proc/self/fd/%d/sock", dir);
	s->socket = listen_on(AF_UNIX, &path, sizeof(path), err);
	if (s->socket < 0 || fchmodat(dir, "sock", 0666, 0))
		return s->socket < 0
			       ? -1
			       : error_sys(err, errno, "cannot open the self-test's socket to all");
	rand_hex(s->abstract_name, 16);
	size_t len = strlen(s->abstract_name);
	memcpy(name.sun_path + 1, s->abstract_name, len);
	s->abstract = listen_on(AF_UNIX, &name,
				(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len), err);
	return s->abstract < 0 ? -1 : 0;
}

static int listen_tcp(struct site *s, struct error *err)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	socklen_t len = sizeof(sin);

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->tcp = listen_on(AF_INET, &sin, sizeof(sin), err);
	if (s->tcp < 0)
		return -1;
	if (getsockname(s->tcp, (struct sockaddr *)(void *)&sin, &len))
		return error_sys(err, errno, "cannot ask for the port of the self-test");
	(void)snprintf(s->port, sizeof(s->port), "%u", ntohs(sin.sin_port));
	return 0;
}

static int make_dirs(struct site *s, const struct ids *ids, struct error *err)
{
	static const char *const dirs[] = { "grant",	     "objects", "box",	    "box/work",
					    "box/work/.git", "box/git", "box/home", "box/tmp" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (file_mkdir(s->top_fd, dirs[i], 0755, err))
			return -1;
	for (size_t i = 3; ids->uid != geteuid() && i < ARRAY_SIZE(dirs); i++)
		if (fchownat(s->top_fd, dirs[i], ids->uid, ids->gid, AT_SYMLINK_NOFOLLOW))
			return error_sys(err, errno, "cannot give '%s' to uid %u", dirs[i],
					 ids->uid);
	struct file_content text = { .data = "outside\n", .len = 8, .mode = 0644 };
	return file_create(s->top_fd, "outside", text, err);
}

static int site_make(struct site *s, const char *dir, const struct ids *ids, struct error *err)
{
	BUF_AUTO canonical = BUF_INIT;
	char name[17];

	if (file_canonical(dir, &canonical, err))
		return -1;
	rand_hex(name, 16);
	buf_fmt(&canonical, "/probe-%s", name);
	if (file_mkdir(AT_FDCWD, canonical.data, 0755, err))
		return -1;
	buf_str(&s->top, canonical.data);
	s->top_fd = file_open_dir(AT_FDCWD, s->top.data, err);
	if (s->top_fd < 0 || make_dirs(s, ids, err) || listen_unix(s, err))
		return -1;
	return listen_tcp(s, err);
}

/* Shows the helpers as the mason has them. Errors: notfound. */
static int show_prober(struct plan_builder *plan, struct error *err)
{
	BUF_AUTO dir = BUF_INIT, canonical = BUF_INIT;

	if (role_libexec(&dir, err) || file_canonical(dir.data, &canonical, err))
		return -1;
	struct plan_step step = {
		.op = PLAN_BIND, .flags = PLAN_RO, .src = canonical.data, .dst = "/run/box/bin"
	};
	plan_mount(plan, &step);
	return 0;
}

static int make_plan(const struct site *s, bool grant, const struct ids *ids, struct buf *out,
		     struct error *err)
{
	BUF_AUTO box_dir = BUF_INIT, repo = BUF_INIT, objects = BUF_INIT;
	struct profile_request req = { .home = "", .repo_top = "" };
	struct plan_builder plan;
	struct policy policy;

	buf_fmt(&box_dir, "%s/box", s->top.data);
	buf_fmt(&repo, "%s/repository", s->top.data);
	buf_fmt(&objects, "%s/objects", s->top.data);
	const char *const stores[] = { objects.data, NULL };
	struct lower_box box = { .name = "probe",
				 .id = "probe",
				 .box_dir = box_dir.data,
				 .repo_top = repo.data,
				 .home = "",
				 .user = "box",
				 .objects = stores,
				 .uid = ids->uid,
				 .gid = ids->gid };
	policy_init(&policy);
	plan_begin(&plan);
	int r = profile_resolve(&req, &policy, err);
	if (!r && grant)
		strv_addf(&policy.read, "%s/grant", s->top.data);
	if (!r)
		r = lower_box(&policy, &box, &plan, err);
	if (!r)
		r = show_prober(&plan, err);
	if (!r)
		plan_finish(&plan, out);
	plan_release(&plan);
	policy_release(&policy);
	return r;
}

int probe_try(const struct probe_site *where, bool grant, struct probe_try *out, struct error *err)
{
	SITE_AUTO site = SITE_INIT;
	BUF_AUTO outside = BUF_INIT, sock = BUF_INIT;

	*out = (struct probe_try){ .plan = BUF_INIT, .trial.out = BUF_INIT };
	if (site_make(&site, where->dir, &where->ids, err) ||
	    make_plan(&site, grant, &where->ids, &out->plan, err))
		return -1;
	buf_fmt(&outside, "%s/outside", site.top.data);
	buf_fmt(&sock, "%s/grant/sock", site.top.data);
	const char *const argv[] = { PROBER,	outside.data, sock.data, site.abstract_name,
				     site.port, NULL };
	return trial_run(&out->plan, argv, &out->trial, err);
}
