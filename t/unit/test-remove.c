#include "base/base.h"

#include "box/keep.h"
#include "box/remains.h"
#include "box/remove.h"
#include "t/unit/place.h"

#define TIP "fedcba9876543210fedcba9876543210fedcba98"

static int parse(const char *text, struct buf *ref, struct buf *commit)
{
	struct error err = ERROR_INIT;

	return keep_parse_head(text, strlen(text), ref, commit, &err);
}

Test(remove, the_tip_of_a_bundle)
{
	static const char *const heads[] = {
		"# v2 git bundle\n-" OID " base\n" TIP " refs/heads/box/snapshot\n\nPACK",
		"# v2 git bundle\n" TIP " refs/heads/box/snapshot\n\nPACK",
		"# v3 git bundle\n@object-format=sha1\n-" OID "\n" TIP " refs/heads/box/"
		"snapshot\n\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		BUF_AUTO ref = BUF_INIT;
		BUF_AUTO commit = BUF_INIT;

		cr_assert_eq(parse(heads[i], &ref, &commit), 0, "%s", heads[i]);
		cr_expect_str_eq(ref.data, "refs/heads/box/snapshot");
		cr_expect_str_eq(commit.data, TIP);
	}
}

/* The ref stands in a command that the operator is told to type. */
Test(remove, hostile_bundle_heads_are_refused)
{
	static const char *const heads[] = {
		"",
		"\n",
		"# v2 git bundle",
		"# v2 git bundle\n",
		"# v2 git bundle\n\nPACK",
		"PACK\n" TIP " refs/heads/x\n",
		"# v2 git bundle\n" TIP "\n",
		"# v2 git bundle\n" TIP " \n",
		"# v2 git bundle\n" TIP " refs/heads/x;touch${IFS}/owned\n",
		"# v2 git bundle\n" TIP " refs/heads/$(id)\n",
		"# v2 git bundle\n" TIP " refs/heads/a b\n",
		"# v2 git bundle\n" TIP " refs/heads/a:refs/heads/main\n",
		"# v2 git bundle\n" TIP " --upload-pack=id\n",
		"# v2 git bundle\n" TIP " refs/heads/\033[2J\n",
		"# v2 git bundle\nzz" TIP " refs/heads/x\n",
		"# v2 git bundle\nfedcba refs/heads/x\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		BUF_AUTO ref = BUF_INIT;
		BUF_AUTO commit = BUF_INIT;

		cr_expect_eq(parse(heads[i], &ref, &commit), -1, "%s", heads[i]);
	}
}

Test(remove, the_restoring_command_is_quoted)
{
	struct remove_result r;
	BUF_AUTO text = BUF_INIT;

	remove_result_init(&r);
	buf_str(&r.bundle, "/a'; touch /owned '/x.bundle");
	buf_str(&r.ref, "refs/heads/x");
	buf_str(&r.name, "one");
	remove_restore_command(&r, &text);
	cr_expect_str_eq(text.data, "git fetch '/a'\\''; touch /owned '\\''/x.bundle' "
				    "refs/heads/x:refs/heads/box/one");
	remove_result_release(&r);
}

static enum remains_kind kind_of(const struct place *p, const char *id)
{
	struct error err = ERROR_INIT;
	enum remains_kind kind;
	struct remains r;

	cr_assert_eq(remains_open(&p->root, id, &r, &err), 0, "%s", err.msg);
	cr_expect_str_eq(r.box.m.id, id);
	kind = r.kind;
	box_release(&r.box);
	return kind;
}

Test(remove, every_condition_of_a_directory_is_told)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;

	place_box(&p, ID_A, ID_A, TIER_PROCESS);
	cr_expect_eq(kind_of(&p, ID_A), REMAINS_BOX);
	/* Whose manifest is a neighbour's is not that neighbour. */
	place_box(&p, ID_B, ID_A, TIER_PROCESS);
	cr_expect_eq(kind_of(&p, ID_B), REMAINS_DAMAGED);
	cr_assert_eq(
		file_write_atomic(p.root.fd, "b/" ID_B "/manifest.json", place_text("{"), &err), 0);
	cr_expect_eq(kind_of(&p, ID_B), REMAINS_DAMAGED);
	cr_assert_eq(renameat(p.root.fd, "b/" ID_B "/manifest.json", p.root.fd,
			      "b/" ID_B "/manifest.removed"),
		     0);
	cr_expect_eq(kind_of(&p, ID_B), REMAINS_MARKED);
	cr_assert_eq(unlinkat(p.root.fd, "b/" ID_B "/manifest.removed", 0), 0);
	cr_expect_eq(kind_of(&p, ID_B), REMAINS_UNFINISHED);
	place_end(&p);
}

Test(remove, a_marked_box_is_no_box)
{
	struct box_list list = BOX_LIST_INIT;
	struct place p = place_make();
	struct error err = ERROR_INIT;
	struct remains r;

	place_box(&p, ID_A, ID_A, TIER_PROCESS);
	cr_assert_eq(remains_open(&p.root, ID_A, &r, &err), 0);
	cr_assert_eq(remains_mark(&r.box, &err), 0, "%s", err.msg);
	cr_assert_eq(box_list(&p.root, &list, &err), 0);
	cr_expect_eq(list.len, 0);
	/* Who waited for its lock meanwhile must not get it. */
	cr_expect_eq(box_lock(&r.box, false, 0, &err), -1);
	cr_expect_eq(err.kind, ERR_NOTFOUND);
	box_release(&r.box);
	box_list_release(&list);
	place_end(&p);
}

Test(remove, the_lock_of_one_excludes_the_other)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	struct box b;

	place_box(&p, ID_A, ID_A, TIER_PROCESS);
	cr_assert_eq(box_open_id(&p.root, ID_A, &b, &err), 0);
	FD_AUTO shared = box_lock(&b, false, 0, &err);
	FD_AUTO second = box_lock(&b, false, 0, &err);
	cr_expect_geq(shared, 0);
	cr_expect_geq(second, 0);
	cr_expect_eq(box_lock(&b, true, 0, &err), -1);
	cr_expect_eq(err.kind, ERR_BUSY);
	box_release(&b);
	place_end(&p);
}

Test(remove, what_is_kept_is_known_by_its_files)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	STRV_AUTO ids = STRV_INIT;

	cr_assert_eq(file_create(p.root.fd, "removed/" ID_A ".bundle", place_text("x"), &err), 0);
	cr_assert_eq(file_create(p.root.fd, "removed/" ID_A ".json", place_text("x"), &err), 0);
	cr_assert_eq(
		file_create(p.root.fd, "removed/" ID_B ".json.0123.tmp", place_text("x"), &err), 0);
	cr_assert_eq(file_create(p.root.fd, "removed/README", place_text("x"), &err), 0);
	cr_assert_eq(file_create(p.root.fd, "removed/" ID_A ".sh", place_text("x"), &err), 0);
	cr_assert_eq(keep_ids(&p.root, &ids, &err), 0, "%s", err.msg);
	cr_assert_eq(ids.len, 2);
	cr_expect_str_eq(ids.v[0], ID_A);
	cr_expect_str_eq(ids.v[1], ID_B);
	cr_expect(keep_exists(&p.root, ID_A));
	cr_expect_not(keep_exists(&p.root, ID_B));
	cr_assert_eq(keep_drop(&p.root, ID_A, &err), 0);
	cr_expect_not(keep_exists(&p.root, ID_A));
	cr_expect(file_exists(p.root.fd, "removed/" ID_A ".sh"));
	place_end(&p);
}
