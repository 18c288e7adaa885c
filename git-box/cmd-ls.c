#include "base/base.h"

#include "base/alloc.h"
#include "cli/msg.h"
#include "cli/table.h"
#include "git-box/describe.h"
#include "git-box/verbs.h"

#define LS_SCHEMA 1

struct ls_opts {
	bool quiet;
	bool json;
};

static const struct opt opts[] = {
	OPT_FLAG('q', "quiet", struct ls_opts, quiet, "print names only"),
	OPT_FLAG(0, "json", struct ls_opts, json, "print JSON"),
	OPT_END,
};

/* What there is to say of every box, in the order of the list. */
struct listing {
	struct box_root root;
	struct box_list boxes;
	struct drift *drifts; /* of the boxes that are not broken; the others UNKNOWN */
	struct session_list *live;
	struct strv names; /* of broken boxes from the index; else the manifest's */
};

static void listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->boxes.len; i++)
		session_list_release(&l->live[i]);
	free(l->live);
	free(l->drifts);
	strv_release(&l->names);
	box_list_release(&l->boxes);
	box_root_release(&l->root);
}

static bool is_broken(const struct listing *l, size_t i)
{
	return l->boxes.v[i].err.kind != ERR_NONE;
}

/* A broken box is still known by the name that stands for its id. */
static void add_name(struct listing *l, size_t i)
{
	struct error ignored = ERROR_INIT;
	STRV_AUTO names = STRV_INIT;
	const char *name = l->boxes.v[i].id;
	char id[BOX_ID_LEN + 1];

	if (!is_broken(l, i)) {
		strv_add(&l->names, l->boxes.v[i].box.m.name.data);
		return;
	}
	box_names(&l->root, &names, &ignored);
	for (size_t k = 0; k < names.len; k++) {
		if (box_name_id(&l->root, names.v[k], id, &ignored) == 0 &&
		    strcmp(id, l->boxes.v[i].id) == 0)
			name = names.v[k];
	}
	strv_add(&l->names, name);
}

static void find_drifts(const struct repo *repo, struct listing *l)
{
	const struct box **sound = xcalloc(l->boxes.len + 1, sizeof(*sound));
	size_t n = 0;

	/* Broken ones are last in a list. */
	for (; n < l->boxes.len && !is_broken(l, n); n++)
		sound[n] = &l->boxes.v[n].box;
	drift_find(repo, sound, n, l->drifts);
	free(sound);
}

static int fill(const struct repo *repo, const struct ls_opts *o, struct listing *l,
		struct error *err)
{
	if (box_list(&l->root, &l->boxes, err) < 0)
		return -1;
	l->drifts = xcalloc(l->boxes.len + 1, sizeof(*l->drifts));
	l->live = xcalloc(l->boxes.len + 1, sizeof(*l->live));
	for (size_t i = 0; i < l->boxes.len; i++) {
		add_name(l, i);
		if (!is_broken(l, i) && session_list(l->boxes.v[i].box.fd, &l->live[i], err) < 0)
			return -1;
	}
	if (!o->quiet)
		find_drifts(repo, l);
	return 0;
}

static void print_names(const struct listing *l)
{
	for (size_t i = 0; i < l->names.len; i++)
		puts(l->names.v[i]);
}

static void add_row(struct table *t, const struct listing *l, size_t i)
{
	const struct box *b = &l->boxes.v[i].box;
	BUF_AUTO base = BUF_INIT;
	BUF_AUTO drift = BUF_INIT;
	BUF_AUTO live = BUF_INIT;

	if (is_broken(l, i)) {
		const char *const broken[] = { l->names.v[i], "broken", "-", "-", "-", "-", "-" };

		table_row(t, broken);
		return;
	}
	describe_base(b, &base);
	drift_text(&l->drifts[i], &drift);
	describe_live(&l->live[i], &live);
	const char *const cells[] = { l->names.v[i],
				      describe_state(b, &l->live[i]),
				      tier_names[b->m.tier],
				      b->m.profile.data,
				      base.data,
				      drift.data,
				      live.data };
	table_row(t, cells);
}

static void print_table(const struct app *app, const struct listing *l)
{
	static const char *const head[] = { "NAME", "STATE", "TIER", "PROFILE",
					    "BASE", "DRIFT", "LIVE" };
	struct table t = { .head = head, .columns = ARRAY_SIZE(head), .cells = STRV_INIT };

	for (size_t i = 0; i < l->boxes.len; i++)
		add_row(&t, l, i);
	if (l->boxes.len > 0)
		table_print(app, &t);
	else
		msg_note(app, "no boxes yet; make one with: git box create NAME");
	table_release(&t);
	for (size_t i = 0; i < l->boxes.len; i++) {
		if (is_broken(l, i))
			msg_warning(app, "%s is broken: %s", l->names.v[i], l->boxes.v[i].err.msg);
	}
}

static json_t *broken_json(const struct listing *l, size_t i)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "name", json_text(l->names.v[i]));
	json_object_set_new(obj, "id", json_text(l->boxes.v[i].id));
	json_object_set_new(obj, "state", json_text("broken"));
	json_object_set_new(obj, "error", json_text(l->boxes.v[i].err.msg));
	return obj;
}

static void print_json(const struct listing *l)
{
	JSON_AUTO *answer = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < l->boxes.len; i++) {
		json_array_append_new(list, is_broken(l, i)
						    ? broken_json(l, i)
						    : describe_json(&l->boxes.v[i].box,
								    &l->drifts[i], &l->live[i]));
	}
	json_object_set_new(answer, "boxes", list);
	json_answer(answer, LS_SCHEMA);
}

static int run(struct app *app, void *opts_void)
{
	const struct ls_opts *o = opts_void;
	struct listing l = { .root = BOX_ROOT_INIT, .boxes = BOX_LIST_INIT, .names = STRV_INIT };
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	int rc = repo_discover(&repo, &err);

	if (rc == 0)
		rc = box_root_open(&repo, false, &l.root, &err);
	if (rc == 0)
		rc = fill(&repo, o, &l, &err);
	/* No box was ever made: an empty list, not an error. */
	if (rc < 0 && err.kind == ERR_NOTFOUND && repo.common_fd >= 0 && l.root.fd < 0)
		rc = 0;
	if (rc == 0 && o->json)
		print_json(&l);
	else if (rc == 0 && o->quiet)
		print_names(&l);
	else if (rc == 0)
		print_table(app, &l);
	listing_release(&l);
	return rc < 0 ? msg_fail(app, &err) : 0;
}

const struct command cmd_ls = {
	.name = "ls",
	.alias = "list",
	.summary = "list the boxes of this repository",
	.description = "One line a box: its state (running where commands live in it, broken where "
		       "its files do not "
		       "agree), tier, profile, the commit and branch it was made from, how far "
		       "that branch has moved "
		       "on since, and the commands that run.",
	.examples = "$ git box ls\n$ git box ls --json",
	.opts = opts,
	.opts_size = sizeof(struct ls_opts),
	.run = run,
};
