/*
 * manifest: what a box is, as JSON that only the host writes (atomically).
 * Read back as untrusted text all the same: bounded, typed, every id checked.
 */
#ifndef BOX_MANIFEST_H
#define BOX_MANIFEST_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"
#include "box/layout.h"
#include "policy/policy.h"

/* created -> (running is derived from locks, never stored) -> proposed -> applied; aborted from any
 * but applied */
enum box_state { BOX_CREATED, BOX_PROPOSED, BOX_APPLIED, BOX_ABORTED, BOX_STATE_MAX };
extern const char *const box_state_names[]; /* NULL-terminated */

struct manifest {
	char id[BOX_ID_LEN + 1];
	struct buf name;
	enum box_state state;
	enum tier tier;
	struct buf profile;
	char policy_digest[65];
	struct buf base_commit; /* hex, 40 or 64 */
	struct buf base_tree;
	struct buf base_branch; /* "" where detached */
	struct buf repo_top;	/* where the work tree appears inside */
	struct buf home;
	struct strv objects;	/* the repository's stores first, then those of submodules */
	struct strv submodules; /* paths of those that were checked out in the box, at any depth */
	uint32_t uid, gid; /* payload's host ids */
	int64_t created_us;
	/*
	 * Commit that the host wrote of the box's work, hex; "": none was made. Always there while
	 * the state is proposed.
	 */
	struct buf proposal;
	struct buf applied; /* what the operator's branch became with it, hex; counts while the
			       state is applied */
	bool temporary; /* made for one command: gc may remove it when nobody uses it any more */
};

void manifest_init(struct manifest *m);
void manifest_release(struct manifest *m);

#define MANIFEST_FILE "manifest.json"
#define MANIFEST_READY "manifest.ready"	    /* the same text, while the rest is being made */
#define MANIFEST_REMOVED "manifest.removed" /* the same text, once the box is being removed */
#define MANIFEST_MAX (256u << 10)
#define MANIFEST_OBJECTS_MAX 128
#define MANIFEST_SUBMODULES_MAX 128

/*
 * box_fd: directory box/b/<id>. Errors: corrupt, notfound, sys. manifest_parse is pure and fuzzed.
 * Whoever reads compares the id with the directory's name (box_open does). Paths are stored by
 * json_path().
 */
int manifest_parse(const char *text, size_t len, struct manifest *out, struct error *err);
void manifest_text(const struct manifest *m,
		   struct buf *out); /* appended; what manifest_parse() takes */
int manifest_read(int box_fd, struct manifest *out, struct error *err);
int manifest_read_removed(int box_fd, struct manifest *out, struct error *err);
int manifest_write(int box_fd, const struct manifest *m, struct error *err);

/* The two halves of the first write: the slow one, to the disk, and the one that makes it a box. */
int manifest_prepare(int box_fd, const struct manifest *m, struct error *err);
int manifest_publish(int box_fd, struct error *err);

#endif
