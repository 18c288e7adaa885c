/*
 * quarantine: where objects from outside wait until somebody has looked at
 * them: a throw-away bare repository that only we write, with no configuration
 * but its format and the host's stores as its alternates. Nothing of it is
 * seen from the user's repository before quarantine_accept().
 *
 * A quarantine lies in a directory of its own, <parent>/<16 hex>/, and is
 * locked while its owner lives; what a crash leaves, quarantine_sweep() finds.
 */
#ifndef STORE_QUARANTINE_H
#define STORE_QUARANTINE_H

#include "base/strv.h"
#include "store/git.h"

struct quarantine {
	char name[17];
	int parent_fd; /* where it lies */
	int lock_fd;
	struct buf path;    /* absolute: the repository */
	struct git_cmd git; /* a call in it; args and stdio are to be filled in. Borrows path */
};
#define QUARANTINE_INIT                                                      \
	{                                                                    \
		.name = "", .parent_fd = -1, .lock_fd = -1, .path = BUF_INIT \
	}

struct quarantine_place {
	int dirfd;		   /* the parent, host only */
	const char *path;	   /* absolute path of dirfd */
	const char *const *stores; /* object directories of the host, NULL-terminated, absolute */
	size_t hex;		   /* digits of an object id */
};

/* *out must not move while it is in use: out->git borrows from it. Errors: sys. */
int quarantine_open(const struct quarantine_place *where, struct quarantine *out,
		    struct error *err);

struct quarantine_pack {
	int fd;		    /* from its current offset */
	uint64_t max_bytes; /* of the pack as it comes */
	bool strict; /* objects that git fsck complains of are refused; what is malformed always is
		      */
};

/*
 * Takes a pack, which may be thin against the host's stores. Errors: corrupt
 * (git's own words), sys.
 */
int quarantine_take(struct quarantine *q, const struct quarantine_pack *pack, struct error *err);

/*
 * For a pack that was not taken strictly: the announced tree is there, with everything below it
 * that known (a tree or commit of the host) has not. Errors: corrupt.
 */
int quarantine_check(const struct quarantine *q, const char *tree, const char *known,
		     struct error *err);

/*
 * Writes a commit object here, as commit-tree does, with the identity and settings of the user's
 * repository; env: further NAME=VALUE, NULL-terminated. Its id is appended. Errors: peer.
 */
struct quarantine_commit {
	const struct repo *repo;
	const char *tree;
	const char *parent;
	const char *message;
	const char *const *env;
};
int quarantine_commit(const struct quarantine *q, const struct quarantine_commit *c,
		      struct buf *out, struct error *err);

/*
 * Copies a commit into the user's repository, with all that it needs beyond `known` (a commit of
 * that repository) and nothing else; nothing refers to it yet. Errors: peer, sys.
 */
int quarantine_accept(const struct quarantine *q, const struct repo *repo, const char *commit,
		      const char *known, struct error *err);

/* Removes everything. Safe on QUARANTINE_INIT. */
void quarantine_drop(struct quarantine *q);

/*
 * Removes (dry_run: only names) what owners that died left below a parent directory; swept gets the
 * names. Errors: sys.
 */
int quarantine_sweep(int parent_fd, bool dry_run, struct strv *swept, struct error *err);

#endif
