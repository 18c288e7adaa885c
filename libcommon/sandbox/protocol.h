/*
 * protocol: the frames between front, monitor, init and spawner (carried by wire/frame.h).
 * Payloads are these structs, in host order: both ends are the same build on
 * the same machine.
 */
#ifndef SANDBOX_PROTOCOL_H
#define SANDBOX_PROTOCOL_H

#include <stdint.h>

enum frame_type {
	/* front -> monitor */
	FRAME_RUN = 1,	 /* fds: payload memfd; struct frame_run */
	FRAME_SIGNAL,	 /* struct frame_signal; also monitor -> spawner */
	/* monitor -> front */
	FRAME_STARTED,	 /* fds: stdin write end, stdout and stderr read ends */
	FRAME_ENDED,	 /* struct frame_ended */
	FRAME_FAULT,	 /* struct fault: the sandbox could not be built; also init -> monitor */
	/* monitor -> spawner */
	FRAME_EXEC,	 /* fds: payload, stdin, stdout, stderr ends of the command */
	/* spawner -> monitor */
	FRAME_READY,	 /* everything is in force; also init -> monitor */
	FRAME_EXIT	 /* struct frame_ended */
};

struct frame_run {
	uint64_t timeout_ms;
};

struct frame_signal {
	int32_t signo;
};

struct frame_ended {
	uint32_t end;	/* enum session_end */
	int32_t code;
	int32_t signal;
	int32_t sys;
	uint64_t utime_us, stime_us;
	uint64_t max_rss_kb;
	uint64_t peak_memory;
};

/* Where building the sandbox failed: numbers only; sandbox/fault.c makes words of it from the plan. */
struct fault {
	uint16_t step;	/* enum fault_step */
	uint16_t index; /* which mount, rule or rlimit */
	int32_t sys;	/* errno */
};

#endif
