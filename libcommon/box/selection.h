/*
 * selection: a new proposal of some of the changes of the last one.
 */
#ifndef BOX_SELECTION_H
#define BOX_SELECTION_H

#include "box/propose.h"

struct selection {
	const char *commit;	 /* the proposal that was looked at */
	const struct buf *patch; /* against the base, of what was taken; "" for nothing */
};

/*
 * A propose_source for box_propose(); arg is a struct selection. The patch is applied to the base
 * in an index and a quarantine of our own. Errors: busy (the box has proposed anew meanwhile),
 * refused (what was taken does not stand alone, or does not pass the gate), peer, sys.
 */
int selection_take(void *arg, const struct repo *repo, const struct box *b, struct intake *out,
		   struct error *err);

#endif
