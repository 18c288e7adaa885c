/*
 * policy: a resolved profile, what one box may do. Pinned at create as
 * canonical JSON beside the manifest; its SHA-256 is the policy digest.
 *
 * Paths are absolute, as the operator names them; the lowering resolves them
 * each time a box runs, so a toolchain installed later appears.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"

enum tier { TIER_WORKSPACE, TIER_PROCESS, TIER_SUPERVISED, TIER_CONTAINER, TIER_MICROVM, TIER_MAX };
extern const char *const tier_names[]; /* NULL-terminated, in the order of enum tier */
/* Errors: usage with the nearest name. "auto" is not a tier here. */
int tier_parse(const char *s, enum tier *out, struct error *err);

struct policy {
	struct buf profile; /* its name */
	enum tier tier;
	struct strv read;   /* shown read-only; programs in them may run */
	struct strv write;  /* host directories shown read-write (none in the built-ins; the box's
			       own dirs are implied) */
	struct strv env;    /* names passed through from the operator's environment */
	struct strv setenv; /* NAME=VALUE set inside */
	struct strv
		protect;  /* relative to the work tree: read-only where present (agent settings) */
	struct strv path; /* directories put before PATH inside, where they exist */
	uint64_t memory;  /* bytes; 0: no limit */
	uint64_t processes;
	uint64_t wall_ms;
	uint64_t cpu_ms;
	uint64_t file_size;
};

void policy_init(struct policy *p);
void policy_release(struct policy *p);

/* Canonical JSON (sorted keys, compact). Appended. */
void policy_json(const struct policy *p, struct buf *out);
/* Parses what policy_json() wrote. Errors: corrupt. Fuzzed. */
int policy_from_json(const char *text, size_t len, struct policy *out, struct error *err);
/* SHA-256 over policy_json(), hex. */
void policy_digest(const struct policy *p, char dst[65]);

#endif
