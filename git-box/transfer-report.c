#include "base/base.h"

#include "git-box/transfer-report.h"

json_t *transfer_json(const struct box *b, const struct transfer_list *l)
{
	json_t *list = json_array();
	json_t *obj = json_object();

	for (size_t i = 0; i < l->len; i++) {
		const struct transfer_file *f = &l->v[i];
		json_t *file = json_object();

		json_object_set_new(file, "path", json_text(f->path.data));
		json_object_set_new(file, "file", json_text(f->outside.data));
		json_object_set_new(file, "bytes", json_integer((json_int_t)f->size));
		json_object_set_new(file, "mode", json_text(f->executable ? "100755" : "100644"));
		json_array_append_new(list, file);
	}
	json_object_set_new(obj, "box", json_text(b->m.name.data));
	json_object_set_new(obj, "files", list);
	return obj;
}

char *transfer_take_last(struct strv *words)
{
	char *last;

	if (words->len < 2)
		return NULL;
	last = words->v[--words->len];
	words->v[words->len] = NULL;
	return last;
}
