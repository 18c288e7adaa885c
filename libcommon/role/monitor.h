/*
 * monitor: the process that holds one session: its init, its pipes, its
 * timers. Speaks fixed frames with the front and the spawner and parses
 * nothing else.
 */
#ifndef ROLE_MONITOR_H
#define ROLE_MONITOR_H

/* main() of git-box-monitor, on MONITOR_FD_CONTROL. Returns the exit code. */
int monitor_main(void);

#endif
