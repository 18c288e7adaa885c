#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "role/role.h"
#include "sys/file.h"

struct role_row {
	const char *binary;
};

static const struct role_row roles[ROLE_MAX] = {
	[ROLE_MONITOR] = { "git-box-monitor" },
};

int role_libexec(struct buf *out, struct error *err)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return error_sys(err, errno, "cannot find our own executable (is /proc mounted?)");
	exe[n] = '\0';
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	/* The helpers start helpers as well: they already lie in libexec/git-box. */
	size_t len = strlen(exe);
	static const char own[] = "/libexec/git-box";
	if (len >= sizeof(own) - 1 && !strcmp(exe + len - (sizeof(own) - 1), own))
		buf_str(out, exe);
	else
		buf_fmt(out, "%s/../libexec/git-box", exe);
	return 0;
}

int role_launch(enum role role, const struct proc_fd *fds, size_t fds_len, struct proc *out,
		struct error *err)
{
	static const char *const no_env[] = { NULL };
	BUF_AUTO path = BUF_INIT;

	if (role_libexec(&path, err))
		return -1;
	buf_fmt(&path, "/%s", roles[role].binary);
	const char *const argv[] = { roles[role].binary, NULL };
	struct proc_spec spec = {
		.path = path.data, .argv = argv, .envp = no_env, .fds = fds, .fds_len = fds_len
	};
	if (proc_spawn(&spec, out, err)) {
		if (err->kind == ERR_NOTFOUND)
			error_hint(err, "%s is missing: run 'make install' again", path.data);
		return -1;
	}
	return 0;
}
