#include "base/base.h"

#include "base/alloc.h"
#include "box/inside.h"
#include "box/message.h"
#include "box/series.h"
#include "sys/fd.h"

#define LOG_MAX (8u << 20)
#define PACK_MAX (512u << 20)

void series_release(struct series *s)
{
	for (size_t i = 0; i < s->len; i++) {
		buf_release(&s->v[i].tree);
		buf_release(&s->v[i].claim);
	}
	free(s->v);
	*s = (struct series)SERIES_INIT;
}

void series_add(struct series *s, const char *tree, const struct buf *claim)
{
	struct series_step step = { .tree = BUF_INIT, .claim = BUF_INIT };

	buf_str(&step.tree, tree);
	if (claim)
		buf_add(&step.claim, claim->data,
			claim->len < MESSAGE_MAX ? claim->len : MESSAGE_MAX);
	s->v = xrealloc(s->v, size_mul(s->len + 1, sizeof(*s->v)));
	s->v[s->len++] = step;
}

/* Takes "<hex>\n" off the text. */
static bool take_oid(const char **at, const char *end, size_t hex, struct buf *out)
{
	size_t len = strspn(*at, "0123456789abcdef");

	if (len != hex || *at + len >= end || (*at)[len] != '\n')
		return false;
	buf_add(out, *at, len);
	*at += len + 1;
	return true;
}

static int parse_record(const char *at, const char *end, const struct manifest *m,
			struct series *out, struct error *err)
{
	const char *before = out->len > 0 ? out->v[out->len - 1].tree.data : m->base_tree.data;
	size_t hex = m->base_tree.len;
	BUF_AUTO commit = BUF_INIT;
	BUF_AUTO tree = BUF_INIT;
	BUF_AUTO claim = BUF_INIT;

	if (!take_oid(&at, end, hex, &commit) || !take_oid(&at, end, hex, &tree))
		return error_set(err, ERR_PEER, "git in the box listed what is no commit");
	buf_add(&claim, at, (size_t)(end - at));
	if (strcmp(tree.data, before) == 0)
		return 0;
	if (out->len == SERIES_MAX)
		return error_set(err, ERR_LIMIT, "the box has more than %d commits", SERIES_MAX);
	series_add(out, tree.data, &claim);
	return 0;
}

int series_parse(const struct buf *text, const struct manifest *m, struct series *out,
		 struct error *err)
{
	const char *end = text->data + text->len;

	for (const char *at = text->data; at < end;) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		if (!stop)
			return error_set(err, ERR_PEER, "git in the box ended inside a commit");
		if (parse_record(at, stop, m, out, err) < 0)
			return -1;
		at = stop + 1;
	}
	return 0;
}

int series_ask(const struct box *b, struct series *out, struct error *err)
{
	BUF_AUTO not_base = BUF_INIT;
	BUF_AUTO text = BUF_INIT;

	buf_fmt(&not_base, "^%s", b->m.base_commit.data);
	const char *const args[] = {
		"log",	"-z",	       "--reverse", "--first-parent", "--format=%H%n%T%n%B",
		"HEAD", not_base.data, NULL
	};
	const struct inside_question q = { .label = "propose: listing commits",
					   .args = args,
					   .max = LOG_MAX };

	return inside_ask(b, &q, &text, err) < 0 ? -1 : series_parse(&text, &b->m, out, err);
}

static int take_pack(const struct buf *pack, struct quarantine *q, struct error *err)
{
	FD_AUTO fd = fd_sealed("series", pack->data, pack->len, err);
	const struct quarantine_pack take = { .fd = fd, .max_bytes = PACK_MAX, .strict = true };

	return fd < 0 ? -1 : quarantine_take(q, &take, err);
}

int series_fetch(const struct box *b, const struct series *s, struct quarantine *q,
		 struct error *err)
{
	static const char *const args[] = {
		"pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "-q", NULL
	};
	BUF_AUTO revs = BUF_INIT;
	BUF_AUTO pack = BUF_INIT;
	const struct inside_question question = {
		.label = "propose: packing commits", .args = args, .in = &revs, .max = PACK_MAX
	};

	for (size_t i = 0; i < s->len; i++)
		buf_fmt(&revs, "%s\n", s->v[i].tree.data);
	buf_fmt(&revs, "^%s\n", b->m.base_tree.data);
	if (inside_ask(b, &question, &pack, err) < 0 || take_pack(&pack, q, err) < 0)
		return -1;
	for (size_t i = 0; i < s->len; i++) {
		if (quarantine_check(q, s->v[i].tree.data, b->m.base_tree.data, err) < 0)
			return -1;
	}
	return 0;
}

void series_last_message(const struct box *b, struct buf *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO not_base = BUF_INIT;
	BUF_AUTO text = BUF_INIT;

	buf_fmt(&not_base, "^%s", b->m.base_commit.data);
	const char *const args[] = { "log", "-1", "--format=%B", "HEAD", not_base.data, NULL };
	const struct inside_question q = { .label = "propose: reading a message",
					   .args = args,
					   .max = LOG_MAX };

	if (inside_ask(b, &q, &text, &ignored) == 0)
		buf_add(out, text.data, text.len < MESSAGE_MAX ? text.len : MESSAGE_MAX);
}
