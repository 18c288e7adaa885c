/*
 * layout: where the things of boxes lie (DESIGN section 4). Everything is below
 * $GIT_COMMON_DIR/box (0700), reached by descriptors.
 *
 *	box/b/<id>/work git home tmp snap    the box's own, written inside or by the mason
 *	box/b/<id>/manifest.json policy.json lock session/   host only
 *	box/b/<id>/manifest.removed          instead of manifest.json: being removed
 *	box/removed/<id>.bundle <id>.json    what rm kept
 *	box/b/<id>/snap.lock                 one scribe at a time
 *	box/quarantine/<16 hex>/             objects from a box, until somebody has looked at them
 *	box/name/<name>                      holds the id; locked while its box is being made
 */
#ifndef BOX_LAYOUT_H
#define BOX_LAYOUT_H

#include "base/error.h"
#include "base/strv.h"
#include "store/repo.h"

#define BOX_ID_LEN 16 /* hex digits */
#define BOX_NAME_MAX 64
#define BOX_REF_BASE                                                                               \
	"refs/box/base/" /* + id: keeps the base of a box, or of a kept bundle, from being pruned  \
			  */

/*
 * A name: 1-64 of [a-z0-9._-] (upper case too), first alphanumeric, no "..", not ending in ".lock",
 * ".git" or ".", no "/", usable as the last part of refs/heads/box/<name>. Errors: usage (says the
 * rule and a corrected name).
 */
int box_name_check(const char *name, struct error *err);

/* Exactly BOX_ID_LEN lower-case hex digits. */
bool box_id_valid(const char *id);

struct box_root {
	int fd;          /* $GIT_COMMON_DIR/box */
	struct buf path; /* absolute */
};
#define BOX_ROOT_INIT                                                                              \
	{                                                                                          \
		.fd = -1, .path = BUF_INIT                                                         \
	}
#define BOX_ROOT_AUTO __attribute__((cleanup(box_root_release))) struct box_root
void box_root_release(struct box_root *r);

/* Opens; makes it (0700, with b/, name/, removed/) where `create`. Checks owner and mode. Errors:
 * notfound (no box was ever made), refused, sys. */
int box_root_open(const struct repo *repo, bool create, struct box_root *out, struct error *err);

/* Ids of the directories below b/, sorted; anything else there goes to others_out, which may be
 * NULL. Errors: sys. */
int box_ids(const struct box_root *root, struct strv *out, struct strv *others_out,
	    struct error *err);
/* Entries of a directory below the root ("b", "name", "removed"), sorted; none where it is missing.
 * Errors: sys. */
int box_root_list(const struct box_root *root, const char *dir, struct strv *out,
		  struct error *err);
/* Names below name/, sorted. Errors: sys. */
int box_names(const struct box_root *root, struct strv *out, struct error *err);

/* The id that a name stands for. Errors: notfound (also where its maker has only just made the
 * file), corrupt. */
int box_name_id(const struct box_root *root, const char *name, char id_out[BOX_ID_LEN + 1],
		struct error *err);

/* The id for a name or a unique id prefix (>= 4 digits). Errors: notfound with the nearest name as
 * hint. */
int box_find(const struct box_root *root, const char *name, char id_out[BOX_ID_LEN + 1],
	     struct error *err);

/*
 * Takes a name for a box that is about to be made: writes the id and keeps the file locked for as
 * long as the descriptor is open, so a claim dies with its maker; close it once manifest.json is
 * there. The name of a crashed create or removal is taken over. The fd, or -1. Errors: exists, busy
 * (being made right now), sys.
 */
int box_name_claim(const struct box_root *root, const char *name, const char *id,
		   struct error *err);

/* True while somebody holds the claim. */
bool box_name_claimed(const struct box_root *root, const char *name);
/* True while the maker of the box holds its claim; false also where the id has no name. Errors:
 * sys. */
int box_id_claimed(const struct box_root *root, const char *id, bool *out, struct error *err);

/*
 * Frees the name where it stands for id ("": for no id at all) and nobody claims it; a missing one
 * is fine. Errors: sys.
 */
int box_name_free(const struct box_root *root, const char *name, const char *id, struct error *err);

#endif
