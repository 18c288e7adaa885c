/*
 * roster: every path that a snapshot knows: what the base has there, what the
 * last snapshot found, and by which signs it would know it again. Ids are
 * binary. A directory's entry comes before those of what lies in it.
 */
#ifndef MASON_ROSTER_H
#define MASON_ROSTER_H

#include "base/buf.h"
#include "base/error.h"

#define ROSTER_OID_MAX 32
#define ROSTER_NONE UINT32_MAX
#define ROSTER_ROOT 0u /* the top, with the path "" */

#define MODE_DIR 0040000u
#define MODE_LINK 0120000u
#define MODE_GITLINK 0160000u

/* What changes whenever a file does, as far as metadata can tell; as in git's index. */
struct sig {
	uint32_t size;
	uint32_t ino;
	uint64_t mtime_ns;
	uint64_t ctime_ns;
};

enum entry_flags {
	ENTRY_DIR = 1 << 0,	/* a directory when it was last seen */
	ENTRY_TAKEN = 1 << 1,	/* was there, and git does not ignore it */
	ENTRY_IGNORED = 1 << 2, /* was there, and git ignores it */
	ENTRY_SKIP = 1 << 3,	/* of the base, left out of the work tree by a sparse checkout */
	ENTRY_STORED = ENTRY_DIR | ENTRY_TAKEN | ENTRY_IGNORED | ENTRY_SKIP,
	/* of one snapshot: */
	ENTRY_SEEN = 1 << 4,
	ENTRY_KEEP = 1 << 5,  /* cannot be looked at: it and all below stays as it was */
	ENTRY_DIRTY = 1 << 6, /* of a directory: its tree object has to be made anew */
	ENTRY_LISTED = 1 << 7 /* among the files whose content has to be looked at */
};

/* Stored as it is, so without holes. */
struct entry {
	uint32_t path; /* offset into names */
	uint32_t parent;
	uint32_t hash;
	uint32_t next; /* in its chain */
	uint32_t flags;
	uint32_t base_mode; /* as in a tree; 0: the base has nothing here */
	uint32_t mode;	    /* in the tree of the snapshot; 0: nothing here */
	uint32_t unused;
	struct sig sig;
	unsigned char base[ROSTER_OID_MAX];
	unsigned char oid[ROSTER_OID_MAX];
};

struct roster {
	size_t oid_len; /* 20 or 32 */
	struct buf names;
	struct entry *v;
	uint32_t len;
	uint32_t cap;
	uint32_t *chains; /* heads; a power of two of them */
	uint32_t chains_len;
	bool changed; /* since it was made or read */
};
#define ROSTER_INIT               \
	{                         \
		.names = BUF_INIT \
	}
#define ROSTER_AUTO __attribute__((cleanup(roster_release))) struct roster
void roster_release(struct roster *t);

/* With the root's entry alone. base_tree: hex. *out is filled anew. */
void roster_begin(const char *base_tree, struct roster *out);

/* Adds what `ls-tree -r -t -z --full-tree` printed. Errors: corrupt. */
int roster_add_base(struct roster *t, const struct buf *text, struct error *err);

/* The entry of that very path, or ROSTER_NONE. */
uint32_t roster_find(const struct roster *t, const char *path);
/* It is made where it is missing. */
uint32_t roster_get(struct roster *t, const char *path, uint32_t parent);
const char *roster_path(const struct roster *t, uint32_t i);
const char *roster_name(const struct roster *t, uint32_t i); /* the last component */

/*
 * What is there now. mode 0: nothing; oid may be NULL then. Marks the directories above as dirty
 * where it was otherwise before.
 */
void roster_set(struct roster *t, uint32_t i, uint32_t mode, const unsigned char *oid);

/* Room for that many entries; for a roster that is read. */
void roster_reserve(struct roster *t, uint32_t len);
/* Chains are made anew from the hashes; for a roster that was read. */
void roster_index(struct roster *t);

/* Hex digits into bytes, false where they are none; and back, appended. */
bool oid_parse(const char *hex, size_t oid_len, unsigned char *out);
void oid_hex(const unsigned char *oid, size_t oid_len, struct buf *out);

/* Growing list of entries. */
struct picks {
	uint32_t *v;
	size_t len;
	size_t cap;
};
#define PICKS_INIT                            \
	{                                     \
		.v = NULL, .len = 0, .cap = 0 \
	}
#define PICKS_AUTO __attribute__((cleanup(picks_release))) struct picks
void picks_release(struct picks *p);
void picks_add(struct picks *p, uint32_t i);

#endif
