/*
 * probe: what this host can really confine, found by doing it, never from a
 * version: a box of the `default` profile is built with the code that builds
 * every box, and git-box-probe tries to get out of it.
 */
#ifndef BOX_PROBE_H
#define BOX_PROBE_H

#include "base/error.h"

enum probe_state {
	PROBE_OK,
	PROBE_DEGRADED, /* less than it could be; boxes work */
	PROBE_MISSING,
	PROBE_UNTRIED, /* something before it is missing */
	PROBE_STATE_MAX
};
extern const char *const probe_state_names[];

struct probe_check {
	const char *name; /* stable: a row of the table in probe.c */
	enum probe_state state;
	bool required;	  /* the process tier cannot do without it */
	char detail[256]; /* what was found; "" where there is nothing to say */
	char fix[512];	  /* how to get it; "" where fine */
};

#define PROBE_MAX 12
struct probe {
	struct probe_check checks[PROBE_MAX];
	size_t len;
	int landlock_abi; /* 0: none */
};

/*
 * Everything, in about 50 ms. dir: a writable directory on the file system that holds boxes; what
 * is made there is removed. Errors: only where the probe itself could not run.
 */
int probe_run(const char *dir, struct probe *out, struct error *err);

/* True where every required check is ok or degraded. */
bool probe_process_ok(const struct probe *p);

#endif
