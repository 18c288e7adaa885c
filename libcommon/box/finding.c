#include "base/base.h"

#include "box/finding.h"
#include "cli/msg.h"
#include "wire/json.h"

#define NAMED_MAX 5 /* findings that an error names */

void finding_text(const struct gate_finding *f, struct buf *out)
{
	msg_clean(f->path.data, f->path.len, out);
	if (f->path.len)
		buf_str(out, ": ");
	msg_clean(f->detail.data, f->detail.len, out);
	buf_fmt(out, " (%s)", f->rule);
}

json_t *finding_json(const struct gate_finding *f)
{
	json_t *j = json_object();

	json_object_set_new(j, "severity",
			    json_text(f->severity == GATE_REFUSED ? "refused" : "flagged"));
	json_object_set_new(j, "rule", json_text(f->rule));
	json_object_set_new(j, "path", json_text(f->path.data));
	json_object_set_new(j, "detail", json_text(f->detail.data));
	return j;
}

json_t *finding_report_json(const struct gate_report *r)
{
	json_t *j = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < r->len; i++)
		json_array_append_new(list, finding_json(&r->v[i]));
	json_object_set_new(j, "refused", json_integer((json_int_t)r->refused));
	json_object_set_new(j, "flagged", json_integer((json_int_t)r->flagged));
	json_object_set_new(j, "findings", list);
	return j;
}

int finding_verdict(const struct gate_report *r, const char *what, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	if (!r->refused)
		return 0;
	for (size_t i = 0; i < r->refused && i < NAMED_MAX; i++) {
		buf_str(&text, i ? ", " : "");
		finding_text(&r->v[i], &text);
	}
	if (r->refused > NAMED_MAX)
		buf_fmt(&text, " and %zu more", r->refused - NAMED_MAX);
	error_set(err, ERR_REFUSED, "the work of %s is refused: %s", what, text.data);
	return error_hint(err, "correct it in the box and try again");
}
