#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

static int fail(struct fault *f, enum fault_step step)
{
	f->step = (uint16_t)step;
	f->index = 0;
	f->sys = errno;
	return -1;
}

static int loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return -1;
	int r = ioctl(s, SIOCSIFFLAGS, &ifr);
	close(s);
	return r;
}

/*
 * One user namespace may still be made below ours: the spawner's. After that
 * even a hole in the seccomp filter gives the payload no new one.
 */
static int limit_userns(void)
{
	int fd = open("/.old/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, "1", 1);
	close(fd);
	return n == 1 ? 0 : -1;
}

static int set_up(const struct plan *p, struct fault *f)
{
	const char *hostname = plan_str(p, p->hostname);

	umask(0); /* modes in the plan are meant literally */
	if (p->bits & PLAN_NET_OWN && loopback_up())
		return fail(f, STEP_LOOPBACK);
	if (sethostname(hostname, strlen(hostname)))
		return fail(f, STEP_HOSTNAME);
	if (inside_build_root(p, f))
		return -1;
	if (limit_userns())
		return fail(f, STEP_USERNS_MAX);
	return inside_leave_old_root(p, f);
}

static pid_t start_spawner(const struct inside *in, struct fault *f)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(in->init_chan);
		inside_spawner(in);
	}
	if (pid < 0)
		fail(f, STEP_SPAWNER);
	return pid;
}

/*
 * Reaps until the spawner is gone, then ends every other process. When we exit
 * after that, nothing of the session is alive: the monitor sees it as the end
 * of our channel, before the kernel takes mounts and network down.
 */
static void reap_all(pid_t spawner)
{
	pid_t pid;

	do {
		pid = waitpid(-1, NULL, 0);
	} while (pid != spawner && (pid > 0 || errno == EINTR));
	kill(-1, SIGKILL);
	do {
		pid = waitpid(-1, NULL, 0);
	} while (pid > 0 || errno == EINTR);
}

void inside_init(const struct inside *in)
{
	struct fault f = { 0 };
	char go;

	/* End of file instead of the byte: the monitor is gone or could not write the maps. */
	if (read(in->go, &go, 1) != 1)
		_exit(1);
	close(in->go);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (set_up(in->plan, &f)) {
		chan_send(in->init_chan, FRAME_FAULT, &f, sizeof(f));
		_exit(1);
	}
	pid_t spawner = start_spawner(in, &f);
	if (spawner < 0) {
		chan_send(in->init_chan, FRAME_FAULT, &f, sizeof(f));
		_exit(1);
	}
	close(in->spawner_chan);
	reap_all(spawner);
	_exit(0);
}
