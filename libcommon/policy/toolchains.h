/*
 * toolchains: what the `agent` profile shows of the operator's HOME: compilers,
 * interpreters and their caches, by name, and nothing that holds a credential.
 */
#ifndef POLICY_TOOLCHAINS_H
#define POLICY_TOOLCHAINS_H

#include "policy/policy.h"

/*
 * Adds every known place below home to p->read, where programs lie also to
 * p->path, and the variables that move a toolchain to p->env. Whether a place
 * exists is asked when a box runs, so a toolchain installed later appears.
 * home "" or "/": only the variables.
 */
void toolchains_add(const char *home, struct policy *p);

#endif
