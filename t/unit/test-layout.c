#include "base/base.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "t/unit/place.h"

static void put_box(const struct place *p, const char *id)
{
	struct error err = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "b/%s", id);
	cr_assert_eq(file_mkdir(p->root.fd, path.data, 0700, &err), 0, "%s", err.msg);
	buf_str(&path, "/manifest.json");
	cr_assert_eq(file_create(p->root.fd, path.data, place_text("{}"), &err), 0, "%s", err.msg);
}

Test(layout, good_names)
{
	static const char *const good[] = { "a",
					    "A",
					    "0",
					    "fix-login",
					    "a.b_c-d",
					    "x.y",
					    "git",
					    "lock",
					    "012345678901234567890123456789012345678901234567890123"
					    "4567890123" };
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		cr_expect_eq(box_name_check(good[i], &err), 0, "%s: %s", good[i], err.msg);
}

Test(layout, bad_names)
{
	static const char *const bad[] = { "",
					   "-x",
					   ".",
					   "..",
					   ".a",
					   "_a",
					   "a/b",
					   "../a",
					   "a..b",
					   "ledger.git",
					   "a.lock",
					   "a.LOCK",
					   "a.",
					   "a b",
					   "a\nb",
					   "a\x1b[0m",
					   "\xc3\xa9",
					   "a:b",
					   "a~b",
					   "a^b",
					   "a@{b",
					   "a*b",
					   "0123456789012345678901234567890123456789012345678901234"
					   "5678901234" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = ERROR_INIT;

		cr_expect_eq(box_name_check(bad[i], &err), -1, "%s", bad[i]);
		cr_expect_eq(err.kind, ERR_USAGE);
	}
}

Test(layout, a_bad_name_gets_a_good_one)
{
	static const struct {
		const char *bad;
		const char *hint;
	} rows[] = {
		{ "-x", "'x' would do" },
		{ "a/b", "'a-b' would do" },
		{ "ledger.git", "'ledger' would do" },
		{ "../../etc", "'etc' would do" },
		{ "a.", "'a' would do" },
		{ "---", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = ERROR_INIT;

		box_name_check(rows[i].bad, &err);
		cr_expect_str_eq(err.hint, rows[i].hint, "%s", rows[i].bad);
	}
}

Test(layout, root_must_be_private)
{
	struct place p = place_make();
	struct box_root again = BOX_ROOT_INIT;
	struct error err = ERROR_INIT;

	cr_expect_eq(fchmod(p.root.fd, 0750), 0);
	cr_expect_eq(box_root_open(&p.repo, false, &again, &err), -1);
	cr_expect_eq(err.kind, ERR_REFUSED);
	place_end(&p);
}

Test(layout, root_is_no_symlink)
{
	struct place p = place_make();
	struct box_root again = BOX_ROOT_INIT;
	struct error err = ERROR_INIT;

	cr_assert_eq(renameat(p.repo.common_fd, "box", p.repo.common_fd, "elsewhere"), 0);
	cr_assert_eq(symlinkat("elsewhere", p.repo.common_fd, "box"), 0);
	cr_expect_eq(box_root_open(&p.repo, false, &again, &err), -1);
	cr_expect_eq(err.kind, ERR_REFUSED);
	place_end(&p);
}

Test(layout, no_root_is_not_found)
{
	struct place p = place_make();
	struct box_root again = BOX_ROOT_INIT;
	struct error err = ERROR_INIT;

	cr_assert_eq(file_remove_tree(p.repo.common_fd, "box", &err), 0);
	cr_expect_eq(box_root_open(&p.repo, false, &again, &err), -1);
	cr_expect_eq(err.kind, ERR_NOTFOUND);
	place_end(&p);
}

Test(layout, finds_by_name_and_prefix)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	char id[BOX_ID_LEN + 1];
	FD_AUTO claim = box_name_claim(&p.root, "one", ID_A, &err);

	put_box(&p, ID_A);
	put_box(&p, ID_B);
	cr_expect_eq(box_find(&p.root, "one", id, &err), 0, "%s", err.msg);
	cr_expect_str_eq(id, ID_A);
	cr_expect_eq(box_find(&p.root, ID_B, id, &err), 0, "%s", err.msg);
	cr_expect_str_eq(id, ID_B);
	cr_expect_eq(box_find(&p.root, "0000", id, &err), -1);
	cr_expect_eq(err.kind, ERR_NOTFOUND);
	cr_expect(strstr(err.hint, ID_A) && strstr(err.hint, ID_B), "%s", err.hint);
	place_end(&p);
}

Test(layout, not_found_names_the_nearest)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	char id[BOX_ID_LEN + 1];
	FD_AUTO claim = box_name_claim(&p.root, "fix-login", ID_A, &err);

	cr_expect_eq(box_find(&p.root, "fix-logn", id, &err), -1);
	cr_expect_eq(err.kind, ERR_NOTFOUND);
	cr_expect(strstr(err.hint, "'fix-login'"), "%s", err.hint);
	cr_expect_eq(box_find(&p.root, "../b", id, &err), -1);
	cr_expect_eq(err.kind, ERR_NOTFOUND);
	place_end(&p);
}

Test(layout, an_index_entry_is_never_a_path)
{
	static const char *const bad[] = { "../../../etc", "", "00000000000000AA",
					   "00000000000000aa/x", "zz" };
	struct place p = place_make();

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = ERROR_INIT;
		char id[BOX_ID_LEN + 1];

		cr_assert_eq(file_write_atomic(p.root.fd, "name/evil", place_text(bad[i]), &err),
			     0);
		cr_expect_eq(box_name_id(&p.root, "evil", id, &err), -1, "%s", bad[i]);
	}
	place_end(&p);
}

/* Between making the file and writing the id into it. */
Test(layout, a_name_without_an_id_is_no_box_yet)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	char id[BOX_ID_LEN + 1];

	cr_assert_eq(file_write_atomic(p.root.fd, "name/one", place_text(""), &err), 0);
	cr_expect_eq(box_find(&p.root, "one", id, &err), -1);
	cr_expect_eq(err.kind, ERR_NOTFOUND, "%s", err.msg);
	cr_expect_not(strstr(err.hint, "'one'"), "%s", err.hint);
	FD_AUTO claim = box_name_claim(&p.root, "one", ID_A, &err);
	cr_expect_geq(claim, 0, "%s", err.msg);
	cr_expect_eq(box_find(&p.root, "one", id, &err), 0);
	place_end(&p);
}

Test(layout, a_claim_excludes_a_second)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	FD_AUTO first = box_name_claim(&p.root, "one", ID_A, &err);
	FD_AUTO second = box_name_claim(&p.root, "one", ID_B, &err);
	bool claimed = false;

	cr_expect_geq(first, 0);
	cr_expect_eq(second, -1);
	cr_expect_eq(err.kind, ERR_BUSY);
	cr_expect(box_name_claimed(&p.root, "one"));
	cr_expect_eq(box_id_claimed(&p.root, ID_A, &claimed, &err), 0);
	cr_expect(claimed);
	place_end(&p);
}

Test(layout, a_dead_claim_is_taken_over)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	char id[BOX_ID_LEN + 1];
	int first = box_name_claim(&p.root, "one", ID_A, &err);

	fd_close(&first);
	cr_expect_not(box_name_claimed(&p.root, "one"));
	FD_AUTO second = box_name_claim(&p.root, "one", ID_B, &err);
	cr_expect_geq(second, 0, "%s", err.msg);
	cr_expect_eq(box_name_id(&p.root, "one", id, &err), 0);
	cr_expect_str_eq(id, ID_B);
	place_end(&p);
}

Test(layout, a_box_keeps_its_name)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	int first = box_name_claim(&p.root, "one", ID_A, &err);

	put_box(&p, ID_A);
	fd_close(&first);
	FD_AUTO second = box_name_claim(&p.root, "one", ID_B, &err);
	cr_expect_eq(second, -1);
	cr_expect_eq(err.kind, ERR_EXISTS);
	place_end(&p);
}

Test(layout, only_its_own_name_is_freed)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	char id[BOX_ID_LEN + 1];
	int claim = box_name_claim(&p.root, "one", ID_A, &err);

	cr_expect_eq(box_name_free(&p.root, "one", ID_A, &err), 0);
	cr_expect_eq(box_name_id(&p.root, "one", id, &err), 0, "a claimed name was freed");
	fd_close(&claim);
	cr_expect_eq(box_name_free(&p.root, "one", ID_B, &err), 0);
	cr_expect_eq(box_name_id(&p.root, "one", id, &err), 0, "the name of another box was freed");
	cr_expect_eq(box_name_free(&p.root, "one", ID_A, &err), 0);
	cr_expect_eq(box_name_id(&p.root, "one", id, &err), -1);
	place_end(&p);
}

/* Lets that many more files be opened. Returns the limit before. */
static rlim_t allow_files(int dir, rlim_t more)
{
	struct rlimit l;
	int next = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	rlim_t before;

	cr_assert_geq(next, 0);
	close(next);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
	before = l.rlim_cur;
	l.rlim_cur = (rlim_t)next + more;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
	return before;
}

static void allow_all_files(rlim_t before)
{
	struct rlimit l;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
	l.rlim_cur = before;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
}

/* The claim's own file can be opened, but then no other. */
Test(layout, a_name_that_cannot_be_read_is_neither_taken_nor_freed)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	char id[BOX_ID_LEN + 1];
	int first = box_name_claim(&p.root, "one", ID_A, &err);
	int second, freed;
	rlim_t before;

	put_box(&p, ID_A);
	fd_close(&first);
	before = allow_files(p.root.fd, 1);
	second = box_name_claim(&p.root, "one", ID_B, &err);
	freed = box_name_free(&p.root, "one", ID_A, &err);
	allow_all_files(before);
	cr_expect_eq(second, -1);
	cr_expect_eq(freed, -1);
	cr_expect_eq(err.kind, ERR_SYS, "%s", err.msg);
	cr_assert_eq(box_name_id(&p.root, "one", id, &err), 0, "%s", err.msg);
	cr_expect_str_eq(id, ID_A);
	place_end(&p);
}
