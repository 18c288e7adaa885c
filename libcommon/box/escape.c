#include "base/base.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/buf.h"
#include "box/escape.h"
#include "sys/fd.h"

static bool opens(const char *path, int flags)
{
	FD_AUTO fd = open(path, flags | O_CLOEXEC);

	return fd >= 0;
}

static bool core_pattern(const struct escape_targets *t)
{
	(void)t;
	return opens("/proc/sys/kernel/core_pattern", O_WRONLY);
}

/* To the mode that it has, so a success changes nothing but the time of the change. */
static bool dev_null(const struct escape_targets *t)
{
	struct stat st;

	(void)t;
	return !stat("/dev/null", &st) && !chmod("/dev/null", st.st_mode & 07777);
}

static bool shadow(const struct escape_targets *t)
{
	(void)t;
	return opens("/etc/shadow", O_RDONLY);
}

static bool outside(const struct escape_targets *t)
{
	return opens(t->file, O_RDONLY);
}

static bool connects(int family, const void *addr, socklen_t len)
{
	FD_AUTO fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && !connect(fd, addr, len);
}

/* Through a descriptor of its directory: a path can be longer than an address. */
static bool host_socket(const struct escape_targets *t)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const char *slash = strrchr(t->socket, '/');
	BUF_AUTO dir = BUF_INIT;

	if (!slash)
		return false;
	buf_add(&dir, t->socket, (size_t)(slash - t->socket));
	FD_AUTO fd = open(dir.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "/proc/self/fd/%d/%.32s", fd, slash + 1);
	return fd >= 0 && connects(AF_UNIX, &sun, sizeof(sun));
}

static bool abstract_socket(const struct escape_targets *t)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	size_t len = strlen(t->abstract);

	if (len + 1 >= sizeof(sun.sun_path))
		return false;
	memcpy(sun.sun_path + 1, t->abstract, len);
	return connects(AF_UNIX, &sun,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
}

static bool host_port(const struct escape_targets *t)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(t->port) };

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connects(AF_INET, &sin, sizeof(sin));
}

static bool mounts(const struct escape_targets *t)
{
	(void)t;
	if (mount("none", "/tmp", "tmpfs", 0, NULL))
		return false;
	(void)umount2("/tmp", MNT_DETACH);
	return true;
}

static bool user_namespace(const struct escape_targets *t)
{
	(void)t;
	return !unshare(CLONE_NEWUSER);
}

/* The last ones change what the earlier ones would see. */
const struct escape escapes[] = {
	{ "core-pattern", "write /proc/sys/kernel/core_pattern", core_pattern },
	{ "dev-null", "change the mode of /dev/null", dev_null },
	{ "shadow", "read /etc/shadow", shadow },
	{ "file", "read a file outside of its grants", outside },
	{ "socket", "connect to a socket of the host in a granted directory", host_socket },
	{ "abstract-socket", "connect to an abstract socket of the host", abstract_socket },
	{ "port", "connect to a port of the host", host_port },
	{ "mount", "mount a file system", mounts },
	{ "user-namespace", "make a user namespace", user_namespace },
};
const size_t escapes_len = ARRAY_SIZE(escapes);
