/*
 * gate: may this tree leave a box? Looks at what a tree has otherwise than the
 * pinned base and says what is wrong with it (refused) and what the host may
 * later execute because of it (flagged, never refused, to be shown first).
 *
 * What the base has already is never complained of. Nothing is checked out, no
 * attribute, filter or other program but git's plumbing plays a part.
 */
#ifndef STORE_GATE_H
#define STORE_GATE_H

#include "store/git.h"

enum gate_severity {
	GATE_REFUSED, /* the tree must not leave */
	GATE_FLAGGED  /* somebody has to look at it first */
};

struct gate_finding {
	enum gate_severity severity;
	const char *rule;  /* stable kebab-case id; static */
	struct buf path;   /* as the tree has it: foreign bytes; "" for the whole tree */
	struct buf detail; /* for people; may quote foreign bytes */
};

struct gate_report {
	struct gate_finding *v; /* refused ones first, then by path, bytewise, then by rule */
	size_t len;
	size_t cap;
	size_t refused; /* how many of each */
	size_t flagged;
};
#define GATE_REPORT_INIT                                                  \
	{                                                                 \
		.v = NULL, .len = 0, .cap = 0, .refused = 0, .flagged = 0 \
	}
#define GATE_REPORT_AUTO __attribute__((cleanup(gate_report_release))) struct gate_report
void gate_report_release(struct gate_report *r);

/* More than that is refused. */
struct gate_limits {
	size_t changes;	     /* files and directories that differ from the base */
	uint64_t blob_bytes; /* of one file */
	size_t path_bytes;
	size_t name_bytes; /* of one component */
	size_t depth;	   /* components of a path */
	bool any_bytes;	   /* names need not be UTF-8; such ones are flagged then */
};
#define GATE_LIMITS_DEFAULT                                                        \
	{                                                                          \
		.changes = 500000, .blob_bytes = 512ull << 20, .path_bytes = 4096, \
		.name_bytes = 255, .depth = 256, .any_bytes = false                \
	}

struct gate_input {
	const struct git_cmd *git; /* reaches both trees; args and stdio are filled in here */
	const char *base_tree;	   /* hex, both */
	const char *tree;
	struct gate_limits limits;
};

/*
 * 0 with all findings in out (GATE_REPORT_INIT): out->refused > 0 means that the answer is no. -1
 * where it could not check, which must count as no. Errors: peer, limit (too much to look at),
 * corrupt (git's answer makes no sense), sys.
 *
 * Not seen: a file of the base that is a symlink to what changed, and names that differ only in
 * Unicode normalisation.
 */
int gate_check(const struct gate_input *in, struct gate_report *out, struct error *err);

/* The rules for names alone, with the default limits, on one path of a work tree (no leading
 * slash). Errors: refused, in the rule's words. */
int gate_check_path(const char *path, struct error *err);

#endif
