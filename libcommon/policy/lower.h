/*
 * lower: policy -> plan. All knowledge of what a box looks like inside is
 * here; the sandbox only executes the result.
 */
#ifndef POLICY_LOWER_H
#define POLICY_LOWER_H

#include "policy/policy.h"
#include "sandbox/plan.h"

/* Where the things of one box are on the host; all absolute and canonical. */
struct lower_box {
	const char *name;
	const char *id;
	const char *box_dir;  /* .../box/b/<id>: holds work git home tmp */
	const char *repo_top; /* where the work tree appears inside */
	const char *home; /* operator's home: the box's home/ appears there; "" where there is none:
			     then /home/box */
	const char *user; /* login name for the generated passwd */
	const char *const *objects; /* host object stores, NULL-terminated: /run/box/objects/0.. */
	const char *lfs; /* objects of git-lfs that the mason may read; NULL: none */
	uint32_t uid, gid;	    /* payload's host ids */
};

/* The box of an agent. Errors: unsupported, refused (a grant that cannot be shown safely), sys. */
int lower_box(const struct policy *p, const struct lower_box *box, struct plan_builder *out,
	      struct error *err);

/*
 * The mason: /usr and the box's directory `box_dir` (rw, at its own path), object stores read-only
 * at their own paths, nothing else. libexec_dir holds git-box-mason, shown at /run/box/bin. Errors:
 * as above.
 */
int lower_mason(const struct lower_box *box, const char *libexec_dir, struct plan_builder *out,
		struct error *err);

/*
 * The scribe: the same program, but of the box's directory only work/, read-only, and snap/,
 * read-write. So it may look while commands of the box run. Errors: as above.
 */
int lower_scribe(const struct lower_box *box, const char *libexec_dir, struct plan_builder *out,
		 struct error *err);

/*
 * Environment for a command of the box: policy's names from ours, then fixed ones, then extra
 * ("NAME=VALUE").
 */
void lower_env(const struct policy *p, const struct lower_box *box, const char *const *extra,
	       struct strv *out);

#endif
