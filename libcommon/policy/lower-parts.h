/*
 * lower-parts: the pieces that lower.c puts together. Private to policy/lower*.c.
 */
#ifndef POLICY_LOWER_PARTS_H
#define POLICY_LOWER_PARTS_H

#include "policy/lower.h"
#include "sandbox/filter.h"

struct lower {
	const struct lower_box *box;
	struct plan_builder *out;
	uint64_t handled; /* Landlock rights that the running kernel knows; 0: no Landlock */
};

/* --- lower-root.c: what every confinement of ours has --- */

/* One step with the four members that most steps have. */
void lower_step(struct plan_builder *out, enum plan_op op, unsigned flags, const char *src,
		const char *dst);
void lower_symlink(struct plan_builder *out, const char *dst, const char *text);

/* Ids, host name, Landlock version, bits. */
void lower_begin(struct lower *l, const struct lower_box *box, struct plan_builder *out);
/* /bin, /lib, ... as the host has them: symlinks, or directories bound. */
void lower_usr_links(struct lower *l);
void lower_dev(struct lower *l);
void lower_proc(struct lower *l);
/* For helpers of ours: two devices, and a procfs with nothing but processes (subset=pid, Linux 5.8)
 * that needs no covers. A mount costs 25 us. */
void lower_dev_small(struct lower *l);
void lower_proc_small(struct lower *l);
/* Adds the seccomp program and refuses what would not fit into a plan. Errors: limit. */
int lower_end(struct lower *l, enum filter filter, struct error *err);

/*
 * Landlock: read and execute, or everything, below a directory of the new root; and the same for
 * one file.
 */
void lower_may_read(struct lower *l, const char *path);
void lower_may_write(struct lower *l, const char *path);
void lower_may_file(struct lower *l, const char *path, bool write);

/* --- lower-etc.c --- */

/* Name of the payload's user inside: the operator's, but never root's. Borrowed. */
const char *lower_user(const struct lower_box *box);
/* The shell that passwd names: bash where there is one. Static. */
const char *lower_shell(void);
/* passwd and group; home as it appears inside. */
void lower_accounts(struct lower *l, const char *home);
/* The other files that are made for a box: names, hosts, machine-id. */
void lower_etc_made(struct lower *l);
/* The allow-list of the host's /etc. */
void lower_etc_host(struct lower *l);

/* --- lower-spots.c: places that may lie inside each other, parents mounted first --- */

struct spot {
	const char *dst;
	const char *src; /* NULL where the operation has none */
	enum plan_op op;
	unsigned flags;
	bool make; /* dst is made first where it is missing: for PLAN_SELF */
	bool file; /* not a directory */
};

struct spots {
	struct spot *v; /* owns the strings */
	size_t len;
	size_t cap;
};
#define SPOTS_INIT                            \
	{                                     \
		.v = NULL, .len = 0, .cap = 0 \
	}
#define SPOTS_AUTO __attribute__((cleanup(spots_release))) struct spots

void spots_release(struct spots *s);
bool spots_has(const struct spots *s, const char *dst);
/* Copies what it is given. A second spot with the same dst replaces the first. */
void spots_add(struct spots *s, const struct spot *spot);
/* Sorted by dst, so that what lies inside follows. */
void spots_emit(struct spots *s, struct plan_builder *out);

/* True where path is dir or lies below it. Both absolute and clean. */
bool path_within(const char *path, const char *dir);

/* --- lower-grants.c --- */

/* Adds the policy's read and write lists. Errors: refused, sys. */
int lower_grants(struct lower *l, const struct policy *p, struct spots *spots, struct error *err);
/* How much of box_dir is the repository's git directory; 0 where it does not lie in one. */
size_t lower_common_len(const struct lower_box *box);
/* After everything is mounted: covers the directory of all boxes where a grant shows it. */
void lower_hide_boxes(struct lower *l, const struct spots *spots);
/* True where the host's path can be seen inside, at that name. Absolute paths only. */
bool lower_visible(const struct policy *p, const struct lower_box *box, const char *path);

/* --- lower.c --- */

/* Where the box's HOME appears: the operator's, or /home/box where that cannot be. Borrowed. */
const char *lower_home(const struct lower_box *box);

#endif
