/*
 * limits: a cgroup v2 leaf for a session where this host lets us make one.
 * Where it does not, the rlimits of the plan and the monitor's watchdog hold
 * what they can, and `status` says so.
 */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include "base/error.h"

struct limits_want {
	uint64_t memory;    /* bytes, 0: none */
	uint64_t processes; /* 0: none */
};

struct limits_cgroup {
	int parent_fd; /* where the leaf lies */
	int dir_fd;    /* the leaf, for CLONE_INTO_CGROUP; -1: none */
	char leaf[64];
};
#define LIMITS_CGROUP_INIT { .parent_fd = -1, .dir_fd = -1, .leaf = "" }

/*
 * Makes a leaf with memory.max, memory.swap.max=0, pids.max and memory.oom.group:
 * below our own cgroup where its controllers are delegated, or below
 * /git-box where we are root. dir_fd is -1 where nothing is delegated; *why then
 * says the reason and the fix.
 * Source: Documentation/admin-guide/cgroup-v2.rst, "Delegation".
 */
void limits_cgroup_make(const struct limits_want *want, const char *leaf, struct limits_cgroup *out, char why[256]);

/* Peak memory in bytes and OOM kills since the start; zeros where unknown. */
void limits_cgroup_read(const struct limits_cgroup *cg, uint64_t *peak_out, uint64_t *oom_kills_out);

/* Ends what is left in it (cgroup.kill), removes it. Safe on LIMITS_CGROUP_INIT. */
void limits_cgroup_remove(struct limits_cgroup *cg);

#endif
