#include "base/base.h"

#include "git-box/status.h"
#include "sandbox/probe.h"

#define STATUS_SCHEMA 1
#define PLAN_SCHEMA 1

static json_t *texts(const struct strv *list)
{
	json_t *out = json_array();

	for (size_t i = 0; i < list->len; i++)
		json_array_append_new(out, json_text(list->v[i]));
	return out;
}

static json_t *namespaces(const struct plan *p)
{
	static const char *const always[] = { "user", "mount", "pid", "ipc", "uts" };
	json_t *out = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		json_array_append_new(out, json_text(always[i]));
	if (p->bits & PLAN_NET_OWN)
		json_array_append_new(out, json_text("net"));
	if (p->bits & PLAN_CGROUP_NS)
		json_array_append_new(out, json_text("cgroup"));
	return out;
}

static json_t *mechanisms(const struct status *s)
{
	const struct plan *p = status_plan(s);
	json_t *out = json_object();

	json_object_set_new(out, "namespaces", namespaces(p));
	json_object_set_new(out, "second_user_namespace", json_true());
	json_object_set_new(out, "landlock_abi",
			    json_integer(p->bits & PLAN_LANDLOCK ? probe_landlock_abi() : 0));
	json_object_set_new(out, "seccomp_instructions", json_integer(p->filter.len));
	json_object_set_new(out, "read_only_root", json_boolean(p->bits & PLAN_ROOT_RO));
	json_object_set_new(out, "uid", json_integer(p->uid));
	json_object_set_new(out, "gid", json_integer(p->gid));
	return out;
}

static json_t *limits(const struct status *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < STATUS_LIMITS; i++) {
		const struct status_limit *l = &s->limits[i];
		json_t *obj = json_object();

		json_object_set_new(obj, "name", json_text(l->name));
		json_object_set_new(obj, "value",
				    l->value ? json_integer((json_int_t)l->value) : json_null());
		json_object_set_new(obj, "held", json_text(status_how(l)));
		json_object_set_new(obj, "by", json_text(l->detail));
		json_array_append_new(list, obj);
	}
	return list;
}

static json_t *sizes(const struct status *s)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < STATUS_SIZES; i++) {
		const struct status_size *size = &s->sizes[i];

		json_object_set_new(obj, size->dir,
				    size->known ? json_integer((json_int_t)size->bytes)
						: json_null());
	}
	return obj;
}

void status_answer(const struct status *s)
{
	JSON_AUTO *answer = describe_json(&s->box, &s->drift, &s->live);
	bool own_net = s->confined && (status_plan(s)->bits & PLAN_NET_OWN);

	json_object_set_new(answer, "confined", json_boolean(s->confined));
	json_object_set_new(answer, "plan_digest",
			    s->confined ? json_text(s->plan_digest) : json_null());
	json_object_set_new(answer, "mechanisms", s->confined ? mechanisms(s) : json_null());
	json_object_set_new(answer, "network", json_text(own_net ? "none" : "host"));
	json_object_set_new(answer, "readable", texts(&s->readable));
	json_object_set_new(answer, "writable", texts(&s->writable));
	json_object_set_new(answer, "protected", texts(&s->protected));
	json_object_set_new(answer, "variables", texts(&s->env));
	json_object_set_new(answer, "submodules", json_pathv(&s->box.m.submodules));
	json_object_set_new(answer, "limits", limits(s));
	json_object_set_new(answer, "sizes", sizes(s));
	json_answer(answer, STATUS_SCHEMA);
}

static json_t *mounts(const struct plan *p)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < p->mounts.len; i++) {
		BUF_AUTO text = BUF_INIT;

		plan_mount_text(p, &plan_mounts(p)[i], &text);
		json_array_append_new(list, json_text(text.data));
	}
	return list;
}

static json_t *rlimits(const struct plan *p)
{
	json_t *obj = json_object();

	for (uint32_t i = 0; i < p->rlimits.len; i++) {
		BUF_AUTO name = BUF_INIT;

		status_rlimit_text(&plan_rlimits(p)[i], &name);
		json_object_set_new(obj, name.data,
				    json_integer((json_int_t)plan_rlimits(p)[i].value));
	}
	return obj;
}

static json_t *rules(const struct plan *p)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < p->rules.len; i++) {
		json_t *obj = json_object();

		json_object_set_new(obj, "path", json_text(plan_str(p, plan_rules(p)[i].path)));
		json_object_set_new(obj, "access",
				    json_integer((json_int_t)plan_rules(p)[i].access));
		json_array_append_new(list, obj);
	}
	return list;
}

void status_answer_plan(const struct status *s)
{
	const struct plan *p = status_plan(s);
	JSON_AUTO *answer = json_object();

	json_object_set_new(answer, "digest", json_text(s->plan_digest));
	json_object_set_new(answer, "mounts", mounts(p));
	json_object_set_new(answer, "rlimits", rlimits(p));
	json_object_set_new(answer, "landlock", rules(p));
	json_object_set_new(answer, "seccomp_instructions", json_integer(p->filter.len));
	json_answer(answer, PLAN_SCHEMA);
}
