/*
 * probe-try: the box that is built for probing. Private to box/probe*.c.
 */
#ifndef BOX_PROBE_TRY_H
#define BOX_PROBE_TRY_H

#include "base/buf.h"
#include "box/ids.h"
#include "sandbox/trial.h"

struct probe_site {
	const char *dir; /* below which everything is made */
	struct ids ids;	 /* of the box's commands */
};

struct probe_try {
	struct trial trial;
	struct buf plan; /* bytes, for the words of a fault */
};

/*
 * Builds a box below where->dir and lets git-box-probe run in it; grant: with a directory shown as
 * an overlay. Everything made is removed. *out is filled anew (release plan and trial.out).
 * Errors: sys, notfound (git-box-probe).
 */
int probe_try(const struct probe_site *where, bool grant, struct probe_try *out, struct error *err);

#endif
