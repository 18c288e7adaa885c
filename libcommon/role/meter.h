/*
 * meter: memory of a session as its cgroup counts it. The files are opened before
 * the monitor confines itself and read by descriptor afterwards.
 * Source: Documentation/admin-guide/cgroup-v2.rst, "Memory Interface Files".
 */
#ifndef ROLE_METER_H
#define ROLE_METER_H

#include "base/base.h"

struct meter {
	int events_fd; /* memory.events; POLLPRI when a number in it changed since the last read;
			  -1: none */
	int peak_fd;   /* memory.peak (Linux 5.19); -1: none */
};
#define METER_INIT                             \
	{                                      \
		.events_fd = -1, .peak_fd = -1 \
	}

/* cgroup: directory, or -1: then everything reads as zero. Closed by the end of the process. */
void meter_open(int cgroup, struct meter *out);

/* Processes that the kernel killed at the limit. */
uint64_t meter_oom_kills(const struct meter *m);
/* Bytes, 0: unknown. */
uint64_t meter_peak(const struct meter *m);

#endif
