#include "base/base.h"

#include "sandbox/plan.h"

static const char *const op_names[PLAN_OP_MAX] = {
	[PLAN_DIR] = "dir",	[PLAN_FILE] = "file",	  [PLAN_SYMLINK] = "symlink",
	[PLAN_TMPFS] = "tmpfs", [PLAN_BIND] = "bind",	  [PLAN_OVERLAY] = "overlay",
	[PLAN_PROC] = "proc",	[PLAN_DEVPTS] = "devpts", [PLAN_SELF] = "hold",
	[PLAN_MASK] = "mask",
};

static const struct {
	unsigned flag;
	const char *word;
} flag_words[] = {
	{ PLAN_RO, "read-only" }, { PLAN_NOEXEC, "noexec" },	 { PLAN_REC, "recursive" },
	{ PLAN_DEV, "device" },	  { PLAN_OPTIONAL, "optional" }, { PLAN_SRC_HOST_ONLY, "beneath" },
};

void plan_mount_text(const struct plan *p, const struct plan_mount *m, struct buf *out)
{
	const char *src = plan_str(p, m->src);
	const char *dst = plan_str(p, m->dst);

	buf_str(out, m->op < PLAN_OP_MAX ? op_names[m->op] : "unknown");
	buf_fmt(out, " %s", dst);
	if (m->src && strcmp(src, dst) != 0)
		buf_fmt(out, " from %s", src);
	if (m->op == PLAN_SYMLINK)
		buf_fmt(out, " to %s", plan_str(p, m->data));
	if (m->op == PLAN_TMPFS)
		buf_fmt(out, " %s", plan_str(p, m->data));
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++)
		if (m->flags & flag_words[i].flag)
			buf_fmt(out, " %s", flag_words[i].word);
}
