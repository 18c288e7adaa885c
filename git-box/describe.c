#include "base/base.h"

#include "base/clock.h"
#include "git-box/describe.h"

#define SHORT_OID 12
#define LABEL_SHOWN 40

const char *describe_state(const struct box *b, const struct session_list *live)
{
	return live->len > 0 ? "running" : box_state_names[b->m.state];
}

void describe_base(const struct box *b, struct buf *out)
{
	buf_fmt(out, "%.*s ", SHORT_OID, b->m.base_commit.data);
	if (b->m.base_branch.len > 0)
		buf_str(out, b->m.base_branch.data);
	else
		buf_str(out, "(detached)");
}

void describe_live(const struct session_list *live, struct buf *out)
{
	for (size_t i = 0; i < live->len; i++) {
		const char *label = live->v[i].label.data;

		buf_fmt(out, "%s%.*s%s", i > 0 ? ", " : "", LABEL_SHOWN, label,
			strlen(label) > LABEL_SHOWN ? "..." : "");
	}
	if (live->len == 0)
		buf_char(out, '-');
}

static json_t *time_json(int64_t us)
{
	char text[CLOCK_TEXT_MAX];

	clock_text(us, text);
	return json_text(text);
}

static json_t *base_json(const struct box *b)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "commit", json_text(b->m.base_commit.data));
	json_object_set_new(obj, "tree", json_text(b->m.base_tree.data));
	json_object_set_new(obj, "branch",
			    b->m.base_branch.len > 0 ? json_text(b->m.base_branch.data)
						     : json_null());
	return obj;
}

static json_t *drift_json(const struct drift *d)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "state", json_text(drift_word(d->state)));
	json_object_set_new(obj, "behind", json_integer((json_int_t)d->behind));
	json_object_set_new(obj, "ahead", json_integer((json_int_t)d->ahead));
	return obj;
}

static json_t *live_json(const struct session_list *live)
{
	json_t *list = json_array();

	for (size_t i = 0; i < live->len; i++) {
		json_t *obj = json_object();

		json_object_set_new(obj, "id", json_text(live->v[i].id));
		json_object_set_new(obj, "command", json_text(live->v[i].label.data));
		json_object_set_new(obj, "started", time_json(live->v[i].started_us));
		json_array_append_new(list, obj);
	}
	return list;
}

json_t *describe_json(const struct box *b, const struct drift *d, const struct session_list *live)
{
	json_t *obj = json_object();
	BUF_AUTO path = BUF_INIT;

	json_object_set_new(obj, "name", json_text(b->m.name.data));
	json_object_set_new(obj, "id", json_text(b->m.id));
	json_object_set_new(obj, "state", json_text(describe_state(b, live)));
	json_object_set_new(obj, "proposal",
			    b->m.proposal.len > 0 ? json_text(b->m.proposal.data) : json_null());
	json_object_set_new(obj, "tier", json_text(tier_names[b->m.tier]));
	json_object_set_new(obj, "profile", json_text(b->m.profile.data));
	json_object_set_new(obj, "policy_digest", json_text(b->m.policy_digest));
	json_object_set_new(obj, "base", base_json(b));
	json_object_set_new(obj, "drift", drift_json(d));
	json_object_set_new(obj, "live", live_json(live));
	json_object_set_new(obj, "created", time_json(b->m.created_us));
	buf_fmt(&path, "%s/work", b->path.data);
	json_object_set_new(obj, "path", json_text(path.data));
	return obj;
}
