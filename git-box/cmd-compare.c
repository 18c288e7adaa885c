#include "base/base.h"

#include "base/exit.h"
#include "box/compare.h"
#include "cli/msg.h"
#include "cli/table.h"
#include "git-box/proposal.h"
#include "git-box/verbs.h"

#define COMPARE_SCHEMA 1

struct compare_opts {
	bool json;
	struct strv names;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "json", struct compare_opts, json, "print JSON"),
	ARG_MANY("NAME", struct compare_opts, names, COMPLETE_BOX, "the boxes, two or more"),
	OPT_END,
};

static void print_boxes(const struct app *app, const struct compare *c)
{
	static const char *const head[] = {
		"BOX", "BASE", "PROPOSAL", "FILES", "+", "-", "FLAGGED"
	};
	struct table t = { .head = head, .columns = ARRAY_SIZE(head), .cells = STRV_INIT };

	for (size_t i = 0; i < c->len; i++) {
		const struct compare_box *b = &c->v[i];
		const struct proposed *p = &b->proposed;
		STRV_AUTO row = STRV_INIT;

		strv_add(&row, b->box.m.name.data);
		strv_addf(&row, "%.12s %s", b->box.m.base_commit.data,
			  b->box.m.base_branch.len ? b->box.m.base_branch.data : "(detached)");
		strv_addf(&row, "%.12s", p->commit.data);
		strv_addf(&row, "%zu", p->files.len);
		strv_addf(&row, "+%llu", (unsigned long long)p->files.added);
		strv_addf(&row, "-%llu", (unsigned long long)p->files.deleted);
		strv_addf(&row, "%zu", p->report.flagged);
		table_row(&t, strv_argv(&row));
	}
	table_print(app, &t);
	table_release(&t);
}

static void join(const struct strv *list, struct buf *out)
{
	for (size_t i = 0; i < list->len; i++) {
		buf_str(out, i ? ", " : "");
		msg_clean(list->v[i], strlen(list->v[i]), out);
	}
}

static void print_overlaps(const struct app *app, const struct compare *c)
{
	static const char *const head[] = { "CHANGED BY MORE THAN ONE", "BOXES" };
	struct table t = { .head = head, .columns = ARRAY_SIZE(head), .cells = STRV_INIT };

	for (size_t i = 0; i < c->overlaps_len; i++) {
		BUF_AUTO boxes = BUF_INIT;

		join(&c->overlaps[i].boxes, &boxes);
		table_row(&t, (const char *const[]){ c->overlaps[i].path.data, boxes.data });
	}
	if (c->overlaps_len) {
		puts("");
		table_print(app, &t);
	}
	table_release(&t);
}

static void print_pairs(const struct compare *c)
{
	puts("");
	for (size_t i = 0; i < c->pairs_len; i++) {
		const struct compare_pair *p = &c->pairs[i];
		BUF_AUTO paths = BUF_INIT;

		join(&p->conflicts, &paths);
		printf("%s and %s %s%s\n", c->v[p->a].box.m.name.data, c->v[p->b].box.m.name.data,
		       p->conflicts.len ? "conflict in " : "merge without conflicts", paths.data);
	}
}

static json_t *texts(const struct strv *list)
{
	json_t *out = json_array();

	for (size_t i = 0; i < list->len; i++)
		json_array_append_new(out, json_text(list->v[i]));
	return out;
}

static json_t *box_json(const struct compare_box *b)
{
	const struct manifest *m = &b->box.m;
	json_t *obj = json_object();

	json_object_set_new(obj, "name", json_text(m->name.data));
	json_object_set_new(obj, "id", json_text(m->id));
	json_object_set_new(obj, "state", json_text(box_state_names[m->state]));
	json_object_set_new(obj, "base_commit", json_text(m->base_commit.data));
	json_object_set_new(obj, "base_branch",
			    m->base_branch.len ? json_text(m->base_branch.data) : json_null());
	proposal_counts_json(&b->proposed, obj);
	return obj;
}

static void answer_json(const struct compare *c)
{
	JSON_AUTO *j = json_object();
	json_t *boxes = json_array(), *overlaps = json_array(), *pairs = json_array();

	for (size_t i = 0; i < c->len; i++)
		json_array_append_new(boxes, box_json(&c->v[i]));
	for (size_t i = 0; i < c->overlaps_len; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "path", json_text(c->overlaps[i].path.data));
		json_object_set_new(o, "boxes", texts(&c->overlaps[i].boxes));
		json_array_append_new(overlaps, o);
	}
	for (size_t i = 0; i < c->pairs_len; i++) {
		const struct compare_pair *p = &c->pairs[i];
		json_t *o = json_object();

		json_object_set_new(o, "a", json_text(c->v[p->a].box.m.name.data));
		json_object_set_new(o, "b", json_text(c->v[p->b].box.m.name.data));
		json_object_set_new(o, "conflicts", texts(&p->conflicts));
		json_array_append_new(pairs, o);
	}
	json_object_set_new(j, "boxes", boxes);
	json_object_set_new(j, "bases_differ", json_boolean(c->bases_differ));
	json_object_set_new(j, "overlaps", overlaps);
	json_object_set_new(j, "pairs", pairs);
	json_answer(j, COMPARE_SCHEMA);
}

static int run(struct app *app, void *opts_void)
{
	const struct compare_opts *o = opts_void;
	COMPARE_AUTO c = COMPARE_INIT;
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;

	if (repo_discover(&repo, &err) < 0 ||
	    box_compare(&repo, strv_argv(&o->names), &c, &err) < 0)
		return msg_fail(app, &err);
	if (c.bases_differ)
		msg_warning(app, "the boxes were made from different commits: what differs is not "
				 "all their work");
	if (o->json) {
		answer_json(&c);
		return EXIT_OK;
	}
	print_boxes(app, &c);
	print_overlaps(app, &c);
	print_pairs(&c);
	return EXIT_OK;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "compare what boxes propose",
	.description =
		"For each box the commit from which it was made and how much its proposal changes; "
		"then the files that more than one of them changes; then, for every two, "
		"whether they merge and which files conflict where they do not. Nothing is "
		"merged.",
	.examples = "$ git box compare login-a login-b login-c",
	.opts = opts,
	.opts_size = sizeof(struct compare_opts),
	.run = run,
};
