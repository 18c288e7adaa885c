/*
 * protocol: the frames between front, monitor, init and spawner (carried by
 * wire/frame.h). Payloads are these structs, in host order: both ends are the
 * same build on the same machine.
 */
#ifndef SANDBOX_PROTOCOL_H
#define SANDBOX_PROTOCOL_H

#include <stdint.h>

enum frame_type {
	/* front -> monitor */
	FRAME_HOLD = 1, /* fd: a locked file; kept open while the session lives, so that its lock
			   outlives the front */
	FRAME_CGROUP,	/* fd: directory of the cgroup in which init is born */
	FRAME_START,	/* struct frame_start: begin with what needs no plan */
	FRAME_RUN,	/* fds: payload and plan, sealed memfds; struct frame_run */
	FRAME_SIGNAL,	/* struct frame_signal; also monitor -> spawner */
	/* monitor -> front */
	FRAME_STARTED, /* fds: stdin write end, stdout and stderr read ends */
	FRAME_ENDED,   /* struct frame_ended; also spawner -> monitor */
	FRAME_FAULT, /* struct fault: the sandbox could not be built; also init, spawner -> monitor
		      */
	/* monitor -> spawner */
	FRAME_EXEC, /* fds: payload, stdin, stdout, stderr ends of the command */
	FRAME_PLAN  /* fd: the plan, sealed and checked; also monitor -> init */
};

/* What must be known before there is a plan. */
struct frame_start {
	uint32_t uid, gid; /* the plan's */
	uint32_t own_net;  /* PLAN_NET_OWN is in the plan */
};

struct frame_run {
	uint64_t timeout_ms; /* 0: none */
};

struct frame_signal {
	int32_t signo;
};

/* How a command ended. Numbers are part of the protocol. */
enum command_end {
	COMMAND_EXITED = 0,   /* code */
	COMMAND_SIGNALED,     /* signal */
	COMMAND_TIMED_OUT,    /* wall clock */
	COMMAND_MEMORY,	      /* memory limit: watchdog or cgroup */
	COMMAND_CANNOT_EXEC,  /* sys: errno of execve */
	COMMAND_CANNOT_ENTER, /* sys: errno of chdir to its directory */
	COMMAND_ENDED /* the session was told to end, or its spawner was killed from inside */
};

struct frame_ended {
	uint32_t end; /* enum command_end */
	int32_t code;
	int32_t signal;
	int32_t sys;
	uint64_t utime_us, stime_us;
	uint64_t max_rss_kb;
	uint64_t peak_memory; /* bytes, of the whole cgroup, filled in by the monitor; 0: unknown */
	uint64_t alone;	      /* 1: no other process was left in the session */
};

/*
 * Where building the sandbox failed: numbers only, one 8-byte payload;
 * sandbox/fault.h makes words of it with the plan at hand.
 */
struct fault {
	uint16_t step;	/* enum fault_step */
	uint16_t index; /* which mount, rule or rlimit */
	int32_t sys;	/* errno */
};

/* The steps in the order they are taken; names in fault.c. */
enum fault_step {
	STEP_NONE = 0,
	/* monitor */
	STEP_CLONE,
	STEP_ID_MAP,
	STEP_PIPES,
	STEP_MONITOR,
	/* init */
	STEP_PRIVATE,
	STEP_ROOT,
	STEP_MOUNT,
	STEP_NETWORK,
	STEP_LOOPBACK,
	STEP_HOSTNAME,
	STEP_USERNS_MAX,
	STEP_DETACH_OLD,
	STEP_ROOT_RO,
	STEP_AUDIT,
	STEP_SPAWNER,
	/* spawner */
	STEP_IDS,
	STEP_USERNS,
	STEP_USERNS_MAP,
	STEP_CAPS,
	STEP_RLIMIT,
	STEP_NO_NEW_PRIVS,
	STEP_LANDLOCK,
	STEP_LANDLOCK_RULE,
	STEP_SECCOMP,
	STEP_PAYLOAD,
	STEP_FORK,
	STEP_MAX
};

#endif
