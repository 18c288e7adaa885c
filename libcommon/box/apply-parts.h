/*
 * apply-parts: the two halves of apply, for apply*.c only: what is to be merged
 * where, and doing it.
 */
#ifndef BOX_APPLY_PARTS_H
#define BOX_APPLY_PARTS_H

#include "box/apply.h"
#include "store/facts.h"
#include "store/refhold.h"

/* State of one apply, passed from step to step. */
struct apply {
	const struct apply_request *req;
	struct apply_result *out;
	struct box box;
	int lock;
	struct repo_facts facts; /* of HEAD */
	struct buf tree;	 /* the proposal's */
	struct strv settings;	 /* no filter, no merge driver */
	struct git_cmd git;	 /* a call in the operator's work tree */
	struct ref_hold hold;
	bool done; /* there is nothing (more) to do */
};

/* Steps: arg is a struct apply. The box, alone and with its manifest as it is now; then the
 * repository and the proposal in it. Errors: those of box_apply(). */
int apply_open_box(void *arg, struct error *err);
int apply_read_repository(void *arg, struct error *err);
/* The gate let it through once; its rules may have become stricter since. */
int apply_check_proposal(void *arg, struct error *err);

#endif
