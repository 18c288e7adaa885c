#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "base/buf.h"
#include "base/error.h"
#include "box/probe-fix.h"
#include "sys/file.h"

/* True where the file's text, without its newline, is exactly `value`. */
static bool file_says(const char *path, const char *value)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	if (file_read(AT_FDCWD, path, 4096, &text, &ignored))
		return false;
	if (text.len && text.data[text.len - 1] == '\n')
		buf_truncate(&text, text.len - 1);
	return strcmp(text.data, value) == 0;
}

static bool is_container(void)
{
	return file_exists(AT_FDCWD, "/.dockerenv") || file_exists(AT_FDCWD, "/run/.containerenv");
}

static bool kernel_names(const char *word)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	return !file_read(AT_FDCWD, "/proc/sys/kernel/osrelease", 4096, &text, &ignored) &&
	       strstr(text.data, word);
}

static bool is_wsl1(void)
{
	return kernel_names("Microsoft"); /* WSL2's kernel says "microsoft" */
}

static bool is_box(void)
{
	return file_exists(AT_FDCWD, "/run/box");
}

static bool apparmor_restricts(void)
{
	return file_says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1");
}

static bool clone_is_off(void)
{
	return file_says("/proc/sys/kernel/unprivileged_userns_clone", "0");
}

static bool none_allowed(void)
{
	return file_says("/proc/sys/user/max_user_namespaces", "0");
}

static const struct {
	bool (*here)(void);
	const char *fix;
} restrictions[] = {
	{ is_box, "this is a box already, and boxes do not nest: run git box outside of it" },
	{ none_allowed, "sudo sysctl -w user.max_user_namespaces=15000" },
	{ clone_is_off, "sudo sysctl -w kernel.unprivileged_userns_clone=1" },
	{ apparmor_restricts,
	  "AppArmor restricts user namespaces (Ubuntu 23.10 and later): "
	  "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give git-box-monitor "
	  "a profile with 'userns,' in /etc/apparmor.d" },
	{ is_wsl1, "WSL 1 has no namespaces: wsl --set-version DISTRIBUTION 2" },
	{ is_container,
	  "the container forbids namespaces: start it with --security-opt seccomp=unconfined "
	  "--security-opt apparmor=unconfined --security-opt systempaths=unconfined" },
};

const char *probe_fix_namespaces(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(restrictions); i++)
		if (restrictions[i].here())
			return restrictions[i].fix;
	return "something forbids it: a seccomp filter around us, a security module, or a kernel "
	       "older than 5.12; "
	       "'sudo dmesg | tail' may name it";
}

const char *probe_fix_mounts(void)
{
	if (!is_box() && is_container())
		return "the container covers parts of /proc or forbids mounts: start it with "
		       "--security-opt "
		       "systempaths=unconfined --security-opt seccomp=unconfined --security-opt "
		       "apparmor=unconfined";
	return probe_fix_namespaces();
}

const char *probe_fix_landlock(int sys)
{
	if (sys == EOPNOTSUPP)
		return "Landlock is switched off: add 'landlock' to the list lsm= of the kernel's "
		       "command line";
	return "a kernel of 5.19 or later with CONFIG_SECURITY_LANDLOCK and 'landlock' in lsm=";
}
