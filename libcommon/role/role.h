/*
 * role: the table of our own processes (DESIGN section 5): which binary, which
 * promises it confines itself to, which descriptors it gets.
 */
#ifndef ROLE_ROLE_H
#define ROLE_ROLE_H

#include "sys/proc.h"

enum role { ROLE_MONITOR, ROLE_MAX };

/* Fixed descriptors of the monitor. */
enum monitor_fd { MONITOR_FD_CONTROL = 3, MONITOR_FD_PLAN = 4, MONITOR_FD_CGROUP = 5, MONITOR_FD_SESSION = 6 };

/* Directory of the helpers: ../libexec/git-box beside our own executable. Appended. Errors: notfound (names the missing file). */
int role_libexec(struct buf *out, struct error *err);

/* Starts a role with an empty environment. Errors: notfound, sys. */
int role_launch(enum role role, const struct proc_fd *fds, size_t fds_len, struct proc *out, struct error *err);

#endif
