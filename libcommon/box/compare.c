#include "base/base.h"

#include "base/alloc.h"
#include "box/compare.h"
#include "box/intake.h"
#include "store/facts.h"
#include "store/merge.h"
#include "sys/fd.h"

void compare_release(struct compare *c)
{
	for (size_t i = 0; i < c->len; i++) {
		box_release(&c->v[i].box);
		proposed_release(&c->v[i].proposed);
	}
	for (size_t i = 0; i < c->overlaps_len; i++) {
		buf_release(&c->overlaps[i].path);
		strv_release(&c->overlaps[i].boxes);
	}
	for (size_t i = 0; i < c->pairs_len; i++)
		strv_release(&c->pairs[i].conflicts);
	free(c->v);
	free(c->overlaps);
	free(c->pairs);
	*c = (struct compare)COMPARE_INIT;
}

static int read_one(const struct repo *repo, const char *name, struct compare_box *b,
		    struct error *err)
{
	FD_AUTO lock = -1;

	if (box_open(repo, name, &b->box, err) < 0)
		return -1;
	lock = proposed_hold(&b->box, err);
	return lock < 0 ? -1 : proposed_read(repo, &b->box, &b->proposed, err);
}

static int read_all(const struct repo *repo, const char *const *names, struct compare *out,
		    struct error *err)
{
	size_t n = 0;

	while (names[n])
		n++;
	out->v = xcalloc(n, sizeof(*out->v));
	for (; out->len < n; out->len++) {
		struct compare_box *b = &out->v[out->len];

		box_init(&b->box);
		b->proposed = (struct proposed)PROPOSED_INIT;
		if (read_one(repo, names[out->len], b, err) < 0) {
			out->len++;
			return -1;
		}
		for (size_t i = 0; i < out->len; i++) {
			if (strcmp(out->v[i].box.m.id, b->box.m.id) == 0) {
				out->len++;
				return error_set(err, ERR_USAGE, "box '%s' is named twice",
						 b->box.m.name.data);
			}
		}
		if (strcmp(out->v[0].box.m.base_commit.data, b->box.m.base_commit.data) != 0)
			out->bases_differ = true;
	}
	return 0;
}

/* Smallest path at the boxes' positions, or NULL at the end of all. */
static const char *smallest(const struct compare *c, const size_t *at)
{
	const char *path = NULL;

	for (size_t i = 0; i < c->len; i++) {
		const struct patch_list *l = &c->v[i].proposed.files;

		if (at[i] < l->len && (!path || strcmp(l->v[at[i]].path.data, path) < 0))
			path = l->v[at[i]].path.data;
	}
	return path;
}

static void add_overlap(struct compare *c, const char *path, struct strv *boxes)
{
	struct compare_overlap *o;

	c->overlaps = xrealloc(c->overlaps,
			       size_mul(size_add(c->overlaps_len, 1), sizeof(*c->overlaps)));
	o = &c->overlaps[c->overlaps_len++];
	*o = (struct compare_overlap){ .path = BUF_INIT, .boxes = *boxes };
	buf_str(&o->path, path);
	*boxes = (struct strv)STRV_INIT;
}

/* All lists are sorted: one walk through them side by side. */
static void find_overlaps(struct compare *c)
{
	size_t *at = xcalloc(c->len, sizeof(*at));
	const char *path;

	while ((path = smallest(c, at)) != NULL) {
		STRV_AUTO boxes = STRV_INIT;

		for (size_t i = 0; i < c->len; i++) {
			const struct patch_list *l = &c->v[i].proposed.files;

			if (at[i] == l->len || strcmp(l->v[at[i]].path.data, path) != 0)
				continue;
			strv_add(&boxes, c->v[i].box.m.name.data);
			at[i]++;
		}
		if (boxes.len > 1)
			add_overlap(c, path, &boxes);
	}
	free(at);
}

static int merge_pair(const struct compare *c, const struct git_cmd *git, struct compare_pair *pair,
		      struct error *err)
{
	MERGE_RESULT_AUTO r = MERGE_RESULT_INIT;

	if (merge_trees(git, c->v[pair->a].proposed.commit.data, c->v[pair->b].proposed.commit.data,
			&r, err) < 0)
		return error_wrap(err, "boxes '%s' and '%s'", c->v[pair->a].box.m.name.data,
				  c->v[pair->b].box.m.name.data);
	for (size_t i = 0; i < r.len; i++)
		strv_add(&pair->conflicts, r.v[i].path.data);
	return 0;
}

static int merge_pairs(struct compare *c, const struct git_cmd *git, struct error *err)
{
	c->pairs = xcalloc(size_mul(c->len, c->len), sizeof(*c->pairs));
	for (size_t a = 0; a < c->len; a++) {
		for (size_t b = a + 1; b < c->len; b++) {
			struct compare_pair *pair = &c->pairs[c->pairs_len++];

			*pair = (struct compare_pair){ .a = a, .b = b, .conflicts = STRV_INIT };
			if (merge_pair(c, git, pair, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* What a merge writes goes to a quarantine and away with it: nobody asked for these objects. */
static int find_conflicts(const struct repo *repo, struct compare *c, struct error *err)
{
	struct repo_questions questions = REPO_QUESTIONS_INIT;
	REPO_FACTS_AUTO facts = REPO_FACTS_INIT;
	struct quarantine q = QUARANTINE_INIT;
	BUF_AUTO objects = BUF_INIT;
	const char *env[] = { NULL, NULL };
	struct git_cmd git = { .git_dir = repo->git_dir.data,
			       .work_tree = repo->top.data,
			       .cwd = repo->top.data,
			       .env = env };
	int rc = repo_facts_ask(repo, NULL, &questions, err);

	if (rc == 0)
		rc = repo_facts_read(repo, NULL, &questions, &facts, err);
	repo_questions_release(&questions);
	if (rc == 0)
		rc = intake_quarantine(repo, &c->v[0].box, &q, err);
	if (rc == 0) {
		buf_fmt(&objects, "GIT_OBJECT_DIRECTORY=%s/objects", q.path.data);
		env[0] = objects.data;
		git.config = strv_argv(&facts.drivers_off);
		rc = merge_pairs(c, &git, err);
	}
	quarantine_drop(&q);
	return rc;
}

int box_compare(const struct repo *repo, const char *const *names, struct compare *out,
		struct error *err)
{
	if (!names[0] || !names[1])
		return error_set(err, ERR_USAGE, "it takes two boxes to compare");
	if (read_all(repo, names, out, err) < 0)
		return -1;
	find_overlaps(out);
	return find_conflicts(repo, out, err);
}
