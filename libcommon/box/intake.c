#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "box/intake.h"
#include "box/rebase.h"
#include "box/work.h"
#include "sys/fd.h"
#include "sys/file.h"

void intake_release(struct intake *in)
{
	scribe_report_release(&in->scribe);
	gate_report_release(&in->gate);
	quarantine_drop(&in->q);
}

int intake_quarantine(const struct repo *repo, const struct box *b, struct quarantine *out,
		      struct error *err)
{
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;
	BUF_AUTO path = BUF_INIT;
	FD_AUTO dir = -1;
	struct quarantine_place where = { .stores = strv_argv(&b->m.objects),
					  .hex = b->m.base_commit.len };

	if (box_root_open(repo, false, &root, err) < 0)
		return -1;
	if (mkdirat(root.fd, INTAKE_DIR, 0700) < 0 && errno != EEXIST)
		return error_sys(err, errno, "cannot make %s/" INTAKE_DIR, root.path.data);
	dir = file_open_beneath(root.fd, INTAKE_DIR, O_RDONLY | O_DIRECTORY, 0, err);
	if (dir < 0)
		return -1;
	buf_fmt(&path, "%s/" INTAKE_DIR, root.path.data);
	where.dirfd = dir;
	where.path = path.data;
	return quarantine_open(&where, out, err);
}

/*
 * The scribe's pack, where there is one. Taken strictly, every link of its objects leads to one
 * that is there (git-index-pack(1)); that the announced tree is one is seen by the gate, which
 * reads it.
 */
static int take_pack(struct intake *in, struct error *err)
{
	const struct quarantine_pack pack = { .fd = in->scribe.pack_fd,
					      .max_bytes = INTAKE_PACK_MAX,
					      .strict = true };

	if (in->scribe.pack_fd < 0)
		return 0;
	return quarantine_take(&in->q, &pack, err);
}

int intake_judge(const struct box *b, const struct intake *in, const char *tree,
		 struct gate_report *out, struct error *err)
{
	const struct gate_input input = { .git = &in->q.git,
					  .base_tree = b->m.base_tree.data,
					  .tree = tree,
					  .limits = GATE_LIMITS_DEFAULT };

	*out = (struct gate_report)GATE_REPORT_INIT;
	return gate_check(&input, out, err);
}

int intake_take(const struct repo *repo, const struct box *b, enum scribe_how how,
		struct intake *out, struct error *err)
{
	if (rebase_check(b, err) < 0 ||
	    work_ops_for(b->m.tier)->take(repo, b, how, &out->scribe, err) < 0 ||
	    intake_quarantine(repo, b, &out->q, err) < 0)
		return -1;
	out->same = strcmp(out->scribe.tree.data, b->m.base_tree.data) == 0;
	if (take_pack(out, err) < 0 ||
	    (!out->same && intake_judge(b, out, out->scribe.tree.data, &out->gate, err) < 0))
		return error_wrap(err, "what box '%s' holds", b->m.name.data);
	return 0;
}
