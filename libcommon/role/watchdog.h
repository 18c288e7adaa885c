/*
 * watchdog: memory of a session where no cgroup can hold it. Sums the resident
 * sizes of init's descendants (shared pages count more than once: the sum
 * errs on the strict side). Memory that no process has mapped, such as a memfd
 * that is only written to, is not seen.
 */
#ifndef ROLE_WATCHDOG_H
#define ROLE_WATCHDOG_H

#include <sys/types.h>

#include "base/base.h"

/*
 * Bytes resident in all descendants of pid, from /proc/<pid>/task/<tid>/children
 * and statm below proc_fd. Processes that vanish meanwhile count zero.
 */
uint64_t watchdog_resident(int proc_fd, pid_t pid);

#endif
