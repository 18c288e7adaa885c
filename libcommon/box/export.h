/*
 * export: a proposal as files: patch.diff, report.md, receipt.json and a
 * .gitignore that hides them. The directory is there as a whole or not at all;
 * what a crash leaves beside it, the next export removes.
 */
#ifndef BOX_EXPORT_H
#define BOX_EXPORT_H

#include "box/proposed.h"

#define EXPORT_DIR "box-export" /* in the operator's work tree, where nothing else is said */

struct export_request {
	const struct repo *repo;
	const struct box *box;
	const struct proposed *proposed;
	const char *dir; /* as typed; NULL: EXPORT_DIR/<name> */
	bool force;	 /* replace an earlier export */
};

struct export_result {
	struct buf dir; /* as typed, or absolute */
	uint64_t patch_bytes;
};

/*
 * *out is BUF_INIT at first. Errors: exists (the directory is not empty; with force: it holds
 * something that no export wrote), notfound (its parent), refused (a symlink, the git directory),
 * peer, sys.
 */
int box_export(const struct export_request *req, struct export_result *out, struct error *err);

#endif
