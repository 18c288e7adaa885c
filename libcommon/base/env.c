#include "base/base.h"

#include "base/env.h"

const struct env_row env_table[] = {
	{ "HOME", "the operator's home directory" },
	{ "PATH", "where git and other programs are searched" },
	{ "USER", "name of the user inside a box, before LOGNAME" },
	{ "LOGNAME", "name of the user inside a box where USER is not set" },
	{ "XDG_CONFIG_HOME", "passed on to git" },
	{ "XDG_RUNTIME_DIR", "where the user's systemd manager listens; else /run/user/UID" },
	{ "GIT_DIR", "the repository, as for git itself" },
	{ "GIT_WORK_TREE", "the work tree, as for git itself" },
	{ "GIT_COMMON_DIR", "the repository's shared directory, as for git itself" },
	{ "GIT_AUTHOR_NAME", "author of a merge, as for git itself; also user.name inside a box "
			     "where the configuration has none" },
	{ "GIT_AUTHOR_EMAIL", "likewise the address" },
	{ "GIT_AUTHOR_DATE", "date of a merge, as for git itself" },
	{ "GIT_COMMITTER_NAME", "who merges, as for git itself" },
	{ "GIT_COMMITTER_EMAIL", "likewise the address" },
	{ "GIT_COMMITTER_DATE", "likewise the date" },
	{ "EMAIL", "address of who merges where nothing else says it, as for git itself" },
	{ "GNUPGHOME", "passed on to the program that signs a merge" },
	{ "GPG_TTY", "passed on to the program that signs a merge" },
	{ "SSH_AUTH_SOCK", "passed on to the program that signs a merge" },
	{ "DBUS_SESSION_BUS_ADDRESS", "passed on to the program that signs a merge" },
	{ "DISPLAY", "passed on to the program that signs a merge" },
	{ "WAYLAND_DISPLAY", "passed on to the program that signs a merge" },
	{ "GIT_CEILING_DIRECTORIES", "where the search for a repository ends" },
	{ "GIT_DISCOVERY_ACROSS_FILESYSTEM", "where set, the search crosses file systems" },
	{ "GIT_CONFIG_PARAMETERS", "what 'git -c' was given; passed on to git" },
	{ "GIT_CONFIG_GLOBAL", "passed on to git" },
	{ "GIT_CONFIG_SYSTEM", "passed on to git" },
	{ "GIT_CONFIG_NOSYSTEM", "passed on to git" },
	{ "GIT_ATTR_NOSYSTEM", "passed on to git" },
	{ "SUDO_UID", "as root: whose repositories are ours too, as for git itself" },
	{ "GIT_TRACE2", "file, descriptor or 1: trace as normal text" },
	{ "GIT_TRACE2_PERF", "file, descriptor or 1: trace with times" },
	{ "GIT_TRACE2_EVENT", "file, descriptor or 1: trace as JSON lines" },
	{ "GIT_TRACE2_PARENT_SID", "session id of the git command that started us" },
	{ "GIT_PAGER", "pager of a review, as for git itself; before core.pager" },
	{ "PAGER", "pager of a review where neither GIT_PAGER nor core.pager is set" },
	{ "LESS", "options of less, passed on to the pager; FRX where not set" },
	{ "LV", "options of lv, passed on to the pager; -c where not set" },
	{ "NO_COLOR", "where set, output has no colour" },
	{ "TERM", "kind of terminal; 'dumb' has neither colour nor progress" },
	{ "LANG", "language, passed on to commands in a box" },
};
const size_t env_table_len = ARRAY_SIZE(env_table);

const char *env_get(const char *name)
{
	const char *value;
	bool known = false;

	for (size_t i = 0; i < env_table_len && !known; i++)
		known = strcmp(env_table[i].name, name) == 0;
	if (!known)
		BUG("environment variable '%s' is not in env_table", name);
	value = getenv(name);
	return value && *value ? value : NULL;
}

const char *env_foreign(const char *name)
{
	return getenv(name);
}
