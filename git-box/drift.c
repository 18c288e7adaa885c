#include "base/base.h"

#include "base/alloc.h"
#include "base/num.h"
#include "git-box/drift.h"
#include "store/git.h"

#define AT_ONCE 8
#define GIT_FATAL 128

struct question {
	struct git_job job;
	struct buf range; /* "<base>...refs/heads/<branch>" */
	struct drift answer;
};

/* True where two boxes ask the same. */
static bool same(const struct box *a, const struct box *b)
{
	return strcmp(a->m.base_commit.data, b->m.base_commit.data) == 0 &&
	       strcmp(a->m.base_branch.data, b->m.base_branch.data) == 0;
}

static void ask(const struct repo *repo, const struct box *b, struct question *q)
{
	struct error ignored = ERROR_INIT;

	*q = (struct question){ .job = GIT_JOB_INIT, .range = BUF_INIT };
	buf_fmt(&q->range, "%s...refs/heads/%s", b->m.base_commit.data, b->m.base_branch.data);
	const char *const args[] = { "rev-list",    "--left-right", "--count",
				     q->range.data, "--",           NULL };
	git_start(repo, args, &q->job, &ignored);
}

/* "LEFT\tRIGHT\n" */
static struct drift parse(struct buf *out)
{
	struct drift d = { .state = DRIFT_UNKNOWN };
	struct error ignored = ERROR_INIT;
	char *tab = strchr(out->data, '\t');

	if (!tab)
		return d;
	*tab++ = '\0';
	tab[strcspn(tab, "\n")] = '\0';
	if (num_u64(out->data, 0, UINT32_MAX, &d.ahead, &ignored) < 0 ||
	    num_u64(tab, 0, UINT32_MAX, &d.behind, &ignored) < 0)
		return d;
	if (d.ahead > 0)
		d.state = DRIFT_DIVERGED;
	else
		d.state = d.behind > 0 ? DRIFT_BEHIND : DRIFT_UP_TO_DATE;
	return d;
}

static void hear(struct question *q)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO out = BUF_INIT;
	int code;

	q->answer.state = DRIFT_UNKNOWN;
	if (q->job.proc.pid > 0 && git_finish(&q->job, &out, &code, &ignored) == 0) {
		if (code == 0)
			q->answer = parse(&out);
		else if (code == GIT_FATAL)
			q->answer.state = DRIFT_GONE;
	}
	git_job_release(&q->job);
	buf_release(&q->range);
}

/* Index of the box that asked the same before i, or i. */
static size_t asked_by(const struct box *const *boxes, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (same(boxes[k], boxes[i]))
			return k;
	}
	return i;
}

/* Asks for the boxes in who[0..n), then waits for all. */
static void ask_batch(const struct repo *repo, const struct box *const *boxes, const size_t *who,
		      size_t n, struct drift *out)
{
	struct question questions[AT_ONCE];

	for (size_t i = 0; i < n; i++)
		ask(repo, boxes[who[i]], &questions[i]);
	for (size_t i = 0; i < n; i++) {
		hear(&questions[i]);
		out[who[i]] = questions[i].answer;
	}
}

void drift_find(const struct repo *repo, const struct box *const *boxes, size_t len,
		struct drift *out)
{
	size_t who[AT_ONCE], n = 0;

	for (size_t i = 0; i < len; i++) {
		out[i] = (struct drift){ .state = DRIFT_DETACHED };
		if (boxes[i]->m.base_branch.len > 0 && asked_by(boxes, i) == i)
			who[n++] = i;
		if (n == AT_ONCE || (n > 0 && i + 1 == len)) {
			ask_batch(repo, boxes, who, n, out);
			n = 0;
		}
	}
	for (size_t i = 0; i < len; i++)
		out[i] = out[asked_by(boxes, i)];
}

const char *drift_word(enum drift_state state)
{
	static const char *const words[] = { "unknown", "detached", "up-to-date",
					     "behind",  "diverged", "gone" };

	return words[state];
}

void drift_text(const struct drift *d, struct buf *out)
{
	buf_str(out, drift_word(d->state));
	if (d->state == DRIFT_BEHIND)
		buf_fmt(out, " %llu", (unsigned long long)d->behind);
	if (d->state == DRIFT_DIVERGED)
		buf_fmt(out, " %llu/%llu", (unsigned long long)d->behind,
			(unsigned long long)d->ahead);
}
