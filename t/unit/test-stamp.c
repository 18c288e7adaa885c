#include "base/base.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "sys/fd.h"
#include "sys/stamp.h"
#include "t/unit/scratch.h"

static void add(void *arg, const void *data, size_t len)
{
	buf_add(arg, data, len);
}

static bool whole(int dir, struct buf *out)
{
	struct stamp_seen seen;

	buf_reset(out);
	stamp_tree(dir, &(struct stamp_sink){ add, out }, &seen);
	return seen.whole;
}

static void put(int dir, const char *name, const char *text)
{
	FD_AUTO fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

/* Each call changes one thing; the stream must tell. */
static void expect_change(int dir, struct buf *before, const char *what)
{
	BUF_AUTO now = BUF_INIT;

	cr_assert(whole(dir, &now));
	cr_expect(!same(before, &now), "%s is not seen", what);
	buf_reset(before);
	buf_add(before, now.data, now.len);
}

Test(stamp, tells_every_change)
{
	SCRATCH_AUTO s = scratch_make();
	FD_AUTO dir = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	BUF_AUTO first = BUF_INIT;
	BUF_AUTO again = BUF_INIT;

	cr_assert(!mkdirat(dir, "d", 0755) && !mkdirat(dir, "d/e", 0755));
	put(dir, "d/e/f", "one");
	cr_assert_eq(utimensat(dir, "d/e/f", old, 0), 0);
	cr_assert(whole(dir, &first) && whole(dir, &again));
	cr_assert(same(&first, &again), "control: nothing changed");
	usleep(20000); /* a tick of the clock of change times */
	put(dir, "d/e/f", "two");
	cr_assert_eq(utimensat(dir, "d/e/f", old, 0), 0);
	expect_change(dir, &first, "content of the same size with the old time");
	cr_assert_eq(fchmodat(dir, "d/e/f", 0600, 0), 0);
	expect_change(dir, &first, "a mode");
	cr_assert_eq(symlinkat("f", dir, "d/e/l"), 0);
	expect_change(dir, &first, "a symlink");
	cr_assert_eq(renameat(dir, "d/e/l", dir, "d/l"), 0);
	expect_change(dir, &first, "a name");
	cr_assert_eq(unlinkat(dir, "d/l", 0), 0);
	expect_change(dir, &first, "a removal");
}

Test(stamp, follows_no_symlink)
{
	SCRATCH_AUTO s = scratch_make();
	SCRATCH_AUTO other = scratch_make();
	FD_AUTO dir = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FD_AUTO out = open(other.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	BUF_AUTO first = BUF_INIT;
	BUF_AUTO again = BUF_INIT;

	cr_assert_eq(symlinkat(other.path, dir, "out"), 0);
	cr_assert(whole(dir, &first));
	put(out, "f", "x");
	cr_assert(whole(dir, &again));
	cr_expect(same(&first, &again));
}
