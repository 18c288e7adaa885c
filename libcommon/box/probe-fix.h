/*
 * probe-fix: why a mechanism is missing on this host, and the line that helps.
 * Private to box/probe*.c.
 */
#ifndef BOX_PROBE_FIX_H
#define BOX_PROBE_FIX_H

#include "base/base.h"

/* Namespaces and mounts: what restricts them here. Static text. */
const char *probe_fix_namespaces(void);
/* Mounts alone may be refused in a container that covers parts of /proc. Static text. */
const char *probe_fix_mounts(void);
/* sys: errno of the call that asks for the ABI. Static text. */
const char *probe_fix_landlock(int sys);

#endif
