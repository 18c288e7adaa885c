#include "base/base.h"

#include "base/alloc.h"
#include "sandbox/plan.h"

void plan_begin(struct plan_builder *b)
{
	*b = (struct plan_builder){
		.mounts = BUF_INIT,
		.rlimits = BUF_INIT,
		.rules = BUF_INIT,
		.filter = BUF_INIT,
		.strings = BUF_INIT,
	};
	b->head.magic = PLAN_MAGIC;
}

void plan_release(struct plan_builder *b)
{
	buf_release(&b->mounts);
	buf_release(&b->rlimits);
	buf_release(&b->rules);
	buf_release(&b->filter);
	buf_release(&b->strings);
}

/*
 * Appends len bytes and a NUL to the strings. While building, a string is named by its place there
 * plus one.
 */
static uint32_t intern(struct plan_builder *b, const void *data, size_t len)
{
	size_t at = b->strings.len;

	buf_add(&b->strings, data, len);
	buf_char(&b->strings, '\0');
	return (uint32_t)at + 1;
}

uint32_t plan_string(struct plan_builder *b, const char *s)
{
	return intern(b, s, strlen(s));
}

void plan_mount(struct plan_builder *b, const struct plan_step *step)
{
	struct plan_mount m = {
		.op = (uint16_t)step->op,
		.flags = (uint16_t)step->flags,
		.mode = step->mode,
		.src = step->src ? plan_string(b, step->src) : 0,
		.dst = plan_string(b, step->dst),
		.data = step->data ? intern(b, step->data, step->data_len) : 0,
		.data_len = step->data ? (uint32_t)step->data_len : 0,
	};

	buf_add(&b->mounts, &m, sizeof(m));
}

void plan_rlimit(struct plan_builder *b, uint32_t resource, uint64_t value)
{
	struct plan_rlimit r = { .resource = resource, .value = value };

	buf_add(&b->rlimits, &r, sizeof(r));
}

void plan_rule(struct plan_builder *b, uint64_t access, const char *path, bool optional)
{
	struct plan_rule r = { .access = access,
			       .path = plan_string(b, path),
			       .optional = optional };

	buf_add(&b->rules, &r, sizeof(r));
}

void plan_filter(struct plan_builder *b, const struct sock_filter *prog, size_t len)
{
	buf_add(&b->filter, prog, size_mul(len, sizeof(*prog)));
}

/* A string's final offset; strings start at base. */
static uint32_t moved(uint32_t handle, uint32_t base)
{
	return handle ? handle - 1 + base : 0;
}

/* Appends one array, filled with zeros to the next multiple of 8, and says where it is. */
static struct plan_array put_array(struct buf *out, const struct buf *from, size_t size)
{
	struct plan_array a = { .off = (uint32_t)out->len, .len = (uint32_t)(from->len / size) };

	buf_add(out, from->data, from->len);
	buf_pad(out, '\0', -from->len % 8);
	return a;
}

static uint32_t padded(size_t len)
{
	return (uint32_t)((len + 7) & ~(size_t)7);
}

static void move_strings(struct plan_builder *b, uint32_t base)
{
	struct plan_mount *m = (struct plan_mount *)(void *)b->mounts.data;
	struct plan_rule *r = (struct plan_rule *)(void *)b->rules.data;

	for (size_t i = 0; i < b->mounts.len / sizeof(*m); i++) {
		m[i].src = moved(m[i].src, base);
		m[i].dst = moved(m[i].dst, base);
		m[i].data = moved(m[i].data, base);
	}
	for (size_t i = 0; i < b->rules.len / sizeof(*r); i++)
		r[i].path = moved(r[i].path, base);
	b->head.hostname = moved(b->head.hostname, base);
	b->head.box_root = moved(b->head.box_root, base);
	b->head.cwd = moved(b->head.cwd, base);
}

void plan_finish(struct plan_builder *b, struct buf *out)
{
	struct plan *head = &b->head;

	/* The last byte of a plan is a NUL: so no string in it can run over its end. */
	if (!b->strings.len)
		buf_char(&b->strings, '\0');
	uint32_t base = (uint32_t)sizeof(*head) + padded(b->rlimits.len) + padded(b->rules.len) +
			padded(b->mounts.len) + padded(b->filter.len);
	move_strings(b, base);

	buf_pad(out, '\0', sizeof(*head));
	head->rlimits = put_array(out, &b->rlimits, sizeof(struct plan_rlimit));
	head->rules = put_array(out, &b->rules, sizeof(struct plan_rule));
	head->mounts = put_array(out, &b->mounts, sizeof(struct plan_mount));
	head->filter = put_array(out, &b->filter, sizeof(struct sock_filter));
	buf_add(out, b->strings.data, b->strings.len);
	head->size = (uint32_t)out->len;
	memcpy(out->data, head, sizeof(*head));
}

const char *plan_str(const struct plan *p, uint32_t off)
{
	return off ? (const char *)p + off : "";
}

static const void *at(const struct plan *p, struct plan_array a)
{
	return (const char *)p + a.off;
}

const struct plan_mount *plan_mounts(const struct plan *p)
{
	return at(p, p->mounts);
}

const struct plan_rlimit *plan_rlimits(const struct plan *p)
{
	return at(p, p->rlimits);
}

const struct plan_rule *plan_rules(const struct plan *p)
{
	return at(p, p->rules);
}

const struct sock_filter *plan_prog(const struct plan *p)
{
	return at(p, p->filter);
}
