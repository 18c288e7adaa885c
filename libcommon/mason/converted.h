/*
 * converted: files that are not byte by byte what is stored of them, and where
 * only a comparison with what the base has there says what `git add` makes of
 * them: with text=auto it leaves the CRLF of files that had it before, and what a
 * checkout made of the base is no change at all (gitattributes(5)).
 */
#ifndef MASON_CONVERTED_H
#define MASON_CONVERTED_H

#include "mason/contents.h"

/* Whether that matters for the file: it has a CRLF, or an $Id. False where it cannot be read:
 * whoever hashes it says so. */
bool converted_in_file(int work_fd, const char *path);

struct converted_file {
	const char *path; /* borrowed */
	const struct walk_file *file;
};

/*
 * Sets id and mode of each of these files in the roster, in whose places the base has files, too:
 * the base's id where a checkout of it gives the same bytes, else that of what is stored as `git
 * add` does. Sorts v. Errors: peer (also: one of them is gone), sys.
 */
int converted_store(struct contents *c, struct converted_file *v, size_t len, struct error *err);

#endif
