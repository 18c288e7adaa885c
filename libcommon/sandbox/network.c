#include "base/base.h"

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "sandbox/inside.h"
#include "sandbox/poison.h"

static int loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return -1;
	int r = ioctl(s, SIOCSIFFLAGS, &ifr);
	int saved = errno;
	close(s);
	errno = saved;
	return r;
}

int inside_network(struct fault *f)
{
	if (unshare(CLONE_NEWNET)) {
		*f = (struct fault){ .step = STEP_NETWORK, .sys = errno };
		return -1;
	}
	if (loopback_up()) {
		*f = (struct fault){ .step = STEP_LOOPBACK, .sys = errno };
		return -1;
	}
	return 0;
}
