#include "base/base.h"

#include "t/unit/place.h"

static void sample(struct buf *out)
{
	struct manifest m;

	place_manifest(&m, ID_A);
	manifest_text(&m, out);
	manifest_release(&m);
}

/* Of the other hash format. */
#define OID_LONG OID "012345678901234567890123"

Test(manifest, comes_back_as_it_was)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO again = BUF_INIT;
	struct manifest m;

	sample(&text);
	cr_assert_eq(manifest_parse(text.data, text.len, &m, &err), 0, "%s", err.msg);
	cr_expect_str_eq(m.id, ID_A);
	cr_expect_str_eq(m.repo_top.data, "/srv/r\xff\n %41");
	cr_expect_eq(m.tier, TIER_PROCESS);
	cr_expect_eq(m.objects.len, 1);
	manifest_text(&m, &again);
	cr_expect_str_eq(text.data, again.data);
	manifest_release(&m);
}

Test(manifest, proposal_comes_back)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	struct manifest m, back;

	place_manifest(&m, ID_A);
	buf_str(&m.proposal, OID);
	m.state = BOX_PROPOSED;
	manifest_text(&m, &text);
	manifest_release(&m);
	cr_assert_eq(manifest_parse(text.data, text.len, &back, &err), 0, "%s", err.msg);
	cr_expect_str_eq(back.proposal.data, OID);
	cr_expect_eq(back.state, BOX_PROPOSED);
	manifest_release(&back);
}

Test(manifest, submodules_come_back)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	struct manifest m, back;

	place_manifest(&m, ID_A);
	strv_add(&m.submodules, "libs/a");
	strv_add(&m.submodules, "-b\xff");
	manifest_text(&m, &text);
	manifest_release(&m);
	cr_assert_eq(manifest_parse(text.data, text.len, &back, &err), 0, "%s", err.msg);
	cr_assert_eq(back.submodules.len, 2);
	cr_expect_str_eq(back.submodules.v[1], "-b\xff");
	manifest_release(&back);
}

/* Each row replaces a text of the sample by one that must not pass. */
static const struct {
	const char *from;
	const char *to;
} hostile[] = {
	{ "\"id\":\"" ID_A "\"", "\"id\":\"../../../../etc\"" },
	{ "\"id\":\"" ID_A "\"", "\"id\":\"00000000000000A\xc3\xa9\"" },
	{ "\"id\":\"" ID_A "\"", "\"id\":\"00000000000000a\"" },
	{ "\"id\":\"" ID_A "\"", "\"id\":\"" ID_A "\",\"id\":\"" ID_B "\"" },
	{ "\"id\":\"" ID_A "\"", "\"id\":7" },
	{ "\"name\":\"one\"", "\"name\":\"../one\"" },
	{ "\"name\":\"one\"", "\"name\":\"-one\"" },
	{ "\"name\":\"one\"", "\"name\":\"a\\u0000b\"" },
	{ "\"profile\":\"default\"", "\"profile\":\"a/b\"" },
	{ "\"tier\":\"process\"", "\"tier\":\"none\"" },
	{ "\"tier\":\"process\"", "\"tier\":1" },
	{ "\"state\":\"created\"", "\"state\":\"running\"" },
	{ "\"state\":\"created\"", "\"state\":\"proposed\"" },
	{ "\"state\":\"created\"", "\"proposal\":\"HEAD\",\"state\":\"created\"" },
	{ "\"state\":\"created\"", "\"proposal\":7,\"state\":\"created\"" },
	{ "\"state\":\"created\"", "\"proposal\":\"" OID_LONG "\",\"state\":\"created\"" },
	{ "\"temporary\"", "\"submodules\":[\"../a\"],\"temporary\"" },
	{ "\"temporary\"", "\"submodules\":[\"a/..\"],\"temporary\"" },
	{ "\"temporary\"", "\"submodules\":[\"/a\"],\"temporary\"" },
	{ "\"temporary\"", "\"submodules\":[\"\"],\"temporary\"" },
	{ "\"temporary\"", "\"submodules\":\"a\",\"temporary\"" },
	{ "\"schema\":1", "\"schema\":2" },
	{ "\"schema\":1", "\"schema\":1,\"more\":1" },
	{ "\"uid\":1000", "\"uid\":4294967295" },
	{ "\"uid\":1000", "\"uid\":-1" },
	{ "\"uid\":1000", "\"uid\":99999999999" },
	{ "\"created_us\":1", "\"created_us\":-1" },
	{ "\"temporary\":false", "\"temporary\":0" },
	{ "\"home\":\"/home/u\"", "\"home\":\"home/u\"" },
	{ "\"home\":\"/home/u\"", "\"home\":\"/home/../etc\"" },
	{ "\"home\":\"/home/u\"", "\"home\":\"/home/%2E%2E/etc\"" },
	{ "\"home\":\"/home/u\"", "\"home\":\"/home/%00\"" },
	{ "\"home\":\"/home/u\"", "\"home\":\"/home/%f\"" },
	{ "\"home\":\"/home/u\"", "\"home\":\"/home/%ff\"" },
	{ "/srv/r/.git/objects", "/srv/r/.git/../objects" },
	{ "/srv/r/.git/objects", "objects" },
	{ "\"base_commit\":\"" OID "\"", "\"base_commit\":\"HEAD\"" },
	{ "\"base_commit\":\"" OID "\"", "\"base_commit\":\"--output=/etc/passwd\"" },
	{ "\"base_branch\":\"main\"", "\"base_branch\":\"--all\"" },
};

Test(manifest, hostile_text_is_refused)
{
	BUF_AUTO text = BUF_INIT;

	sample(&text);
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		const char *at = strstr(text.data, hostile[i].from);
		struct error err = ERROR_INIT;
		BUF_AUTO bad = BUF_INIT;
		struct manifest m;

		cr_assert(at, "the sample lost %s", hostile[i].from);
		buf_add(&bad, text.data, (size_t)(at - text.data));
		buf_str(&bad, hostile[i].to);
		buf_str(&bad, at + strlen(hostile[i].from));
		cr_expect_eq(manifest_parse(bad.data, bad.len, &m, &err), -1, "%s", hostile[i].to);
		cr_expect_eq(err.kind, ERR_CORRUPT, "%s: %s", hostile[i].to, err.msg);
	}
}

Test(manifest, torn_text_is_refused)
{
	BUF_AUTO text = BUF_INIT;

	sample(&text);
	/* The last byte is the newline, which may be missing. */
	for (size_t len = 0; len + 1 < text.len; len++) {
		struct error err = ERROR_INIT;
		struct manifest m;

		cr_expect_eq(manifest_parse(text.data, len, &m, &err), -1, "%zu bytes", len);
	}
}

Test(manifest, too_long_is_refused)
{
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	struct manifest m;

	sample(&text);
	buf_pad(&text, ' ', MANIFEST_MAX);
	cr_expect_eq(manifest_parse(text.data, text.len, &m, &err), -1);
}

Test(box, a_whole_box_opens)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	struct box b;

	place_box(&p, ID_A, ID_A, TIER_PROCESS);
	cr_assert_eq(box_open_id(&p.root, ID_A, &b, &err), 0, "%s", err.msg);
	cr_expect_str_eq(b.m.name.data, "one");
	box_release(&b);
	place_end(&p);
}

Test(box, a_manifest_of_another_box_is_refused)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	struct box b;

	place_box(&p, ID_A, ID_B, TIER_PROCESS);
	cr_expect_eq(box_open_id(&p.root, ID_A, &b, &err), -1);
	cr_expect_eq(err.kind, ERR_CORRUPT);
	place_end(&p);
}

Test(box, tiers_that_disagree_are_refused)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	struct box b;

	place_box(&p, ID_A, ID_A, TIER_WORKSPACE);
	cr_expect_eq(box_open_id(&p.root, ID_A, &b, &err), -1);
	cr_expect_eq(err.kind, ERR_CORRUPT);
	place_end(&p);
}

Test(box, an_edited_policy_is_refused)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	BUF_AUTO json = BUF_INIT;
	struct policy policy;
	struct box b;

	place_box(&p, ID_A, ID_A, TIER_PROCESS);
	policy_init(&policy);
	buf_str(&policy.profile, "default");
	policy.tier = TIER_PROCESS;
	strv_add(&policy.write, "/etc");
	policy_json(&policy, &json);
	cr_assert_eq(
		file_write_atomic(p.root.fd, "b/" ID_A "/policy.json", place_text(json.data), &err),
		0);
	cr_expect_eq(box_open_id(&p.root, ID_A, &b, &err), -1);
	cr_expect_eq(err.kind, ERR_CORRUPT);
	cr_expect(strstr(err.msg, "policy"), "%s", err.msg);
	policy_release(&policy);
	place_end(&p);
}

Test(box, a_broken_one_hides_no_other)
{
	struct place p = place_make();
	struct box_list list = BOX_LIST_INIT;
	struct error err = ERROR_INIT;

	place_box(&p, ID_A, ID_B, TIER_PROCESS);
	place_box(&p, ID_B, ID_B, TIER_PROCESS);
	cr_assert_eq(box_list(&p.root, &list, &err), 0, "%s", err.msg);
	cr_assert_eq(list.len, 2);
	cr_expect_str_eq(list.v[0].id, ID_B);
	cr_expect_eq(list.v[0].err.kind, ERR_NONE);
	cr_expect_str_eq(list.v[1].id, ID_A);
	cr_expect_eq(list.v[1].err.kind, ERR_CORRUPT);
	box_list_release(&list);
	place_end(&p);
}

Test(box, a_directory_behind_a_symlink_is_no_box)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	struct box b;

	place_box(&p, ID_A, ID_A, TIER_PROCESS);
	cr_assert_eq(symlinkat(ID_A, p.root.fd, "b/" ID_B), 0);
	cr_expect_eq(box_open_id(&p.root, ID_B, &b, &err), -1);
	place_end(&p);
}
