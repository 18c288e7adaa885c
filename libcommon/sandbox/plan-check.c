#include "base/base.h"

#include <sys/resource.h>

#include "sandbox/plan.h"

#define FLAGS_ALL (PLAN_RO | PLAN_NOEXEC | PLAN_REC | PLAN_OPTIONAL | PLAN_DEV | PLAN_SRC_HOST_ONLY)
#define BITS_ALL (PLAN_NET_OWN | PLAN_LANDLOCK | PLAN_ROOT_RO | PLAN_CGROUP_NS)
#define FILTER_MAX 4096 /* BPF_MAXINSNS */

static bool array_fits(const struct plan *p, struct plan_array a, size_t size, size_t max)
{
	if (a.off < sizeof(*p) || a.off % 8 || a.off > p->size || a.len > max)
		return false;
	return a.len <= (p->size - a.off) / size;
}

/* The last byte of a checked plan is a NUL, so every offset inside it names a string that ends. */
static bool string_fits(const struct plan *p, uint32_t off)
{
	return off >= sizeof(*p) && off < p->size;
}

/* "/a/b" without empty, "." and ".." components; "/" itself. */
static bool path_clean(const char *s)
{
	if (s[0] != '/')
		return false;
	if (!s[1])
		return true;
	while (*s) {
		const char *name = s + 1;
		size_t n = strcspn(name, "/");
		bool dots = n <= 2 && strncmp(name, "..", n) == 0;
		if (n > 255 || dots)
			return false;
		s = name + n;
	}
	return true;
}

static bool path_fits(const struct plan *p, uint32_t off)
{
	return string_fits(p, off) && path_clean(plan_str(p, off));
}

static bool wants_src(uint16_t op)
{
	return op == PLAN_BIND || op == PLAN_OVERLAY;
}

static bool data_fits(const struct plan *p, const struct plan_mount *m)
{
	bool text = m->op == PLAN_SYMLINK || m->op == PLAN_TMPFS || m->op == PLAN_PROC;

	if (!m->data)
		return (!text || m->op == PLAN_PROC) && m->data_len == 0;
	if (!string_fits(p, m->data) || m->data_len >= p->size - m->data)
		return false;
	return !text || (m->data_len && strlen(plan_str(p, m->data)) == m->data_len);
}

/* A source below the box directory must really have it as its beginning. */
static bool below_box(const struct plan *p, const char *src)
{
	const char *root = plan_str(p, p->box_root);
	size_t n = strlen(root);

	return n && strncmp(src, root, n) == 0 && src[n] == '/';
}

static bool mount_ok(const struct plan *p, const struct plan_mount *m)
{
	if (m->op >= PLAN_OP_MAX || m->flags & ~FLAGS_ALL || m->mode & ~07777u)
		return false;
	if (!path_fits(p, m->dst) || !data_fits(p, m))
		return false;
	if (!wants_src(m->op))
		return m->src == 0 && !(m->flags & PLAN_SRC_HOST_ONLY);
	if (!path_fits(p, m->src))
		return false;
	return !(m->flags & PLAN_SRC_HOST_ONLY) || below_box(p, plan_str(p, m->src));
}

static bool head_ok(const struct plan *p)
{
	if (p->bits & ~BITS_ALL || p->uid == 0 || p->uid == UINT32_MAX || p->gid == UINT32_MAX)
		return false;
	if (p->hostname && !string_fits(p, p->hostname))
		return false;
	if (p->box_root && !path_fits(p, p->box_root))
		return false;
	return path_fits(p, p->cwd);
}

static bool arrays_ok(const struct plan *p)
{
	return array_fits(p, p->mounts, sizeof(struct plan_mount), PLAN_MOUNTS_MAX) &&
	       array_fits(p, p->rlimits, sizeof(struct plan_rlimit), RLIM_NLIMITS) &&
	       array_fits(p, p->rules, sizeof(struct plan_rule), PLAN_RULES_MAX) &&
	       array_fits(p, p->filter, sizeof(struct sock_filter), FILTER_MAX);
}

static bool bytes_ok(const void *data, size_t size)
{
	const struct plan *p = data;

	if ((uintptr_t)data % _Alignof(struct plan) || size < sizeof(*p) || size > PLAN_SIZE_MAX)
		return false;
	return p->magic == PLAN_MAGIC && p->size == size && ((const char *)data)[size - 1] == '\0';
}

int plan_check(const void *data, size_t size, struct error *err)
{
	const struct plan *p = data;

	if (!bytes_ok(data, size))
		return error_set(err, ERR_CORRUPT, "these bytes are not a plan");
	if (!head_ok(p) || !arrays_ok(p))
		return error_set(err, ERR_CORRUPT, "the plan's head is damaged");
	for (size_t i = 0; i < p->mounts.len; i++)
		if (!mount_ok(p, &plan_mounts(p)[i]))
			return error_set(err, ERR_CORRUPT, "mount %zu of the plan is damaged", i);
	for (size_t i = 0; i < p->rlimits.len; i++)
		if (plan_rlimits(p)[i].resource >= RLIM_NLIMITS)
			return error_set(err, ERR_CORRUPT, "limit %zu of the plan is damaged", i);
	for (size_t i = 0; i < p->rules.len; i++)
		if (!path_fits(p, plan_rules(p)[i].path))
			return error_set(err, ERR_CORRUPT, "rule %zu of the plan is damaged", i);
	return 0;
}
