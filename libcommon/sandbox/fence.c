#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "sandbox/inside.h"
#include "sys/compat.h"
#include "sandbox/poison.h"

static int fail(struct fault *f, enum fault_step step, size_t index)
{
	f->step = (uint16_t)step;
	f->index = (uint16_t)index;
	f->sys = errno;
	return -1;
}

/* Below the host's procfs: our own is not there yet. */
static int write_self(int proc, const char *path, const char *text, size_t len)
{
	int fd = openat(proc, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, text, len);
	close(fd);
	return n == (ssize_t)len ? 0 : -1;
}

static size_t put_number(char *dst, uint32_t n)
{
	char digits[12];
	size_t len = 0;

	do {
		digits[len++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	for (size_t i = 0; i < len; i++)
		dst[i] = digits[len - 1 - i];
	return len;
}

/* "N N 1": the one id, the same inside and outside. */
static int identity_map(int proc, const char *path, uint32_t id)
{
	char line[32];
	size_t n = put_number(line, id);

	line[n++] = ' ';
	n += put_number(line + n, id);
	memcpy(line + n, " 1", 2);
	return write_self(proc, path, line, n + 2);
}

/*
 * Where the operator is root, init is host uid 0 and the payload another, so
 * the payload cannot even signal init. Dumpable again, since the change of ids
 * made our /proc files root's and the maps are written through them.
 */
static int drop_ids(const struct plan *p)
{
	if (geteuid() == p->uid)
		return 0;
	if (setgroups(0, NULL) || setresgid(p->gid, p->gid, p->gid) ||
	    setresuid(p->uid, p->uid, p->uid))
		return -1;
	return prctl(PR_SET_DUMPABLE, 1);
}

/*
 * The second user namespace: mounts, network and all other namespaces belong
 * to the first one, so nothing in here can change them, whatever capability it
 * might regain.
 */
static int enter_userns(const struct plan *p, int proc, struct fault *f)
{
	if (unshare(CLONE_NEWUSER))
		return fail(f, STEP_USERNS, 0);
	if (write_self(proc, "self/setgroups", "deny", 4) ||
	    identity_map(proc, "self/uid_map", p->uid) ||
	    identity_map(proc, "self/gid_map", p->gid))
		return fail(f, STEP_USERNS_MAP, 0);
	/*
	 * Where the host runs out of memory the kernel shall end a command of a box before
	 * anything of the operator's. Only a preference, so failure is none.
	 */
	(void)write_self(proc, "self/oom_score_adj", "500", 3);
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 }, { 0 } };

	/* EINVAL ends the list of capabilities that this kernel knows. */
	for (unsigned long cap = 0; !prctl(PR_CAPBSET_DROP, cap); cap++)
		;
	if (errno != EINVAL)
		return -1;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_capset, &head, none);
}

static int set_rlimits(const struct plan *p, struct fault *f)
{
	const struct plan_rlimit *r = plan_rlimits(p);

	for (size_t i = 0; i < p->rlimits.len; i++) {
		struct rlimit old, want = { .rlim_cur = r[i].value, .rlim_max = r[i].value };
		if (getrlimit((int)r[i].resource, &old))
			return fail(f, STEP_RLIMIT, i);
		/* We may only lower; a lower limit of the operator's holds as well. */
		if (want.rlim_max > old.rlim_max)
			want.rlim_cur = want.rlim_max = old.rlim_max;
		if (setrlimit((int)r[i].resource, &want))
			return fail(f, STEP_RLIMIT, i);
	}
	return 0;
}

static int add_rule(int ruleset, const struct plan *p, const struct plan_rule *rule)
{
	int fd = open(plan_str(p, rule->path), O_PATH | O_CLOEXEC);
	if (fd < 0)
		return rule->optional && errno == ENOENT ? 0 : -1;
	struct compat_landlock_path_beneath attr = { .allowed_access = rule->access,
						     .parent_fd = fd };
	int r = (int)syscall(COMPAT_SYS_landlock_add_rule, ruleset,
			     COMPAT_LANDLOCK_RULE_PATH_BENEATH, &attr, 0);
	close(fd);
	return r;
}

static int landlock(const struct plan *p, struct fault *f)
{
	struct compat_landlock_ruleset attr = { .handled_access_fs = p->landlock_fs,
						.scoped = p->landlock_scope };
	/* Kernels before the scopes know only the first members. */
	size_t size = p->landlock_scope ? sizeof(attr) : sizeof(attr.handled_access_fs);
	int ruleset = (int)syscall(COMPAT_SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return fail(f, STEP_LANDLOCK, 0);
	const struct plan_rule *rules = plan_rules(p);
	for (size_t i = 0; i < p->rules.len; i++)
		if (add_rule(ruleset, p, &rules[i]))
			return fail(f, STEP_LANDLOCK_RULE, i);
	if (syscall(COMPAT_SYS_landlock_restrict_self, ruleset, 0))
		return fail(f, STEP_LANDLOCK, 1);
	close(ruleset);
	return 0;
}

static int load_filter(const struct plan *p)
{
	/* The kernel only reads it. */
	struct sock_fprog prog = { .len = (unsigned short)p->filter.len,
				   .filter = (struct sock_filter *)(uintptr_t)plan_prog(p) };

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

int inside_fence_early(const struct plan *p, int proc, struct fault *f)
{
	if (drop_ids(p))
		return fail(f, STEP_IDS, 0);
	if (enter_userns(p, proc, f))
		return -1;
	if (drop_capabilities())
		return fail(f, STEP_CAPS, 0);
	if (set_rlimits(p, f))
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return fail(f, STEP_NO_NEW_PRIVS, 0);
	if (load_filter(p))
		return fail(f, STEP_SECCOMP, 0);
	/* init joins our network yet, and must be let in. */
	return prctl(PR_SET_DUMPABLE, 1) ? fail(f, STEP_CAPS, 1) : 0;
}

int inside_fence_late(const struct plan *p, struct fault *f)
{
	if (prctl(PR_SET_DUMPABLE, 0))
		return fail(f, STEP_CAPS, 2);
	return p->bits & PLAN_LANDLOCK ? landlock(p, f) : 0;
}
