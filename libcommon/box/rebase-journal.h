/*
 * rebase-journal: what a rebase needs to be finished by somebody else, as two
 * files in box/b/<id>/, which only the host writes: REBASE_FILE, whose being
 * there says that the box's files are neither here nor there, and REBASE_DATA,
 * the mason's input.
 */
#ifndef BOX_REBASE_JOURNAL_H
#define BOX_REBASE_JOURNAL_H

#include "base/buf.h"
#include "base/error.h"

#define REBASE_FILE "rebase.json"
#define REBASE_DATA "rebase.data"

struct rebase_journal {
	struct buf from, to;	 /* trees of the box's files; hex, as all ids */
	struct buf old_commit;	 /* base before */
	struct buf commit, tree; /* base afterwards */
	struct buf branch;	 /* base branch afterwards, or "" */
};
#define REBASE_JOURNAL_INIT                                                                   \
	{                                                                                     \
		.from = BUF_INIT, .to = BUF_INIT, .old_commit = BUF_INIT, .commit = BUF_INIT, \
		.tree = BUF_INIT, .branch = BUF_INIT                                          \
	}
void rebase_journal_release(struct rebase_journal *j);

/* From here on it will be finished. Errors: sys. */
int rebase_journal_write(int box_fd, const struct rebase_journal *j, struct error *err);
/* Errors: notfound, corrupt, sys. */
int rebase_journal_read(int box_fd, struct rebase_journal *out, struct error *err);
/* Both files, the one that counts first. Errors: sys. */
int rebase_journal_drop(int box_fd, struct error *err);

#endif
