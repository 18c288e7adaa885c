/*
 * hunks: a patch of store/patch.h in the pieces that somebody may take or
 * leave, and the patch of those that were taken.
 */
#ifndef STORE_HUNKS_H
#define STORE_HUNKS_H

#include "base/buf.h"
#include "base/error.h"

/* Bytes of the patch, borrowed. */
struct hunk_text {
	const char *p;
	size_t len;
};

enum hunk_kind {
	HUNK_LINES, /* one @@ hunk of a file that is there before and after */
	HUNK_MODE,  /* its change of mode */
	HUNK_WHOLE  /* the whole section: a new, removed or binary file */
};

struct hunk {
	enum hunk_kind kind;
	struct hunk_text text; /* what to show: the @@ hunk, the mode lines, or the section */
	uint64_t old_at, old_lines, new_at, new_lines; /* HUNK_LINES */
	bool taken;
};

/* One "diff --git" section, or two where a file changes its type. */
struct hunk_file {
	struct buf path;
	struct hunk_text head; /* up to the first @@, or the whole section */
	struct hunk *v;
	size_t len;
};

struct hunk_list {
	struct hunk_file *v;
	size_t len;
};
#define HUNK_LIST_INIT              \
	{                           \
		.v = NULL, .len = 0 \
	}
#define HUNK_LIST_AUTO __attribute__((cleanup(hunk_list_release))) struct hunk_list
void hunk_list_release(struct hunk_list *l);

/*
 * Pure. *out (HUNK_LIST_INIT) borrows from text. Errors: corrupt (no patch of ours).
 */
int hunks_parse(const char *text, size_t len, struct hunk_list *out, struct error *err);

/* The patch of what is taken, which applies to the same base; "" where nothing is. Appended. */
void hunks_taken(const struct hunk_list *l, struct buf *out);

/* The C-style quoted string at s (which starts with '"'), unquoted and appended; bytes that it
 * takes, 0 where it is none. */
size_t hunks_unquote(const char *s, size_t len, struct buf *out);

#endif
