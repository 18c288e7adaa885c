/*
 * proposal: what export, compare and review do with the proposal of a box
 * before they show it.
 */
#ifndef GIT_BOX_PROPOSAL_H
#define GIT_BOX_PROPOSAL_H

#include "box/proposed.h"
#include "cli/app.h"
#include "wire/json.h"

/* Proposes where the box has not yet; says what went wrong, and returns the exit code. */
int proposal_ensure(const struct app *app, const struct repo *repo, struct box *b);

/* What the gate flags, each as finding_json(); owned by the caller. */
json_t *proposal_flags_json(const struct proposed *p);

/* Adds proposal, tree, files_changed, insertions, deletions, flagged (a count) to obj. */
void proposal_counts_json(const struct proposed *p, json_t *obj);

#endif
