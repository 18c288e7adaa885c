#include "base/base.h"

#include "base/exit.h"
#include "box/finding.h"
#include "box/propose.h"
#include "cli/msg.h"
#include "git-box/intake-report.h"
#include "git-box/proposal.h"

int proposal_ensure(const struct app *app, const struct repo *repo, struct box *b)
{
	const struct propose_request req = { .repo = repo, .name = b->m.name.data };
	struct error err = ERROR_INIT;
	struct propose_result r;
	int code = EXIT_OK;

	if (b->m.proposal.len)
		return EXIT_OK;
	propose_result_init(&r);
	if (box_propose(&req, &r, &err) < 0) {
		code = intake_fail(app, &r.intake, &err);
	} else if (r.outcome == PROPOSE_REFUSED) {
		code = intake_refused(app, &r.intake, b->m.name.data);
	} else if (r.outcome == PROPOSE_NOTHING) {
		msg_note(app, "box '%s' has changed nothing: its files are those of its base",
			 b->m.name.data);
		code = EXIT_NO;
	} else {
		intake_notes(app, &r.intake);
		msg_note(app, "proposed box '%s' as %.12s first", b->m.name.data,
			 r.box.m.proposal.data);
	}
	propose_result_release(&r);
	return code;
}

json_t *proposal_flags_json(const struct proposed *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->report.len; i++)
		json_array_append_new(list, finding_json(&p->report.v[i]));
	return list;
}

void proposal_counts_json(const struct proposed *p, json_t *obj)
{
	json_object_set_new(obj, "proposal", json_text(p->commit.data));
	json_object_set_new(obj, "tree", json_text(p->tree.data));
	json_object_set_new(obj, "files_changed", json_integer((json_int_t)p->files.len));
	json_object_set_new(obj, "insertions", json_integer((json_int_t)p->files.added));
	json_object_set_new(obj, "deletions", json_integer((json_int_t)p->files.deleted));
	json_object_set_new(obj, "flagged", json_integer((json_int_t)p->report.flagged));
}
