/*
 * transfer: single regular files out of and into the work tree of a box. Inside
 * the mason reads and writes; outside the rules of box/outside.h hold.
 */
#ifndef BOX_TRANSFER_H
#define BOX_TRANSFER_H

#include "base/strv.h"
#include "box/box.h"

#define TRANSFER_MAX_DEFAULT (512ULL << 20) /* bytes of one file */

/* One file that went over. */
struct transfer_file {
	struct buf path;    /* in the box, relative to the work tree's top */
	struct buf outside; /* as typed, with the name; "-" for a descriptor */
	uint64_t size;
	bool executable;
};
struct transfer_list {
	struct transfer_file *v;
	size_t len;
};
#define TRANSFER_LIST_INIT          \
	{                           \
		.v = NULL, .len = 0 \
	}
#define TRANSFER_LIST_AUTO __attribute__((cleanup(transfer_list_release))) struct transfer_list
void transfer_list_release(struct transfer_list *l);

/*
 * Where a typed path lies in the work tree: relative to the operator's subdirectory, or absolute
 * below the repository's top, where the box sees its work tree. "" for the top. Lexical, since no
 * symlink is followed. Errors: refused (outside of the work tree, or the gate lets no such name
 * pass), usage (empty).
 */
int transfer_path(const struct repo *repo, const char *typed, struct buf *out, struct error *err);

struct get_request {
	const struct repo *repo;
	const struct box *box;
	const char *const *paths; /* typed, NULL-terminated */
	const char *dest; /* a directory, or for one path the name of a new file; NULL: "." */
	int out;	  /* where dest is "-": the contents go here, one after the other */
	bool force;	  /* replace what is there */
	uint64_t max;	  /* bytes of one file */
};

/*
 * Works while commands run. *out is filled also where a later file failed. Errors: notfound,
 * refused, exists, usage (two files of one name), busy (being removed), peer, sys.
 */
int box_get(const struct get_request *req, struct transfer_list *out, struct error *err);

struct put_request {
	const struct repo *repo;
	const struct box *box;
	const char *const *files; /* typed, NULL-terminated */
	const char *dir;	  /* an existing directory of the box, typed; NULL: "." */
	bool force;
	uint64_t max;
};

/* Not while commands run. All or, where a check fails, none. Errors: as box_get(), and busy. */
int box_put(const struct put_request *req, struct transfer_list *out, struct error *err);

#endif
