/*
 * finding: what the gate found, as people and programs read it.
 */
#ifndef BOX_FINDING_H
#define BOX_FINDING_H

#include <jansson.h>

#include "store/gate.h"

/* "PATH: DETAIL (RULE)", one line, safe to print, without a newline; a finding about the whole tree
 * has no PATH. Appended. */
void finding_text(const struct gate_finding *f, struct buf *out);

/* {severity, rule, path, detail}; severity is "refused" or "flagged". Never NULL. */
json_t *finding_json(const struct gate_finding *f);

/* {refused, flagged, findings: [...]}, in the report's order. Never NULL. */
json_t *finding_report_json(const struct gate_report *r);

/* Where the report refuses: -1 with err (refused) that names the first few; else 0. what: whose
 * work it is, "box 'x'". */
int finding_verdict(const struct gate_report *r, const char *what, struct error *err);

#endif
