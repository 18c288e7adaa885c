/*
 * inside: the code that runs after clone, in the order it runs. Only system
 * calls (poison.h). Everything it needs was decided before and lies in the
 * plan; failures are numbers (struct fault).
 */
#ifndef SANDBOX_INSIDE_H
#define SANDBOX_INSIDE_H

#include "sandbox/plan.h"
#include "sandbox/protocol.h"

/* What init inherits. All descriptors are close-on-exec. */
struct inside {
	bool own_net;	  /* the plan will say PLAN_NET_OWN */
	int go;		  /* our end of the start pipe: one byte when the id maps are written */
	int init_chan;	  /* to the monitor: faults; its end of file says that everything is dead */
	int spawner_chan; /* handed to the spawner */
};

/* How init and the spawner, started side by side, wait for each other: one byte a pipe. */
struct start_gate {
	int net_ready[2];  /* spawner -> init: the network is there, and the spawner may be
			      joined */
	int root_ready[2]; /* init -> spawner: the new root is complete; struct mounted */
	int all_ready[2];  /* init -> spawner: the old root is gone, a command may start */
	int spawner_pidfd;
	int proc; /* the host's procfs, from before the new root */
};

/* init.c: the whole life of pid 1. */
__attribute__((noreturn)) void inside_init(const struct inside *in);

/* Which steps of the plan became mounts: optional ones may have been skipped. */
struct mounted {
	unsigned char made[PLAN_MOUNTS_MAX];
};

/*
 * root.c: an empty root with the old one at /.old; then what the plan says is in it; then the old
 * one gone. 0, or -1 with *f.
 */
int inside_enter_root(struct fault *f);
int inside_build_root(const struct plan *p, struct mounted *done, struct fault *f);
int inside_leave_old_root(const struct plan *p, struct fault *f);

/*
 * audit.c: looks at what was really mounted: each step is a mount of its own with at least the
 * restrictions of the plan. 0, or -1 with *f.
 */
int inside_audit(const struct plan *p, const struct mounted *done, struct fault *f);
int inside_audit_root(const struct plan *p, struct fault *f); /* "/" itself, once it is read-only */

/* mounts.c: executes one step of the plan. 1 where it mounted, 0 where it had nothing to mount, -1.
 */
struct mount_roots {
	int old_fd;  /* the host's root */
	int root_fd; /* the new root */
	int box_fd;  /* plan.box_root, or -1 */
	/* The parent directory of the last entry, kept because the next one mostly has the same;
	 * -1: none. */
	int parent_fd;
	size_t parent_len;
	char parent_path[4096]; /* with its trailing slash */
};
int inside_mount(const struct plan *p, const struct plan_mount *m, struct mount_roots *roots);
void inside_forget_parent(struct mount_roots *roots);

/* network.c: own network namespace with its loopback up. 0 or -1 with *f. */
int inside_network(struct fault *f);

/*
 * fence.c: what the spawner puts around itself and so around every command. Early: ids, second
 * user namespace, no capabilities, limits, no_new_privs, seccomp; needs the host's procfs (proc)
 * and nothing of the new root. Late, when the root is complete: Landlock; undumpable.
 */
int inside_fence_early(const struct plan *p, int proc, struct fault *f);
int inside_fence_late(const struct plan *p, struct fault *f);

/* spawner.c: makes the network, waits for the root, fences itself in, starts the command. */
__attribute__((noreturn)) void inside_spawner(const struct inside *in,
					      const struct start_gate *gate);

/* What a command's child tells the spawner where it cannot become the command. */
struct command_failure {
	uint32_t end; /* COMMAND_CANNOT_EXEC or COMMAND_CANNOT_ENTER */
	int32_t sys;
};

/* chan.c: waits for FRAME_PLAN and maps it; NULL where the monitor is gone. */
const struct plan *chan_take_plan(int chan);

/* command.c: in the forked child: never returns; a failure goes to report_fd, which exec closes. */
__attribute__((noreturn)) void inside_command(const struct plan *p, int payload_fd,
					      const int stdio[3], int report_fd);

/* chan.c: frames by bare system calls. 0 or -1 (errno). */
int chan_send(int fd, uint16_t type, const void *data, uint32_t len);
/*
 * Receives one frame of at most max bytes and exactly as many descriptors as
 * *fds_len says on return (at most FRAME_FDS_MAX). 1, 0 at end of stream, -1.
 */
struct chan_frame {
	uint16_t type;
	uint32_t len;
	unsigned char data[64];
	int fds[4];
	uint32_t fds_len;
};
int chan_recv(int fd, struct chan_frame *out);

#endif
