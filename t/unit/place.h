/* A repository's box directory below a scratch directory, for the tests of libcommon/box. */
#ifndef T_UNIT_PLACE_H
#define T_UNIT_PLACE_H

#include <criterion/criterion.h>
#include <fcntl.h>

#include "box/box.h"
#include "sys/fd.h"
#include "sys/file.h"

#define ID_A "00000000000000aa"
#define ID_B "00000000000000bb"
#define OID "0123456789012345678901234567890123456789"

struct place {
	char dir[64];
	struct repo repo;
	struct box_root root;
};

static inline struct file_content place_text(const char *text)
{
	return (struct file_content){ .data = text, .len = strlen(text), .mode = 0600 };
}

static inline struct place place_make(void)
{
	struct place p = { .dir = "/tmp/test-box-XXXXXX",
			   .repo = REPO_INIT,
			   .root = BOX_ROOT_INIT };
	struct error err = ERROR_INIT;

	cr_assert(mkdtemp(p.dir));
	buf_str(&p.repo.common_dir, p.dir);
	buf_str(&p.repo.git_dir, p.dir);
	p.repo.common_fd = open(p.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_eq(box_root_open(&p.repo, true, &p.root, &err), 0, "%s", err.msg);
	return p;
}

static inline void place_end(struct place *p)
{
	struct error err = ERROR_INIT;

	box_root_release(&p->root);
	repo_release(&p->repo);
	cr_expect_eq(file_remove_tree(AT_FDCWD, p->dir, &err), 0, "%s", err.msg);
}

static inline void place_manifest(struct manifest *m, const char *id)
{
	manifest_init(m);
	memcpy(m->id, id, sizeof(m->id));
	buf_str(&m->name, "one");
	m->tier = TIER_PROCESS;
	buf_str(&m->profile, "default");
	memset(m->policy_digest, 'a', 64);
	buf_str(&m->base_commit, OID);
	buf_str(&m->base_tree, OID);
	buf_str(&m->base_branch, "main");
	buf_str(&m->repo_top, "/srv/r\xff\n %41");
	buf_str(&m->home, "/home/u");
	strv_add(&m->objects, "/srv/r/.git/objects");
	m->uid = 1000;
	m->gid = 1000;
	m->created_us = 1;
}

/* A whole box in directory b/dir_id; its manifest says id and tier. */
static inline void place_box(const struct place *p, const char *dir_id, const char *id,
			     enum tier tier)
{
	struct error err = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO json = BUF_INIT;
	struct policy policy;
	struct manifest m;

	policy_init(&policy);
	buf_str(&policy.profile, "default");
	policy.tier = TIER_PROCESS;
	policy_json(&policy, &json);
	place_manifest(&m, id);
	m.tier = tier;
	policy_digest(&policy, m.policy_digest);
	buf_fmt(&path, "b/%s", dir_id);
	cr_assert_eq(file_mkdir(p->root.fd, path.data, 0700, &err), 0, "%s", err.msg);
	FD_AUTO fd = file_open_beneath(p->root.fd, path.data, O_RDONLY | O_DIRECTORY, 0, &err);
	cr_assert_eq(file_create(fd, "policy.json", place_text(json.data), &err), 0, "%s", err.msg);
	cr_assert_eq(manifest_write(fd, &m, &err), 0, "%s", err.msg);
	manifest_release(&m);
	policy_release(&policy);
}

#endif
