/*
 * frame: the one binary protocol of our processes (DESIGN section 5).
 *
 *	u32 length of the payload | u16 type | u16 zero | payload      little endian
 *
 * It travels over a stream socket (AF_UNIX, SOCK_STREAM); descriptors (SCM_RIGHTS)
 * ride on the first byte of a frame and nowhere else.
 * Who reads gives a table: unknown types, lengths outside [min, max], a wrong
 * number of descriptors and a type outside the current phase end the peer.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "base/error.h"

#define FRAME_HEAD 8
#define FRAME_MAX 4096
#define FRAME_FDS_MAX 4

struct frame_op {
	uint16_t type;
	uint16_t fds;	   /* exact number of descriptors */
	uint32_t len_min;
	uint32_t len_max;  /* <= FRAME_MAX */
	uint32_t phases;   /* bit set of the phases in which it may come */
	const char *name;  /* for traces and errors */
};

/* What a reader accepts now. */
struct frame_rules {
	const struct frame_op *ops;
	size_t ops_len;
	uint32_t phase; /* one bit */
};

/* A frame to be sent; data and fds are borrowed. */
struct frame_out {
	uint16_t type;
	uint16_t fds_len;
	uint32_t len;
	const void *data;
	const int *fds;
};

/* A frame that was received. */
struct frame {
	uint16_t type;
	uint16_t fds_len;
	uint32_t len;
	int fds[FRAME_FDS_MAX]; /* owned by the receiver */
	unsigned char data[FRAME_MAX];
};

/*
 * Pure: checks a head (8 bytes) against the rules. Returns the op or NULL. Fuzzed.
 */
const struct frame_op *frame_check(const unsigned char head[FRAME_HEAD],
				   const struct frame_rules *rules);

/* Sends one frame. Blocks. Errors: peer, sys. */
int frame_send(int sock, const struct frame_out *frame, struct error *err);

/*
 * Receives one whole frame. Returns 1 with *out, 0 at a clean end of stream,
 * -1 on error; received descriptors are close-on-exec, and closed where the
 * frame is refused. Errors: peer (protocol violation), sys.
 */
int frame_recv(int sock, const struct frame_rules *rules, struct frame *out, struct error *err);

void frame_close_fds(struct frame *f);

#endif
