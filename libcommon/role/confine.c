#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "role/role.h"
#include "sys/compat.h"
#include "sys/fd.h"

#define FS_ABI_1 ((COMPAT_LANDLOCK_FS_MAKE_SYM << 1) - 1)

static int allow_reading(int ruleset, const char *dir, struct error *err)
{
	FD_AUTO fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_sys(err, errno, "cannot open %s", dir);
	struct compat_landlock_path_beneath rule = {
		.allowed_access = COMPAT_LANDLOCK_FS_READ_FILE | COMPAT_LANDLOCK_FS_READ_DIR,
		.parent_fd = fd,
	};
	if (syscall(COMPAT_SYS_landlock_add_rule, ruleset, COMPAT_LANDLOCK_RULE_PATH_BENEATH, &rule,
		    0))
		return error_sys(err, errno, "cannot add a Landlock rule for %s", dir);
	return 0;
}

static int confine_files(const char *read_dir, struct error *err)
{
	struct compat_landlock_ruleset attr = { .handled_access_fs = FS_ABI_1 };
	FD_AUTO ruleset = (int)syscall(COMPAT_SYS_landlock_create_ruleset, &attr,
				       sizeof(attr.handled_access_fs), 0);

	if (ruleset < 0)
		return 0; /* no Landlock here: the filter refuses what matters, and probe says so */
	if (read_dir && allow_reading(ruleset, read_dir, err))
		return -1;
	if (syscall(COMPAT_SYS_landlock_restrict_self, ruleset, 0))
		return error_sys(err, errno, "cannot enforce Landlock on ourselves");
	return 0;
}

int role_confine(enum filter filter, const char *read_dir, struct error *err)
{
	size_t len;
	const struct sock_filter *prog = filter_program(filter, &len);
	struct sock_fprog fprog = { .len = (unsigned short)len,
				    .filter = (struct sock_filter *)(uintptr_t)prog };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return error_sys(err, errno, "cannot set no_new_privs");
	if (prctl(PR_SET_DUMPABLE, 0))
		return error_sys(err, errno, "cannot make ourselves undumpable");
	if (confine_files(read_dir, err))
		return -1;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog))
		return error_sys(err, errno, "cannot load our own seccomp filter");
	return 0;
}
