#include "base/base.h"

#include "cli/msg.h"
#include "git-box/conflicts.h"

json_t *conflicts_json(const struct merge_result *m)
{
	json_t *out = json_array();

	for (size_t i = 0; i < m->len; i++) {
		json_t *conflict = json_object();

		json_object_set_new(conflict, "path", json_text(m->v[i].path.data));
		json_object_set_new(conflict, "kind", json_text(m->v[i].kind.data));
		json_array_append_new(out, conflict);
	}
	return out;
}

void conflicts_list(const struct merge_result *m)
{
	for (size_t i = 0; i < m->len; i++) {
		BUF_AUTO line = BUF_INIT;

		msg_clean(m->v[i].kind.data, m->v[i].kind.len, &line);
		buf_str(&line, ": ");
		msg_clean(m->v[i].path.data, m->v[i].path.len, &line);
		puts(line.data);
	}
}
