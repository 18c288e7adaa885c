/*
 * scope: a transient systemd scope around one process, with limits, asked for
 * at the manager's private socket: no bus daemon between, no library, about a
 * millisecond. A scope ends by itself when its last process ends.
 */
#ifndef SANDBOX_SCOPE_H
#define SANDBOX_SCOPE_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

struct scope_want {
	const char *unit;   /* name, ends in .scope; not in use yet */
	pid_t pid;	    /* moved into it; what it clones later is born there */
	uint64_t memory;    /* bytes, 0: no limit */
	uint64_t processes; /* 0: no limit */
};

/*
 * Socket of the manager that is ours to ask: the user's, for root the system's.
 * Appended; it need not exist.
 */
void scope_socket(struct buf *out);

/*
 * Asks the manager at that socket and waits, two seconds at most, until the
 * process is in the scope. Whether the limits hold is for the caller to
 * read from the cgroup: a manager without a controller accepts them and does nothing.
 * Errors: unsupported (no manager), peer (it refused, or made no sense), limit
 * (no answer in time), sys.
 */
int scope_start(const char *socket_path, const struct scope_want *want, struct error *err);

#endif
