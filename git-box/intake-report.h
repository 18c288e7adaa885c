/*
 * intake-report: what diff and propose say of what the gate found, and of files that no tree
 * can hold.
 */
#ifndef GIT_BOX_INTAKE_REPORT_H
#define GIT_BOX_INTAKE_REPORT_H

#include "box/intake.h"
#include "cli/app.h"
#include "wire/json.h"

/*
 * On stderr, what the gate refuses first, then what somebody has to look at, then what is not part
 * of it; nothing where there is nothing to say.
 */
void intake_notes(const struct app *app, const struct intake *in);

/* Adds tree, gate (box/finding.h), skipped {special, git, too_long, unreadable}, repositories and
 * silent to obj. */
void intake_json(const struct intake *in, json_t *obj);

/* The rules that flag or refuse that very path; owned by the caller. */
json_t *intake_rules(const struct intake *in, const char *path);

/* Says why the gate refused the work of the box of that name; the exit code. */
int intake_refused(const struct app *app, const struct intake *in, const char *name);

/* Reports an error of an intake and returns its exit code: EXIT_QUARANTINED where the objects of
 * the box were not what they must be. */
int intake_fail(const struct app *app, const struct intake *in, const struct error *err);

#endif
