/*
 * describe: one box in words and in JSON, shared by ls and status.
 */
#ifndef GIT_BOX_DESCRIBE_H
#define GIT_BOX_DESCRIBE_H

#include "box/session.h"
#include "git-box/drift.h"
#include "wire/json.h"

/* State as shown: "running" where commands live, which is never stored. */
const char *describe_state(const struct box *b, const struct session_list *live);

/* "0123456789ab main", "0123456789ab (detached)". Appended. */
void describe_base(const struct box *b, struct buf *out);

/* "make test, npm ci". Appended. */
void describe_live(const struct session_list *live, struct buf *out);

/*
 * name id state proposal tier profile policy_digest base drift live created path (of the work
 * tree); owned by the caller.
 */
json_t *describe_json(const struct box *b, const struct drift *d, const struct session_list *live);

#endif
