/*
 * status: what is in force for one box, read from the plan that would be
 * executed now, not from the profile's wishes.
 */
#ifndef GIT_BOX_STATUS_H
#define GIT_BOX_STATUS_H

#include "cli/app.h"
#include "crypto/digest.h"
#include "git-box/describe.h"
#include "sandbox/limits.h"
#include "sandbox/plan.h"

enum status_held { HELD_NOT, HELD_WHOLE, HELD_RLIMIT, HELD_WATCHED };

struct status_limit {
	const char *name; /* stable: "memory", "processes", "wall", "cpu", "file-size", "disk" */
	uint64_t value;   /* bytes, number or milliseconds; 0: no limit */
	char text[32];    /* "4.0G", "30m", "none" */
	enum status_held how;
	char detail[320]; /* by what, or why not */
};
#define STATUS_LIMITS 6

struct status_size {
	const char *dir; /* "work", "git", "home", "tmp" */
	bool there; /* some tiers lack some of them */
	bool known;
	uint64_t bytes;
};
#define STATUS_SIZES 4

struct status {
	struct box box;
	struct drift drift;
	struct session_list live;
	bool confined; /* false: tier workspace; plan is empty then */
	struct buf plan;
	char plan_digest[DIGEST_HEX + 1];
	struct strv readable, writable, protected, env; /* paths inside; names of variables */
	struct status_limit limits[STATUS_LIMITS];
	struct status_size sizes[STATUS_SIZES];
};
void status_init(struct status *s);
void status_release(struct status *s);

/* Errors: those of box_open() and lower_box(). */
int status_read(const struct repo *repo, const char *name, struct status *out, struct error *err);

/* The plan of a confined box; its bytes are checked. */
const struct plan *status_plan(const struct status *s);

/* "enforced", "per process", "watched", "not held"; "none" where there is no limit to hold. */
const char *status_how(const struct status_limit *l);

/* Resource of a plan's rlimit: "NPROC"; a number's text where it is an unknown one. */
void status_rlimit_text(const struct plan_rlimit *r, struct buf *out);

void status_print(const struct app *app, const struct status *s);
void status_print_plan(const struct status *s);
void status_answer(const struct status *s); /* JSON */
void status_answer_plan(const struct status *s);

#endif
