/*
 * intake-report: what diff and propose say of files that no tree can hold.
 */
#ifndef GIT_BOX_INTAKE_REPORT_H
#define GIT_BOX_INTAKE_REPORT_H

#include "box/intake.h"
#include "cli/app.h"
#include "wire/json.h"

/* Notes on stderr; nothing where there is nothing to say. */
void intake_notes(const struct app *app, const struct intake *in);

/* Adds tree, skipped {special, git, too_long, unreadable}, repositories, silent to obj. */
void intake_json(const struct intake *in, json_t *obj);

/* Reports an error of an intake and returns its exit code: EXIT_QUARANTINED where the objects of
 * the box were not what they must be. */
int intake_fail(const struct app *app, const struct intake *in, const struct error *err);

#endif
