/* sandbox/plan: built, laid out, checked against hostile bytes, put into words. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <sys/resource.h>

#include "sandbox/plan.h"

static void add(struct plan_builder *b, enum plan_op op, unsigned flags, const char *src,
		const char *dst)
{
	struct plan_step step = { .op = op, .flags = flags, .mode = 0755, .src = src, .dst = dst };

	plan_mount(b, &step);
}

/* One of everything. */
static void sample(struct buf *out)
{
	static const struct sock_filter prog[] = { { .code = 6, .k = 1 }, { .code = 6, .k = 2 } };
	struct plan_step file = { .op = PLAN_FILE, .mode = 0644, .dst = "/etc/x" };
	struct plan_step link = { .op = PLAN_SYMLINK, .dst = "/bin", .data = "usr/bin" };
	struct plan_step tmpfs = { .op = PLAN_TMPFS, .dst = "/dev/shm", .data = "size=1m" };
	struct plan_builder b;

	file.data = "a\0b";
	file.data_len = 3;
	link.data_len = tmpfs.data_len = 7;
	plan_begin(&b);
	b.head.uid = 1000;
	b.head.gid = 1000;
	b.head.bits = PLAN_NET_OWN | PLAN_ROOT_RO;
	b.head.hostname = plan_string(&b, "box");
	b.head.box_root = plan_string(&b, "/r/box/b/1");
	b.head.cwd = plan_string(&b, "/r");
	add(&b, PLAN_BIND, PLAN_RO | PLAN_REC, "/usr", "/usr");
	plan_mount(&b, &file);
	plan_mount(&b, &link);
	plan_mount(&b, &tmpfs);
	add(&b, PLAN_BIND, PLAN_SRC_HOST_ONLY, "/r/box/b/1/work", "/r");
	add(&b, PLAN_PROC, 0, NULL, "/proc");
	add(&b, PLAN_SELF, PLAN_RO | PLAN_OPTIONAL, NULL, "/proc/sys");
	plan_rlimit(&b, RLIMIT_CORE, 0);
	plan_rule(&b, 0xd, "/usr", true);
	plan_filter(&b, prog, 2);
	plan_finish(&b, out);
	plan_release(&b);
}

Test(plan, round_trip)
{
	struct error err = ERROR_INIT;
	BUF_AUTO bytes = BUF_INIT;

	sample(&bytes);
	cr_assert_eq(plan_check(bytes.data, bytes.len, &err), 0, "%s", err.msg);
	const struct plan *p = (const struct plan *)(const void *)bytes.data;
	cr_assert_eq(p->size, bytes.len);
	cr_assert_eq(p->mounts.len, 7);
	cr_assert_eq(p->filter.len, 2);
	cr_assert_eq(plan_prog(p)[1].k, 2);
	cr_assert_eq(plan_rlimits(p)[0].resource, RLIMIT_CORE);
	cr_assert_str_eq(plan_str(p, plan_rules(p)[0].path), "/usr");
	cr_assert_str_eq(plan_str(p, p->hostname), "box");
	cr_assert_str_eq(plan_str(p, p->cwd), "/r");
	cr_assert_str_eq(plan_str(p, 0), "");
	const struct plan_mount *m = &plan_mounts(p)[1];
	cr_assert_eq(m->data_len, 3);
	cr_assert_arr_eq((const char *)p + m->data, "a\0b", 4);
}

Test(plan, same_input_same_bytes)
{
	BUF_AUTO a = BUF_INIT, b = BUF_INIT;

	sample(&a);
	sample(&b);
	cr_assert_eq(a.len, b.len);
	cr_assert_arr_eq(a.data, b.data, a.len);
}

Test(plan, words)
{
	static const char *const want[] = {
		"bind /usr read-only recursive",
		"file /etc/x",
		"symlink /bin to usr/bin",
		"tmpfs /dev/shm size=1m",
		"bind /r from /r/box/b/1/work beneath",
		"proc /proc",
		"hold /proc/sys read-only optional",
	};
	BUF_AUTO bytes = BUF_INIT, text = BUF_INIT;

	sample(&bytes);
	const struct plan *p = (const struct plan *)(const void *)bytes.data;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		buf_reset(&text);
		plan_mount_text(p, &plan_mounts(p)[i], &text);
		cr_expect_str_eq(text.data, want[i]);
	}
}

/* One number of the sample, overwritten: in the head, or in the mount of that index. */
#define HEAD(member) -1, offsetof(struct plan, member), sizeof(((struct plan *)0)->member)
#define MOUNT(i, member)                                                                           \
	(i), offsetof(struct plan_mount, member), sizeof(((struct plan_mount *)0)->member)

static const struct {
	const char *name;
	int mount;
	size_t offset, width;
	uint32_t value;
} hostiles[] = {
	{ "no magic", HEAD(magic), 1 },
	{ "size of nothing", HEAD(size), 0 },
	{ "size beyond the end", HEAD(size), UINT32_MAX },
	{ "root", HEAD(uid), 0 },
	{ "no uid", HEAD(uid), UINT32_MAX },
	{ "no gid", HEAD(gid), UINT32_MAX },
	{ "unknown bit", HEAD(bits), 1u << 30 },
	{ "host name outside", HEAD(hostname), UINT32_MAX },
	{ "host name in the head", HEAD(hostname), 4 },
	{ "no directory to start in", HEAD(cwd), 0 },
	{ "no box for a source in it", HEAD(box_root), 0 },
	{ "mounts outside", HEAD(mounts.off), UINT32_MAX & ~7u },
	{ "mounts in the head", HEAD(mounts.off), 0 },
	{ "mounts not aligned", HEAD(mounts.off), sizeof(struct plan) + 4 },
	{ "too many mounts", HEAD(mounts.len), UINT32_MAX },
	{ "too many limits", HEAD(rlimits.len), RLIM_NLIMITS + 1 },
	{ "too many rules", HEAD(rules.len), PLAN_RULES_MAX + 1 },
	{ "a long filter", HEAD(filter.len), 4097 },
	{ "unknown operation", MOUNT(0, op), PLAN_OP_MAX },
	{ "unknown flag", MOUNT(0, flags), 1 << 12 },
	{ "bad mode", MOUNT(0, mode), 010000 },
	{ "no source", MOUNT(0, src), 0 },
	{ "a source where none belongs", MOUNT(5, src), sizeof(struct plan) },
	{ "target outside", MOUNT(0, dst), UINT32_MAX },
	{ "no target", MOUNT(0, dst), 0 },
	{ "data over the end", MOUNT(1, data_len), UINT32_MAX },
	{ "data without a place", MOUNT(1, data), 0 },
	{ "link without a text", MOUNT(2, data), 0 },
	{ "link shorter than its text", MOUNT(2, data_len), 3 },
	{ "source outside of the box", MOUNT(0, flags), PLAN_SRC_HOST_ONLY },
};

static struct plan_mount *mount_of(struct buf *bytes, int i)
{
	struct plan *p = (struct plan *)(void *)bytes->data;

	return (struct plan_mount *)(void *)(bytes->data + p->mounts.off) + i;
}

Test(plan, hostile_numbers_are_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(hostiles); i++) {
		struct error err = ERROR_INIT;
		BUF_AUTO bytes = BUF_INIT;

		sample(&bytes);
		char *base = hostiles[i].mount < 0 ? bytes.data
						   : (char *)mount_of(&bytes, hostiles[i].mount);
		/* Little endian, as every machine that this runs on. */
		memcpy(base + hostiles[i].offset, &hostiles[i].value, hostiles[i].width);
		cr_expect_eq(plan_check(bytes.data, bytes.len, &err), -1, "%s", hostiles[i].name);
		cr_expect_eq(err.kind, ERR_CORRUPT, "%s", hostiles[i].name);
	}
}

Test(plan, hostile_paths_are_refused)
{
	static const char *const paths[] = { "/proc/..", "/../proc", "/proc/.", "//proc",
					     "/proc/",	 "proc/sys", "" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct error err = ERROR_INIT;
		BUF_AUTO bytes = BUF_INIT;

		sample(&bytes);
		memcpy(bytes.data + mount_of(&bytes, 6)->dst, paths[i], strlen(paths[i]) + 1);
		cr_expect_eq(plan_check(bytes.data, bytes.len, &err), -1, "%s", paths[i]);
	}
}

Test(plan, an_open_end_is_refused)
{
	struct error err = ERROR_INIT;
	BUF_AUTO bytes = BUF_INIT;

	sample(&bytes);
	bytes.data[bytes.len - 1] = 'x';
	cr_expect_eq(plan_check(bytes.data, bytes.len, &err), -1);
}

Test(plan, every_cut_is_refused)
{
	struct error err = ERROR_INIT;
	BUF_AUTO bytes = BUF_INIT;

	sample(&bytes);
	for (size_t len = 0; len < bytes.len; len++)
		cr_expect_eq(plan_check(bytes.data, len, &err), -1, "cut at %zu", len);
	cr_expect_eq(plan_check(bytes.data + 1, bytes.len - 1, &err), -1, "not aligned");
}

/* Whatever is accepted can be walked: the sanitizers see where not. */
Test(plan, what_is_accepted_stays_inside)
{
	BUF_AUTO bytes = BUF_INIT, copy = BUF_INIT, text = BUF_INIT;
	size_t accepted = 0;

	sample(&bytes);
	for (size_t at = 0; at < bytes.len; at++) {
		for (int bit = 0; bit < 8; bit++) {
			struct error err = ERROR_INIT;
			buf_reset(&copy);
			buf_add(&copy, bytes.data, bytes.len);
			copy.data[at] ^= (char)(1 << bit);
			if (plan_check(copy.data, copy.len, &err))
				continue;
			const struct plan *p = (const struct plan *)(const void *)copy.data;
			accepted++;
			buf_reset(&text);
			for (size_t i = 0; i < p->mounts.len; i++)
				plan_mount_text(p, &plan_mounts(p)[i], &text);
			cr_expect_lt(strlen(plan_str(p, p->cwd)), p->size);
		}
	}
	cr_assert_gt(accepted, 0);
}

#define TABLE_TOP "20 1 0:30 / / ro,nosuid,nodev - tmpfs none rw\n"
#define TABLE_USR "21 20 8:1 /usr /usr ro,nosuid,nodev,relatime shared:1 - ext4 /dev/a rw\n"
#define TABLE_SHM "22 20 0:31 / /dev/shm rw,nosuid,nodev - tmpfs none rw\n"
#define TABLE_WORK "23 20 8:1 /x\\040y /r rw,nosuid,nodev - ext4 /dev/a rw\n"
#define TABLE_PROC "24 20 0:32 / /proc rw,nosuid,nodev,noexec - proc none rw\n"
#define TABLE_SYS "25 24 0:32 /sys /proc/sys ro,nosuid,nodev - proc none rw\n"
#define TABLE_GOOD TABLE_TOP TABLE_USR TABLE_SHM TABLE_WORK TABLE_PROC TABLE_SYS

Test(plan, realised_mounts)
{
	static const struct {
		const char *table;
		bool same;
	} rows[] = {
		{ TABLE_GOOD, true },
		{ TABLE_TOP TABLE_USR TABLE_SHM TABLE_WORK TABLE_PROC, true }, /* optional */
		{ TABLE_GOOD "26 21 8:2 / /usr/local ro,nosuid,nodev - ext4 /dev/b rw\n", true },
		{ TABLE_GOOD "26 21 8:2 / /usr/local rw,nosuid,nodev - ext4 /dev/b rw\n", false },
		{ TABLE_GOOD "26 21 8:2 / /usr2 ro,nosuid,nodev - ext4 /dev/b rw\n", false },
		{ TABLE_GOOD "26 20 8:2 / /r/x\\040y rw,nosuid,nodev - ext4 /dev/b rw\n", false },
		{ "20 1 0:30 / / rw,nosuid,nodev - tmpfs none rw\n" TABLE_USR TABLE_SHM TABLE_WORK
			  TABLE_PROC,
		  false },
		{ TABLE_TOP TABLE_SHM TABLE_WORK TABLE_PROC, false }, /* no /usr */
		{ TABLE_GOOD "21 20 8:1 /usr /usr rw,nosuid,nodev - ext4 /dev/a rw\n", false },
		{ TABLE_GOOD "23 20 8:1 /x /r rw,nodev - ext4 /dev/a rw\n", false },  /* nosuid */
		{ TABLE_GOOD "23 20 8:1 /x /r rw,nosuid - ext4 /dev/a rw\n", false }, /* nodev */
		{ TABLE_GOOD "25 24 0:32 /sys /proc/sys rw,nosuid,nodev - proc none rw\n", false },
		{ TABLE_GOOD "garbage\n", false },
		{ "", false },
	};
	BUF_AUTO bytes = BUF_INIT;

	sample(&bytes);
	const struct plan *p = (const struct plan *)(const void *)bytes.data;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;
		cr_expect_eq(plan_compare(p, rows[i].table, &err), rows[i].same ? 0 : -1,
			     "row %zu: %s", i, err.msg);
	}
}
