#include "base/base.h"

#include <sys/resource.h>

#include "policy/lower-parts.h"
#include "sys/file.h"

#define FILES_MAX 4096
#define PROCESSES_MAX 512

#define SCRIBE_FILE_MAX (8ull << 30)

/* Nothing that a box wrote is ever started here. */
static void box_place(struct lower *l, const char *dir, unsigned flags)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "%s/%s", l->box->box_dir, dir);
	lower_step(l->out, PLAN_BIND, PLAN_SRC_HOST_ONLY | PLAN_NOEXEC | flags, path.data,
		   path.data);
	if (flags & PLAN_RO)
		lower_may_read(l, path.data);
	else
		lower_may_write(l, path.data);
}

/* The directories of a box that it can write itself, and the host's snapshot of it. */
static void mason_places(struct lower *l)
{
	const char *lfs = l->box->lfs;
	static const char *const writable[] = { "work", "git", "home", "tmp", "snap" };

	for (size_t i = 0; i < ARRAY_SIZE(writable); i++)
		box_place(l, writable[i], PLAN_OPTIONAL);
	if (!lfs)
		return;
	lower_step(l->out, PLAN_BIND, PLAN_RO | PLAN_NOEXEC | PLAN_OPTIONAL, lfs, lfs);
	lower_may_read(l, lfs);
}

static void scribe_places(struct lower *l)
{
	box_place(l, "work", PLAN_RO);
	box_place(l, "snap", PLAN_OPTIONAL); /* get needs none */
	plan_rlimit(l->out, RLIMIT_FSIZE, SCRIBE_FILE_MAX);
}

static void stores(struct lower *l)
{
	for (size_t i = 0; l->box->objects[i]; i++) {
		lower_step(l->out, PLAN_BIND, PLAN_RO | PLAN_NOEXEC | (i ? PLAN_OPTIONAL : 0),
			   l->box->objects[i], l->box->objects[i]);
		lower_may_read(l, l->box->objects[i]);
	}
}

/*
 * A repository below /usr is shown with it, and its box directory is closed to
 * all but the operator: an empty directory takes the place of the repository's
 * git directory, in which the box's places are made anew.
 */
static void cover_usr(struct lower *l)
{
	static const char options[] = "mode=0755,size=1m,nr_inodes=256";
	size_t len = lower_common_len(l->box);
	BUF_AUTO dir = BUF_INIT;

	if (!len || !path_within(l->box->box_dir, "/usr"))
		return;
	buf_add(&dir, l->box->box_dir, len);
	struct plan_step step = { .op = PLAN_TMPFS, .mode = 0755, .dst = dir.data };
	step.data = options;
	step.data_len = sizeof(options) - 1;
	plan_mount(l->out, &step);
}

static int lower_worker(const struct lower_box *box, const char *libexec_dir,
			void (*places)(struct lower *l), struct plan_builder *out,
			struct error *err)
{
	static const char tmp_options[] = "mode=1777,size=64m,nr_inodes=4096";
	struct plan_step tmp = { .op = PLAN_TMPFS,
				 .flags = PLAN_NOEXEC,
				 .mode = 01777,
				 .dst = "/tmp",
				 .data = tmp_options,
				 .data_len = sizeof(tmp_options) - 1 };
	BUF_AUTO libexec = BUF_INIT;
	struct lower l;

	if (file_canonical(libexec_dir, &libexec, err))
		return -1;
	lower_begin(&l, box, out);
	/*
	 * Its filter has no socket() at all, so a network of its own would fence nothing; it costs
	 * 1 ms.
	 */
	out->head.bits &= ~(uint32_t)PLAN_NET_OWN;
	out->head.cwd = plan_string(out, "/tmp");
	lower_step(out, PLAN_BIND, PLAN_RO | PLAN_REC, "/usr", "/usr");
	lower_may_read(&l, "/usr");
	lower_usr_links(&l);
	lower_accounts(&l, "/tmp");
	lower_step(out, PLAN_BIND, PLAN_RO | PLAN_OPTIONAL, "/etc/ld.so.cache", "/etc/ld.so.cache");
	lower_dev_small(&l);
	lower_proc_small(&l);
	/* Before the places of the box: a repository may lie below /tmp. */
	plan_mount(out, &tmp);
	lower_may_write(&l, "/tmp");
	lower_step(out, PLAN_BIND, PLAN_RO, libexec.data, "/run/box/bin");
	lower_may_read(&l, "/run/box/bin");
	cover_usr(&l);
	stores(&l);
	places(&l);
	plan_rlimit(out, RLIMIT_CORE, 0);
	plan_rlimit(out, RLIMIT_NOFILE, FILES_MAX);
	plan_rlimit(out, RLIMIT_NPROC, PROCESSES_MAX);
	return lower_end(&l, FILTER_MASON, err);
}

int lower_mason(const struct lower_box *box, const char *libexec_dir, struct plan_builder *out,
		struct error *err)
{
	return lower_worker(box, libexec_dir, mason_places, out, err);
}

int lower_scribe(const struct lower_box *box, const char *libexec_dir, struct plan_builder *out,
		 struct error *err)
{
	return lower_worker(box, libexec_dir, scribe_places, out, err);
}
