/*
 * verbs: the verbs of git box, each defined in its cmd-<verb>.c.
 */
#ifndef GIT_BOX_VERBS_H
#define GIT_BOX_VERBS_H

#include "cli/opt.h"

extern const struct command cmd_create;
extern const struct command cmd_run;
extern const struct command cmd_ls;
extern const struct command cmd_status;
extern const struct command cmd_path;
extern const struct command cmd_diff;
extern const struct command cmd_propose;
extern const struct command cmd_rm;
extern const struct command cmd_abort;
extern const struct command cmd_apply;
extern const struct command cmd_rebase;
extern const struct command cmd_gc;
extern const struct command cmd_doctor;
extern const struct command cmd_probe;
extern const struct command cmd_get;
extern const struct command cmd_put;
extern const struct command cmd_export;
extern const struct command cmd_compare;
extern const struct command cmd_review;

#endif
