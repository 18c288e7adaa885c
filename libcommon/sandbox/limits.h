/*
 * limits: a cgroup v2 for a session where this host lets us have one: a leaf of our own, or a scope
 * of systemd's. Where it does not, the rlimits of the plan and the monitor's watchdog hold what
 * they can, and `status` says so.
 */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include <sys/types.h>

#include "base/error.h"
#include "base/strv.h"

struct limits_want {
	uint64_t memory;    /* bytes, 0: none */
	uint64_t processes; /* 0: none */
	pid_t monitor; /* a child of ours that a scope can be made around, before it has children */
};

struct limits_cgroup {
	int parent_fd; /* where the leaf lies; -1: a scope, which is systemd's to remove */
	int dir_fd;    /* the leaf or scope, for CLONE_INTO_CGROUP; -1: none */
	char leaf[64];
};
#define LIMITS_CGROUP_INIT                                \
	{                                                 \
		.parent_fd = -1, .dir_fd = -1, .leaf = "" \
	}

/*
 * Makes, in this order, a leaf below our own cgroup where its controllers are delegated; below
 * /git-box where we are root and systemd is not pid 1; a transient scope of the systemd manager
 * with want->monitor inside. Each with memory.max, memory.swap.max=0 and pids.max; a leaf, which
 * holds nothing but the box, with memory.oom.group, too. `leaf`: 16 hex digits, a name that nobody
 * else has. dir_fd is -1 where there is none of them; *why then says the reason. Nothing counts
 * before its limits were read back. Source: Documentation/admin-guide/cgroup-v2.rst, "Delegation".
 */
void limits_cgroup_make(const struct limits_want *want, const char *leaf, struct limits_cgroup *out,
			char why[256]);

/* Ends what is left in a leaf (cgroup.kill), removes it; a scope ends by itself. Safe on
 * LIMITS_CGROUP_INIT. */
void limits_cgroup_remove(struct limits_cgroup *cg);

/*
 * Removes leaves whose front was killed before it could (dry_run: only finds them), and adds their
 * names to *swept. One that a live front or monitor holds stays.
 */
void limits_cgroup_sweep(bool dry_run, struct strv *swept);

#endif
