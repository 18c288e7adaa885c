/*
 * plan: what the sandbox executes, as flat data. The contract between policy
 * and sandbox: policy/lower writes it, the child walks it, `status` shows it,
 * its SHA-256 is the plan digest. Offsets, never pointers; one sealed memfd.
 *
 * Layout: struct plan, then the arrays it names, then strings. All offsets
 * count bytes from the start of the plan. Strings are NUL-terminated. Host
 * byte order: a plan never leaves the machine.
 */
#ifndef SANDBOX_PLAN_H
#define SANDBOX_PLAN_H

#include <linux/filter.h>

#include "base/buf.h"
#include "base/error.h"

#define PLAN_MAGIC 0x4e4c5031u /* "1PLN" */
#define PLAN_SIZE_MAX (1u << 20)
#define PLAN_MOUNTS_MAX 1024
#define PLAN_RULES_MAX 512

/*
 * One step of building the new root, in order. `dst` is an absolute path in
 * the new root, resolved there without following symlinks; missing parents are
 * created only on the root tmpfs and other file systems writable by us then.
 */
enum plan_op {
	PLAN_DIR,     /* directory at dst, `mode`; one that is there stays as it is */
	PLAN_FILE,    /* regular file at dst holding data, `mode` */
	PLAN_SYMLINK, /* symlink at dst with the text in data */
	PLAN_TMPFS,   /* tmpfs at dst; data is "size=64m,nr_inodes=..." options; mode */
	PLAN_BIND,    /* src bound at dst (file or directory), with its submounts where PLAN_REC */
	PLAN_OVERLAY, /* src shown at dst as a lower-only overlay: no host sockets, FIFOs or later
			 mounts */
	PLAN_PROC,    /* fresh procfs at dst; data, where set, is options as of a tmpfs */
	PLAN_DEVPTS,  /* own devpts at dst */
	PLAN_SELF, /* dst bound onto itself: becomes a mount point, so it cannot be renamed; PLAN_RO
		      applies */
	PLAN_MASK, /* /dev/null (file) or an empty read-only tmpfs (directory) over dst; skipped
		      where dst is missing */
	PLAN_OP_MAX
};

enum plan_flags {
	PLAN_RO = 1 << 0,
	PLAN_NOEXEC = 1 << 1,
	PLAN_REC = 1 << 2,
	PLAN_OPTIONAL = 1 << 3,	    /* src or dst missing, or behind a symlink: skip */
	PLAN_DEV = 1 << 4,	    /* device nodes usable (no nodev); nosuid is always set */
	PLAN_SRC_HOST_ONLY = 1 << 5 /* src lies below a box directory: resolved beneath
				       plan.box_root, no symlinks */
};

struct plan_mount {
	uint16_t op;	/* enum plan_op */
	uint16_t flags; /* enum plan_flags */
	uint32_t mode;
	uint32_t src; /* string offset; 0: none. Absolute host path, canonical, no symlinks */
	uint32_t dst;
	uint32_t data; /* offset; 0: none */
	uint32_t data_len;
};

struct plan_rlimit {
	uint32_t resource; /* RLIMIT_* */
	uint32_t pad;
	uint64_t value; /* soft and hard */
};

/* Landlock PATH_BENEATH rule on a path of the new root; masked to the running ABI. */
struct plan_rule {
	uint64_t access;
	uint32_t path;
	uint32_t optional; /* 1: a missing path is skipped */
};

struct plan_array {
	uint32_t off;
	uint32_t len; /* elements */
};

enum plan_bits {
	PLAN_NET_OWN = 1 << 0,	/* own network namespace, loopback up */
	PLAN_LANDLOCK = 1 << 1, /* Landlock must be enforced (ABI >= 2 was probed) */
	PLAN_ROOT_RO = 1 << 2,	/* remount the new root read-only at the end */
	PLAN_CGROUP_NS = 1 << 3
};

struct plan {
	uint32_t magic;
	uint32_t size; /* whole plan, bytes */
	uint32_t bits; /* enum plan_bits */
	uint32_t uid;  /* host uid and gid that the payload runs under; identity inside */
	uint32_t gid;
	uint32_t hostname;  /* string */
	uint32_t box_root;  /* string: host directory below which PLAN_SRC_HOST_ONLY sources are
			       resolved */
	uint32_t cwd;	    /* string: where a command starts unless it says otherwise */
	uint32_t memory_hi; /* watchdog: bytes of the sum of RSS, high and low word; 0: none */
	uint32_t memory_lo;
	uint64_t landlock_fs;	   /* handled_access_fs */
	uint64_t landlock_scope;   /* scoped */
	struct plan_array mounts;  /* struct plan_mount */
	struct plan_array rlimits; /* struct plan_rlimit */
	struct plan_array rules;   /* struct plan_rule */
	struct plan_array filter;  /* struct sock_filter: the payload's seccomp program */
};

/* --- building (front) --- */

struct plan_builder {
	struct plan head;
	struct buf mounts, rlimits, rules, filter, strings;
};

void plan_begin(struct plan_builder *b);
void plan_release(struct plan_builder *b);

/* Interns a string; the result goes into a string field (resolved at plan_finish). */
uint32_t plan_string(struct plan_builder *b, const char *s);

/* src and data may be NULL; data of data_len bytes may hold NULs. */
struct plan_step {
	enum plan_op op;
	unsigned flags;
	uint32_t mode;
	const char *src;
	const char *dst;
	const void *data;
	size_t data_len;
};
void plan_mount(struct plan_builder *b, const struct plan_step *step);
void plan_rlimit(struct plan_builder *b, uint32_t resource, uint64_t value);
void plan_rule(struct plan_builder *b, uint64_t access, const char *path, bool optional);
void plan_filter(struct plan_builder *b, const struct sock_filter *prog, size_t len);

/* Lays everything out; appended to out (empty before). */
void plan_finish(struct plan_builder *b, struct buf *out);

/* --- reading (monitor, child; only checks, no allocation; fuzzed) --- */

/* Pure: every offset, count and string inside [0, size). Errors: corrupt. */
int plan_check(const void *data, size_t size, struct error *err);

/* Of a checked plan; off 0 gives "". Async-signal-safe. */
const char *plan_str(const struct plan *p, uint32_t off);
const struct plan_mount *plan_mounts(const struct plan *p);
const struct plan_rlimit *plan_rlimits(const struct plan *p);
const struct plan_rule *plan_rules(const struct plan *p);
const struct sock_filter *plan_prog(const struct plan *p);

/* "bind /usr read-only" for errors, status and audits. Appended. */
void plan_mount_text(const struct plan *p, const struct plan_mount *m, struct buf *out);

/*
 * Compares the mount table of a process inside (text of its mountinfo) with the plan: no mount
 * more, none less, no flag weaker. Errors: refused (says which), corrupt.
 */
int plan_compare(const struct plan *p, const char *table, struct error *err);

#endif
