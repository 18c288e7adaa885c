/*
 * box: one open box: directory, manifest, policy, locks.
 */
#ifndef BOX_BOX_H
#define BOX_BOX_H

#include "box/manifest.h"
#include "policy/lower.h"
#include "store/repo.h"

struct box {
	int fd;		  /* box/b/<id> */
	struct buf path;  /* absolute */
	struct manifest m;
	struct policy policy;
};
void box_init(struct box *b);
void box_release(struct box *b);

/* Opens by name or id prefix; checks that the policy has the digest of the manifest. Errors: notfound, corrupt. */
int box_open(const struct repo *repo, const char *name, struct box *out, struct error *err);
int box_open_id(const struct box_root *root, const char *id, struct box *out, struct error *err);

/* Every box of the repository, oldest first; broken ones are given with their error. */
struct box_entry {
	char id[BOX_ID_LEN + 1];
	struct box box;
	struct error err; /* kind ERR_NONE where the box is fine */
};
struct box_list {
	struct box_entry *v;
	size_t len;
};
int box_list(const struct box_root *root, struct box_list *out, struct error *err);
void box_list_release(struct box_list *l);

/* Borrowed view for the lowering. */
void box_lowering(const struct box *b, struct lower_box *out);

/*
 * box/b/<id>/lock: shared while a command runs, exclusive for rm, gc, abort's state change. The fd, or -1.
 * Errors: busy (names the live commands).
 */
int box_lock(const struct box *b, bool exclusive, uint64_t wait_ms, struct error *err);

#endif
