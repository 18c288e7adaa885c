#include "base/base.h"

#include "base/suggest.h"
#include "crypto/digest.h"
#include "policy/policy.h"
#include "wire/json.h"

#define POLICY_SCHEMA 1
#define POLICY_SIZE_MAX (1u << 20)
#define POLICY_NAME_MAX 64

const char *const tier_names[] = { "workspace", "process", "supervised",
				   "container", "microvm", NULL };

int tier_parse(const char *s, enum tier *out, struct error *err)
{
	for (int i = 0; tier_names[i]; i++) {
		if (strcmp(s, tier_names[i]) == 0) {
			*out = (enum tier)i;
			return 0;
		}
	}
	const char *near = suggest_nearest(s, tier_names);
	error_set(err, ERR_USAGE, "unknown isolation '%.64s'", s);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err,
			  "the tiers are workspace, process, supervised, container and microvm");
}

void policy_init(struct policy *p)
{
	*p = (struct policy){ .profile = BUF_INIT, .tier = TIER_PROCESS };
}

void policy_release(struct policy *p)
{
	buf_release(&p->profile);
	strv_release(&p->read);
	strv_release(&p->write);
	strv_release(&p->env);
	strv_release(&p->setenv);
	strv_release(&p->protect);
	strv_release(&p->path);
}

/* The two member tables: what is written is what is read, and nothing else is accepted. */
struct member {
	const char *key;
	size_t offset;
};

static const struct member lists[] = {
	{ "env", offsetof(struct policy, env) },
	{ "path", offsetof(struct policy, path) },
	{ "protect", offsetof(struct policy, protect) },
	{ "read", offsetof(struct policy, read) },
	{ "setenv", offsetof(struct policy, setenv) },
	{ "write", offsetof(struct policy, write) },
};

static const struct member numbers[] = {
	{ "cpu_ms", offsetof(struct policy, cpu_ms) },
	{ "file_size", offsetof(struct policy, file_size) },
	{ "memory", offsetof(struct policy, memory) },
	{ "processes", offsetof(struct policy, processes) },
	{ "wall_ms", offsetof(struct policy, wall_ms) },
};

#define KEYS_ALL (ARRAY_SIZE(lists) + ARRAY_SIZE(numbers) + 3) /* and profile, schema, tier */

static struct strv *list_of(struct policy *p, size_t i)
{
	return (struct strv *)(void *)((char *)p + lists[i].offset);
}

static uint64_t *number_of(struct policy *p, size_t i)
{
	return (uint64_t *)(void *)((char *)p + numbers[i].offset);
}

static const struct strv *list_at(const struct policy *p, size_t i)
{
	return (const struct strv *)(const void *)((const char *)p + lists[i].offset);
}

static uint64_t number_at(const struct policy *p, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)p + numbers[i].offset);
}

void policy_json(const struct policy *p, struct buf *out)
{
	JSON_AUTO *j = json_object();

	json_object_set_new(j, "schema", json_integer(POLICY_SCHEMA));
	json_object_set_new(j, "profile", json_text(p->profile.data));
	json_object_set_new(j, "tier", json_string(tier_names[p->tier]));
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		json_object_set_new(j, lists[i].key, json_pathv(list_at(p, i)));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		json_object_set_new(j, numbers[i].key, json_integer((json_int_t)number_at(p, i)));
	json_canonical(j, out);
}

static int read_members(const json_t *j, struct policy *p, struct error *err)
{
	const char *profile, *tier;
	uint64_t schema;

	if (json_u64(j, "schema", &schema, err) ||
	    json_str(j, "profile", POLICY_NAME_MAX, &profile, err) ||
	    json_str(j, "tier", POLICY_NAME_MAX, &tier, err))
		return -1;
	if (schema != POLICY_SCHEMA)
		return error_set(err, ERR_CORRUPT, "policy of an unknown schema (%llu)",
				 (unsigned long long)schema);
	struct error bad = ERROR_INIT;
	if (tier_parse(tier, &p->tier, &bad))
		return error_set(err, ERR_CORRUPT, "policy: %s", bad.msg);
	buf_str(&p->profile, profile);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (json_pathv_get(j, lists[i].key, list_of(p, i), err))
			return -1;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (json_u64(j, numbers[i].key, number_of(p, i), err))
			return -1;
	if (json_object_size(j) != KEYS_ALL)
		return error_set(err, ERR_CORRUPT, "policy with unknown members");
	return 0;
}

int policy_from_json(const char *text, size_t len, struct policy *out, struct error *err)
{
	struct policy p;
	JSON_AUTO *j = json_parse(text, len, POLICY_SIZE_MAX, err);

	if (!j)
		return -1;
	policy_init(&p);
	if (read_members(j, &p, err)) {
		policy_release(&p);
		return -1;
	}
	policy_release(out);
	*out = p;
	return 0;
}

void policy_digest(const struct policy *p, char dst[65])
{
	BUF_AUTO json = BUF_INIT;

	policy_json(p, &json);
	digest_hex(json.data, json.len, dst);
}
