/*
 * role: the table of our own processes (DESIGN section 5): which binary, which
 * fixed descriptors it gets, how it confines itself.
 */
#ifndef ROLE_ROLE_H
#define ROLE_ROLE_H

#include "base/buf.h"
#include "sandbox/filter.h"
#include "sys/proc.h"

enum role { ROLE_MONITOR, ROLE_MAX };

#define MONITOR_FD_CONTROL 3 /* the monitor's only descriptor: a socket to the front */

/*
 * Directory of the helpers, ../libexec/git-box beside our own executable: the
 * same in the build tree and where installed. Appended. Errors: notfound
 * (names the file that is missing from the installation).
 */
int role_libexec(struct buf *out, struct error *err);

/* Starts a role with an empty environment and these descriptors alone. Errors: notfound, sys. */
int role_launch(enum role role, const struct proc_fd *fds, size_t fds_len, struct proc *out,
		struct error *err);

/*
 * What a role does to itself before it reads a foreign byte: no_new_privs, no
 * core dumps, undumpable, Landlock (nothing but reading below `read_dir`, which may be NULL; left
 * out where the kernel has none), the seccomp program. Errors: sys.
 */
int role_confine(enum filter filter, const char *read_dir, struct error *err);

#endif
