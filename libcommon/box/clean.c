#include "base/base.h"

#include <fcntl.h>

#include "base/clock.h"
#include "box/clean.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/rand.h"
#include "sys/stamp.h"

/* "<key> <sum> <base tree>\n", host only: who writes in the box never learns the key. */
#define CLEAN_FILE "clean"
#define CLEAN_MAX 256

/*
 * Change times come from a clock that ticks 100 times a second at worst. What was changed within
 * two ticks before we look may be changed again without a new time.
 */
#define TOO_NEW_NS 20000000

struct record {
	char key[KEYED_SUM_KEY + 1];
	char sum[KEYED_SUM_HEX + 1];
};

static void record_text(const struct box *b, const struct record *r, struct buf *out)
{
	buf_fmt(out, "%s %s %s\n", r->key, r->sum, b->m.base_tree.data);
}

static bool read_record(const struct box *b, struct record *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO again = BUF_INIT;

	if (file_read(b->fd, CLEAN_FILE, CLEAN_MAX, &text, &ignored) < 0 ||
	    text.len < KEYED_SUM_KEY + 1 + KEYED_SUM_HEX)
		return false;
	memcpy(out->key, text.data, KEYED_SUM_KEY);
	memcpy(out->sum, text.data + KEYED_SUM_KEY + 1, KEYED_SUM_HEX);
	record_text(b, out, &again);
	return !strcmp(again.data, text.data);
}

static void add(void *arg, const void *data, size_t len)
{
	keyed_sum_add(arg, data, len);
}

/* False where something could not be looked at, or changed at `before` or later. */
static bool take_sum(const struct box *b, int64_t before, struct record *r)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO work = file_open_beneath(b->fd, "work", O_RDONLY | O_DIRECTORY, 0, &ignored);
	struct keyed_sum sum;
	struct stamp_seen seen;

	if (work < 0)
		return false;
	keyed_sum_begin(r->key, &sum);
	stamp_tree(work, &(struct stamp_sink){ add, &sum }, &seen);
	keyed_sum_end(&sum, r->sum);
	return seen.whole && seen.newest_ns < before;
}

void clean_look(const struct box *b, struct clean *out)
{
	struct record last = { .key = "" };
	struct record now = { .key = "" };

	memset(out, 0, sizeof(*out));
	out->looked_ns = (int64_t)clock_file_ns();
	if (!read_record(b, &last)) {
		rand_hex(out->key, KEYED_SUM_KEY);
		return;
	}
	memcpy(out->key, last.key, sizeof(out->key));
	now = last;
	out->known = take_sum(b, out->looked_ns - TOO_NEW_NS, &now) && !strcmp(now.sum, last.sum);
}

void clean_learn(const struct box *b, const struct clean *before)
{
	struct record now = { .key = "" };
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	memcpy(now.key, before->key, sizeof(now.key));
	/* Nothing there is newer than the question, so what the scribe saw is what is there now. */
	if (!take_sum(b, before->looked_ns - TOO_NEW_NS, &now))
		return;
	record_text(b, &now, &text);
	(void)file_write_atomic(b->fd, CLEAN_FILE,
				(struct file_content){ text.data, text.len, 0600 }, &ignored);
}
