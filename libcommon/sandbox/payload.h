/*
 * payload: one command as flat data, made by the front, opaque to the monitor,
 * executed by a fork of the spawner. A sealed memfd:
 *
 *	struct payload | argv strings | envp strings | cwd string | path candidates
 *
 * The spawner only maps it, checks it and builds two pointer arrays.
 */
#ifndef SANDBOX_PAYLOAD_H
#define SANDBOX_PAYLOAD_H

#include "base/buf.h"
#include "base/error.h"

#define PAYLOAD_MAGIC 0x44504c31u
#define PAYLOAD_SIZE_MAX (8u << 20)
#define PAYLOAD_STRINGS_MAX 65536u

struct payload {
	uint32_t magic;
	uint32_t size;
	uint32_t
		argc; /* strings, in this order, each NUL-terminated, back to back after the head */
	uint32_t envc;
	uint32_t paths; /* candidates for the executable, tried in order: absolute, or relative to
			   cwd */
	uint32_t cwd;	/* 1: a cwd string follows; 0: plan's */
};

/*
 * argv and envp NULL-terminated, cwd may be NULL. Executable candidates are
 * made from PATH in envp as execvp would (argv[0] itself where it has a slash).
 * Errors: limit (too long), usage (empty argv).
 */
int payload_build(const char *const *argv, const char *const *envp, const char *cwd,
		  struct buf *out, struct error *err);

/* Pure check; async-signal-safe; fuzzed. True where well-formed. */
bool payload_check(const void *data, size_t size);

#endif
