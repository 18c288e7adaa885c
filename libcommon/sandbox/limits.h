/*
 * limits: cgroup v2 where it is delegated to us, else what rlimits and the
 * monitor's watchdog can hold. Says truthfully which.
 */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include "base/error.h"

enum limit_how { LIMIT_NONE, LIMIT_ENFORCED, LIMIT_PER_PROCESS, LIMIT_WATCHED };

struct limits_want {
	uint64_t memory;    /* bytes, 0: none */
	uint64_t processes; /* 0: none */
};

struct limits_cgroup {
	int dir_fd;	/* the leaf, for CLONE_INTO_CGROUP; -1: none */
	char path[512]; /* absolute */
	bool memory;	/* memory.max is set */
	bool processes; /* pids.max is set */
};

/*
 * Makes a leaf below our own delegated cgroup. Success with dir_fd -1 where nothing is delegated: *why
 * (>= 256 bytes) says the reason and the fix. Errors: sys.
 */
int limits_cgroup_make(const struct limits_want *want, const char *leaf, struct limits_cgroup *out, char why[256],
		       struct error *err);
/* Peak memory in bytes and OOM kills since the start; zeros where unknown. */
void limits_cgroup_read(const struct limits_cgroup *cg, uint64_t *peak_out, uint64_t *oom_kills_out);
void limits_cgroup_remove(struct limits_cgroup *cg); /* cgroup.kill first */

#endif
