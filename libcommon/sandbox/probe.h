/*
 * probe: what this host can really confine, found by doing it (never from a
 * version). Each check runs the same code as a box does.
 */
#ifndef SANDBOX_PROBE_H
#define SANDBOX_PROBE_H

#include "base/error.h"

enum probe_state { PROBE_OK, PROBE_MISSING, PROBE_DEGRADED };

struct probe_check {
	const char *name; /* stable: "userns", "netns", "mount", "overlay", "landlock", "seccomp",
			     "cgroup", "tiocsti", "exec" */
	enum probe_state state;
	bool required;	  /* the process tier cannot do without it */
	char detail[256]; /* what was found */
	char fix[256];	  /* how to get it; empty where fine */
};

#define PROBE_MAX 24
struct probe {
	struct probe_check checks[PROBE_MAX];
	size_t len;
	int landlock_abi; /* 0: none */
};

/* Quick: only what a plan needs to know (Landlock ABI by syscall). 1 system call. */
int probe_landlock_abi(void);

/* Everything. Takes about 50 ms. dir: a directory on the file system that will hold boxes. */
void probe_run(const char *dir, struct probe *out);

/* True where every required check is ok. */
bool probe_process_ok(const struct probe *p);

#endif
