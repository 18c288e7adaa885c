/*
 * Objects: kinds, sizes and contents of many of them from one git. The kinds and
 * sizes come from the objects' heads: nothing large is inflated to learn that it
 * is.
 */
#include "base/base.h"

#include "base/alloc.h"
#include "base/num.h"
#include "store/gate-parts.h"

void gate_asks_release(struct gate_asks *a)
{
	buf_release(&a->text);
	free(a->v);
	*a = (struct gate_asks)GATE_ASKS_INIT;
}

void gate_ask(struct gate_asks *a, const struct change *c, const char *oid, bool contents)
{
	if (a->len == a->cap) {
		a->cap = a->cap ? a->cap * 2 : 64;
		a->v = xrealloc(a->v, size_mul(a->cap, sizeof(*a->v)));
	}
	a->v[a->len++] = (struct gate_ask){ .change = c, .oid = oid, .contents = contents };
}

/* " blob 123" */
static bool parse_kind(const char *s, struct gate_ask *q)
{
	static const struct {
		const char *word;
		char kind;
	} kinds[] = { { " blob ", 'b' }, { " tree ", 't' }, { " commit ", 'c' }, { " tag ", 'g' } };
	struct error ignored = ERROR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].word);

		if (strncmp(s, kinds[i].word, len) != 0)
			continue;
		q->kind = kinds[i].kind;
		return num_u64(s + len, 0, INT64_MAX, &q->size, &ignored) == 0;
	}
	return strcmp(s, " missing") == 0;
}

/* One answer at p, NULL where it is none; the end of its head line is made a NUL. */
static char *parse_answer(char *p, char *end, struct gate_ask *q)
{
	size_t len = strlen(q->oid);
	char *line_end = memchr(p, '\n', (size_t)(end - p));

	if (!line_end)
		return NULL;
	*line_end = '\0';
	if (strncmp(p, q->oid, len) != 0 || !parse_kind(p + len, q))
		return NULL;
	p = line_end + 1;
	if (!q->contents || !q->kind)
		return p;
	if ((size_t)(end - p) <= q->size || p[q->size] != '\n')
		return NULL;
	q->data = p;
	return p + q->size + 1;
}

int gate_answers_parse(struct gate_asks *a, struct error *err)
{
	char *p = a->text.data;
	char *end = p + a->text.len;

	for (size_t i = 0; i < a->len; i++) {
		p = parse_answer(p, end, &a->v[i]);
		if (!p)
			return error_set(err, ERR_CORRUPT, "git says nothing known about object %s",
					 a->v[i].oid);
	}
	if (p != end)
		return error_set(err, ERR_CORRUPT, "git said more about objects than was asked");
	return 0;
}

int gate_fetch(const struct git_cmd *git, struct gate_asks *a, struct error *err)
{
	static const char *const args[] = { "cat-file", "--batch-command", "--buffer", NULL };
	struct git_cmd cmd = *git;
	BUF_AUTO in = BUF_INIT;

	if (a->len == 0)
		return 0;
	for (size_t i = 0; i < a->len; i++)
		buf_fmt(&in, "%s %s\n", a->v[i].contents ? "contents" : "info", a->v[i].oid);
	cmd.args = args;
	cmd.in = in.data;
	cmd.in_len = in.len;
	cmd.out = &a->text;
	return git_must(&cmd, err) || gate_answers_parse(a, err) ? -1 : 0;
}
