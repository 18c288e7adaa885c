/*
 * conflicts: what could not be merged, for people and for programs.
 */
#ifndef GIT_BOX_CONFLICTS_H
#define GIT_BOX_CONFLICTS_H

#include "store/merge.h"
#include "wire/json.h"

/* [{path, kind}] */
json_t *conflicts_json(const struct merge_result *m);

/* "kind: path" on stdout, one a line, as they are what somebody acts upon. */
void conflicts_list(const struct merge_result *m);

#endif
