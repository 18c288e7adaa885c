/*
 * report: what an export says of itself, for people and for programs.
 */
#ifndef BOX_REPORT_H
#define BOX_REPORT_H

#include "box/proposed.h"

#define RECEIPT_SCHEMA 1

/* Markdown. Appended. */
void report_text(const struct box *b, const struct proposed *p, struct buf *out);

/*
 * {schema, id, name, tier, profile, policy_digest, base_commit, base_branch (null: detached),
 * proposal, tree, exported_at, records: []}, one line. Appended.
 */
void report_receipt(const struct box *b, const struct proposed *p, struct buf *out);

#endif
