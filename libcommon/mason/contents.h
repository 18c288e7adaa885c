/*
 * contents: the blobs of the files that a walk found changed.
 */
#ifndef MASON_CONTENTS_H
#define MASON_CONTENTS_H

#include "mason/snaprepo.h"
#include "mason/walk.h"

#define CONTENTS_TIMEOUT_MS 30000 /* somebody may swap a file for a FIFO, at which git waits */

struct contents {
	struct roster *roster;
	const struct snaprepo *repo;
	int work_fd;
	bool converts; /* a blob may differ from its file */
	bool many;     /* most files may be the base's: those are hashed before any is stored */
	bool keep;     /* objects of git-lfs are wanted, too, in SNAPDIR/lfs */
	uint64_t
		timeout_ms; /* of a call of git that reads all the files; contents_read() sets it */
	uint64_t stored;    /* out: objects that were written */
	struct buf
		*out; /* "lfs <id> <bytes>" for each object there that the base has no pointer to */
};

/* Whether attributes that are in force may be about word. */
bool contents_speak_of(const struct contents *c, const struct walk_result *found, const char *word);

/* Sets mode and id of each file in the roster. Errors: peer, sys. */
int contents_read(struct contents *c, const struct walk_result *found, struct error *err);

#endif
