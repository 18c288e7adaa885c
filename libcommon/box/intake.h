/*
 * intake: the files of a box as one tree whose objects wait in quarantine:
 * scribe, quarantine and gate in one call. Nothing of it is in the user's
 * repository before quarantine_accept().
 */
#ifndef BOX_INTAKE_H
#define BOX_INTAKE_H

#include "box/scribe.h"
#include "store/gate.h"
#include "store/quarantine.h"

struct intake {
	struct scribe_report scribe; /* scribe.tree is the tree */
	bool same;		     /* it is the base's */
	struct gate_report gate; /* gate.refused > 0: it must not leave the box */
	struct quarantine q; /* q.git reaches the tree, the base and every object of the host */
};
#define INTAKE_INIT                                                                          \
	{                                                                                    \
		.scribe = SCRIBE_REPORT_INIT, .gate = GATE_REPORT_INIT, .q = QUARANTINE_INIT \
	}
#define INTAKE_AUTO __attribute__((cleanup(intake_release))) struct intake
void intake_release(struct intake *in); /* drops the quarantine */

/*
 * The caller holds the box's lock: shared for SCRIBE_LIVE, alone (box_lock_idle()) for
 * SCRIBE_FROZEN. *out (initialised) must not move afterwards. Errors: corrupt (the objects are not
 * what was announced), busy, peer, limit, sys.
 */
int intake_take(const struct repo *repo, const struct box *b, enum scribe_how how,
		struct intake *out, struct error *err);

/*
 * What the gate says of a tree in in->q against the base of the box. *out is filled anew. Errors:
 * those of gate_check(): it could not look, which is a no.
 */
int intake_judge(const struct box *b, const struct intake *in, const char *tree,
		 struct gate_report *out, struct error *err);

/* An empty quarantine of the box, below $GIT_COMMON_DIR/box/quarantine. Errors: sys. */
int intake_quarantine(const struct repo *repo, const struct box *b, struct quarantine *out,
		      struct error *err);

#define INTAKE_DIR "quarantine"	     /* below $GIT_COMMON_DIR/box */
#define INTAKE_PACK_MAX (4ull << 30) /* bytes of one pack */

#endif
