/*
 * probe: what a plan must know of the running kernel before it is made.
 * Everything else is found by trying it: box/probe.h.
 */
#ifndef SANDBOX_PROBE_H
#define SANDBOX_PROBE_H

/* The Landlock ABI, by its system call; 0 where there is none, errno then says why. */
int probe_landlock_abi(void);

#endif
