/*
 * profile: the built-in profiles and how a name becomes a policy on this host.
 */
#ifndef POLICY_PROFILE_H
#define POLICY_PROFILE_H

#include "policy/policy.h"

extern const char *const profile_names[]; /* NULL-terminated: "agent", "default" */

struct profile_request {
	const char *profile;   /* NULL: "default" */
	const char *isolation; /* NULL or "auto": the strongest tier that works here and needs no
				  image */
	const char *home;      /* operator's home, or "" */
	const char *repo_top;
};

/*
 * Resolves a built-in profile. Whether the tier works on this host is not asked here: what create
 * runs next needs the same confinement, and fails naming the step. Errors: notfound (unknown
 * profile, nearest as hint), usage (unknown tier), unsupported (tier not built).
 */
int profile_resolve(const struct profile_request *req, struct policy *out, struct error *err);

#endif
