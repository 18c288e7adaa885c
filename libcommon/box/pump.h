/*
 * pump: moves bytes from one descriptor to another without ever blocking in
 * the middle, so that signals are handled while the operator's terminal is
 * stopped. The operator's descriptors are never made non-blocking: that would
 * change them for everybody who shares them.
 */
#ifndef BOX_PUMP_H
#define BOX_PUMP_H

#include <poll.h>

#include "base/buf.h"

struct pump {
	int from;
	int to;	       /* unused where capture is set */
	bool own_from; /* close it at the end */
	bool own_to;
	bool ready;	/* `from` had something: now wait for `to` */
	bool no_splice; /* a pair of descriptors that splice(2) does not take */
	bool done;
	bool overflow;	     /* more than capture_max came: only the head is kept */
	struct buf *capture; /* collect here instead */
	size_t capture_max;
};

/* What to wait for; fd -1 where it is done. */
struct pollfd pump_poll(const struct pump *p);

/* After poll: moves what can be moved. At the end closes what it owns and sets done. */
void pump_move(struct pump *p, short revents);

void pump_close(struct pump *p);

#endif
