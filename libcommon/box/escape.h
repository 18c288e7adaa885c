/*
 * escape: what the self-test tries from inside a box. Every attempt is real
 * and harmless where it succeeds; any success fails the tier.
 */
#ifndef BOX_ESCAPE_H
#define BOX_ESCAPE_H

#include "base/base.h"

/* Things of the host that the prober made for the attempts. */
struct escape_targets {
	const char *file;     /* absolute: a file outside of every grant */
	const char *socket;   /* absolute: a listening socket in a granted directory */
	const char *abstract; /* name of a listening abstract socket, without the leading NUL */
	uint16_t port;	      /* TCP, listening on 127.0.0.1 */
};

struct escape {
	const char *name;				 /* stable: "core-pattern", ... */
	const char *what;				 /* "a box can ..." */
	bool (*attempt)(const struct escape_targets *t); /* true: it worked */
};

extern const struct escape escapes[];
extern const size_t escapes_len;

/* How git-box-probe says what worked: 0 nothing, else this plus the index in escapes. */
#define ESCAPE_EXIT_BASE 10

#endif
