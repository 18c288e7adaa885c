#include "base/base.h"

#include <limits.h>
#include <sys/stat.h>

#include "policy/lower-parts.h"
#include "sandbox/probe.h"
#include "sys/compat.h"

/* Everything that ABI 1 knows. */
#define FS_ABI1 ((1ull << 13) - 1)
#define FS_READ \
	(COMPAT_LANDLOCK_FS_EXECUTE | COMPAT_LANDLOCK_FS_READ_FILE | COMPAT_LANDLOCK_FS_READ_DIR)

/*
 * Handled rights per ABI; below 2 Landlock forbids every rename between directories and is left
 * out.
 */
static uint64_t handled_by(int abi)
{
	uint64_t fs = FS_ABI1 | COMPAT_LANDLOCK_FS_REFER;

	if (abi < 2)
		return 0;
	if (abi >= 3)
		fs |= COMPAT_LANDLOCK_FS_TRUNCATE;
	if (abi >= 5)
		fs |= COMPAT_LANDLOCK_FS_IOCTL_DEV;
	return fs;
}

void lower_step(struct plan_builder *out, enum plan_op op, unsigned flags, const char *src,
		const char *dst)
{
	struct plan_step step = { .op = op, .flags = flags, .mode = 0755, .src = src, .dst = dst };

	plan_mount(out, &step);
}

void lower_symlink(struct plan_builder *out, const char *dst, const char *text)
{
	struct plan_step step = {
		.op = PLAN_SYMLINK, .dst = dst, .data = text, .data_len = strlen(text)
	};

	plan_mount(out, &step);
}

void lower_begin(struct lower *l, const struct lower_box *box, struct plan_builder *out)
{
	*l = (struct lower){ .box = box, .out = out, .handled = handled_by(probe_landlock_abi()) };
	out->head.uid = box->uid;
	out->head.gid = box->gid;
	out->head.hostname = plan_string(out, box->name);
	out->head.box_root = plan_string(out, box->box_dir);
	out->head.bits = PLAN_NET_OWN | PLAN_ROOT_RO | PLAN_CGROUP_NS;
	if (l->handled) {
		out->head.bits |= PLAN_LANDLOCK;
		out->head.landlock_fs = l->handled;
	}
}

static void may(struct lower *l, uint64_t access, const char *path)
{
	if (access & l->handled)
		plan_rule(l->out, access & l->handled, path, true);
}

void lower_may_read(struct lower *l, const char *path)
{
	may(l, FS_READ, path);
}

void lower_may_write(struct lower *l, const char *path)
{
	may(l, ~COMPAT_LANDLOCK_FS_IOCTL_DEV, path);
}

void lower_may_file(struct lower *l, const char *path, bool write)
{
	uint64_t access = COMPAT_LANDLOCK_FS_EXECUTE | COMPAT_LANDLOCK_FS_READ_FILE;

	if (write)
		access |= COMPAT_LANDLOCK_FS_WRITE_FILE | COMPAT_LANDLOCK_FS_TRUNCATE;
	may(l, access, path);
}

void lower_usr_links(struct lower *l)
{
	static const char *const tops[] = {
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"
	};

	for (size_t i = 0; i < ARRAY_SIZE(tops); i++) {
		char text[PATH_MAX];
		struct stat st;
		ssize_t n = readlink(tops[i], text, sizeof(text) - 1);
		if (n > 0) {
			text[n] = '\0';
			lower_symlink(l->out, tops[i], text);
		} else if (!lstat(tops[i], &st) && S_ISDIR(st.st_mode)) {
			lower_step(l->out, PLAN_BIND, PLAN_RO | PLAN_REC, tops[i], tops[i]);
			lower_may_read(l, tops[i]);
		}
	}
}

/*
 * Bound read-only, a device still reads and writes: that flag only keeps the
 * box from changing mode, owner and times of the host's node.
 */
static void node(struct lower *l, const char *path, uint16_t optional)
{
	lower_step(l->out, PLAN_BIND, (uint16_t)(PLAN_RO | PLAN_NOEXEC | PLAN_DEV | optional), path,
		   path);
}

static void may_use_dev(struct lower *l)
{
	may(l,
	    COMPAT_LANDLOCK_FS_READ_FILE | COMPAT_LANDLOCK_FS_READ_DIR |
		    COMPAT_LANDLOCK_FS_WRITE_FILE | COMPAT_LANDLOCK_FS_TRUNCATE |
		    COMPAT_LANDLOCK_FS_IOCTL_DEV,
	    "/dev");
}

void lower_dev(struct lower *l)
{
	static const char *const nodes[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
					     "/dev/urandom" };

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		node(l, nodes[i], 0);
	node(l, "/dev/tty", PLAN_OPTIONAL);
	lower_symlink(l->out, "/dev/fd", "/proc/self/fd");
	lower_symlink(l->out, "/dev/stdin", "/proc/self/fd/0");
	lower_symlink(l->out, "/dev/stdout", "/proc/self/fd/1");
	lower_symlink(l->out, "/dev/stderr", "/proc/self/fd/2");
	may_use_dev(l);
}

void lower_dev_small(struct lower *l)
{
	node(l, "/dev/null", 0);
	node(l, "/dev/urandom", 0);
	may_use_dev(l);
}

static void may_use_proc(struct lower *l)
{
	may(l,
	    COMPAT_LANDLOCK_FS_READ_FILE | COMPAT_LANDLOCK_FS_READ_DIR |
		    COMPAT_LANDLOCK_FS_WRITE_FILE | COMPAT_LANDLOCK_FS_TRUNCATE,
	    "/proc");
}

void lower_proc_small(struct lower *l)
{
	static const char options[] = "subset=pid";
	struct plan_step proc = {
		.op = PLAN_PROC, .dst = "/proc", .data = options, .data_len = sizeof(options) - 1
	};

	plan_mount(l->out, &proc);
	may_use_proc(l);
}

/*
 * procfs asks for the uid, not for capabilities, in many of its files; so what
 * belongs to the whole machine is covered whoever we are.
 */
void lower_proc(struct lower *l)
{
	static const char *const covered[] = { "/proc/sys",  "/proc/irq",	   "/proc/bus",
					       "/proc/fs",   "/proc/acpi",	   "/proc/scsi",
					       "/proc/mtrr", "/proc/sysrq-trigger" };
	static const char *const masked[] = { "/proc/kcore",	  "/proc/kmsg",
					      "/proc/keys",	  "/proc/kallsyms",
					      "/proc/timer_list", "/proc/sched_debug",
					      "/proc/slabinfo",	  "/proc/latency_stats" };

	lower_step(l->out, PLAN_PROC, 0, NULL, "/proc");
	for (size_t i = 0; i < ARRAY_SIZE(covered); i++)
		if (!access(covered[i], F_OK))
			lower_step(l->out, PLAN_SELF, PLAN_RO | PLAN_OPTIONAL, NULL, covered[i]);
	for (size_t i = 0; i < ARRAY_SIZE(masked); i++)
		if (!access(masked[i], F_OK))
			lower_step(l->out, PLAN_MASK, PLAN_OPTIONAL, NULL, masked[i]);
	may_use_proc(l);
}

int lower_end(struct lower *l, enum filter filter, struct error *err)
{
	size_t len;
	const struct sock_filter *prog = filter_program(filter, &len);

	plan_filter(l->out, prog, len);
	/* A directory may be listed although only some of what lies in it is shown. */
	may(l, COMPAT_LANDLOCK_FS_READ_DIR, "/");
	if (l->out->mounts.len > PLAN_MOUNTS_MAX * sizeof(struct plan_mount) ||
	    l->out->rules.len > PLAN_RULES_MAX * sizeof(struct plan_rule))
		return error_set(err, ERR_LIMIT,
				 "the policy shows more places than a sandbox can hold (%d)",
				 PLAN_RULES_MAX);
	return 0;
}
