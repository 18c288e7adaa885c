/*
 * box: one open box: directory, manifest, policy, locks.
 */
#ifndef BOX_BOX_H
#define BOX_BOX_H

#include "box/manifest.h"
#include "policy/lower.h"
#include "store/repo.h"

struct box {
	int fd;          /* box/b/<id> */
	struct buf path; /* absolute */
	struct manifest m;
	struct policy policy;
};
void box_init(struct box *b);
void box_release(struct box *b);

/*
 * Opens by name or id prefix; checks that id, policy digest, tier and profile of directory,
 * manifest and policy agree. Errors: notfound, corrupt, refused (not the operator's own). *out is
 * filled anew; release it.
 */
int box_open(const struct repo *repo, const char *name, struct box *out, struct error *err);
int box_open_id(const struct box_root *root, const char *id, struct box *out, struct error *err);

/*
 * Every box of the repository, oldest first, broken ones last with their error. What has no
 * manifest is not a box (yet, or any more) and is left to box_gc().
 */
struct box_entry {
	char id[BOX_ID_LEN + 1];
	struct box box;
	struct error err; /* kind ERR_NONE where the box is fine */
};
struct box_list {
	struct box_entry *v;
	size_t len;
};
#define BOX_LIST_INIT                                                                              \
	{                                                                                          \
		.v = NULL, .len = 0                                                                \
	}
int box_list(const struct box_root *root, struct box_list *out, struct error *err);
void box_list_release(struct box_list *l);

/* Borrowed view for the lowering: valid while *b is. */
void box_lowering(const struct box *b, struct lower_box *out);

/* Descriptor of box/b/<id>, checked to be the operator's own directory; or -1. Errors: notfound,
 * refused, sys. */
int box_dir_open(const struct box_root *root, const char *id, struct error *err);

/*
 * box/b/<id>/lock: shared while a command runs, exclusive for rm, gc, abort's state change. The fd,
 * or -1. Errors: busy (names the live commands), notfound (removed while waiting).
 */
int box_lock(const struct box *b, bool exclusive, uint64_t wait_ms, struct error *err);

/*
 * The exclusive lock of a box in which nothing runs: not even the command of a front that was
 * killed. Waits a little for a session that has just ended. The fd, or -1. Errors: as box_lock().
 */
int box_lock_idle(const struct box *b, struct error *err);
/* Nothing of the box runs; the caller holds its lock exclusively. Errors: busy, sys. */
int box_idle(const struct box *b, struct error *err);

#endif
