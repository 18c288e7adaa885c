#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "base/alloc.h"
#include "base/strv.h"
#include "mason/attributes.h"
#include "mason/contents.h"
#include "mason/converted.h"
#include "mason/hash.h"
#include "mason/lfs-take.h"
#include "sys/file.h"

#define BYTES_PER_MS 10000 /* however slow the disk is */

/* Files still to be done: indices into what was found. */
struct todo {
	const struct walk_result *found;
	struct picks left;
	struct git_cmd git; /* how to hash them */
};

static int take_hash(const struct contents *c, const struct hash_list *h, size_t i,
		     unsigned char *out, struct error *err)
{
	memset(out, 0, ROSTER_OID_MAX);
	return oid_parse(hash_at(h, i), c->roster->oid_len, out) ?
		       0 :
		       error_set(err, ERR_PEER, "git hash-object gave no id");
}

/* git hashes files only, and would follow a symlink: its target becomes a file. */
static int write_link(const struct contents *c, const char *path, size_t number, struct buf *name,
		      struct error *err)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(c->work_fd, path, target, sizeof(target));

	/* As for a file that is gone: the caller begins again. */
	if (len < 0)
		return error_set(err, ERR_PEER, "a symlink of the box cannot be read: %s",
				 strerror(errno));
	buf_fmt(name, "%s/%zu", c->repo->links.data, number);
	return file_create(AT_FDCWD, name->data, (struct file_content){ target, (size_t)len, 0600 },
			   err);
}

static int read_links(struct contents *c, const struct walk_result *found, struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;
	unsigned char oid[ROSTER_OID_MAX];
	size_t n = 0;

	for (size_t i = 0; i < found->len; i++) {
		BUF_AUTO name = BUF_INIT;

		if (found->v[i].mode != MODE_LINK)
			continue;
		if (write_link(c, roster_path(c->roster, found->v[i].entry), h.len, &name, err))
			return -1;
		hash_add(&h, name.data);
	}
	if (hash_run(&h, &c->repo->git, HASH_WRITE | HASH_RAW, 2 * c->roster->oid_len, err))
		return -1;
	for (size_t i = 0; i < found->len; i++) {
		if (found->v[i].mode != MODE_LINK)
			continue;
		if (take_hash(c, &h, n++, oid, err))
			return -1;
		roster_set(c->roster, found->v[i].entry, MODE_LINK, oid);
	}
	c->stored += n;
	return 0;
}

static bool has_base(const struct entry *e)
{
	return e->base_mode == 0100644 || e->base_mode == 0100755;
}

/* Takes those off the list whose hash, as the flags say, is the base's. */
static int drop_same(struct contents *c, unsigned flags, struct todo *todo, struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;
	unsigned char oid[ROSTER_OID_MAX];
	size_t kept = 0, n = 0;

	for (size_t i = 0; i < todo->left.len; i++) {
		uint32_t entry = todo->found->v[todo->left.v[i]].entry;

		if (has_base(&c->roster->v[entry]))
			hash_add(&h, roster_path(c->roster, entry));
	}
	if (hash_run(&h, &todo->git, flags, 2 * c->roster->oid_len, err))
		return -1;
	for (size_t i = 0; i < todo->left.len; i++) {
		const struct walk_file *f = &todo->found->v[todo->left.v[i]];
		const struct entry *e = &c->roster->v[f->entry];

		if (has_base(e) && take_hash(c, &h, n++, oid, err))
			return -1;
		if (has_base(e) && memcmp(oid, e->base, c->roster->oid_len) == 0)
			roster_set(c->roster, f->entry, f->mode, oid);
		else
			todo->left.v[kept++] = todo->left.v[i];
	}
	todo->left.len = kept;
	return 0;
}

static int store(struct contents *c, const struct todo *todo, struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;
	unsigned char oid[ROSTER_OID_MAX];

	for (size_t i = 0; i < todo->left.len; i++)
		hash_add(&h, roster_path(c->roster, todo->found->v[todo->left.v[i]].entry));
	if (hash_run(&h, &todo->git, HASH_WRITE, 2 * c->roster->oid_len, err))
		return -1;
	for (size_t i = 0; i < todo->left.len; i++) {
		const struct walk_file *f = &todo->found->v[todo->left.v[i]];

		if (take_hash(c, &h, i, oid, err))
			return -1;
		roster_set(c->roster, f->entry, f->mode, oid);
	}
	c->stored += todo->left.len;
	return 0;
}

/* Those whose pointer, in that state, is to be taken: the base's own, or any. */
static int take_pointers(struct contents *c, struct todo *todo, const struct lfs_files *lfs,
			 bool only_same, struct error *err)
{
	size_t kept = 0, next = 0;

	for (size_t i = 0; i < todo->left.len; i++) {
		const struct walk_file *f = &todo->found->v[todo->left.v[i]];
		const struct entry *e = &c->roster->v[f->entry];
		const struct lfs_file *l;
		bool same;

		while (next < lfs->len && lfs->v[next].found < todo->left.v[i])
			next++;
		l = next < lfs->len && lfs->v[next].found == todo->left.v[i] ? &lfs->v[next] : NULL;
		same = l && has_base(e) && !memcmp(l->blob, e->base, c->roster->oid_len);
		if (!l || (only_same && !same)) {
			todo->left.v[kept++] = todo->left.v[i];
			continue;
		}
		if (!same && c->keep) {
			if (lfs_keep(c, todo->found, l, err))
				return -1;
			buf_fmt(c->out, "lfs %s %llu\n", l->pointer.oid,
				(unsigned long long)l->pointer.size);
		}
		roster_set(c->roster, f->entry, f->mode, l->blob);
	}
	todo->left.len = kept;
	return 0;
}

bool contents_speak_of(const struct contents *c, const struct walk_result *found, const char *word)
{
	BUF_AUTO info = BUF_INIT;

	buf_fmt(&info, "%s/info/attributes", c->repo->dir.data);
	if (attributes_mention(AT_FDCWD, info.data, word))
		return true;
	for (size_t i = 0; i < found->attributes.len; i++) {
		const char *path = roster_path(c->roster, found->attributes.v[i]);

		if (attributes_mention(c->work_fd, path, word))
			return true;
	}
	return false;
}

/* Files that have to be compared with what the base has there. */
static int store_converted(struct contents *c, struct todo *todo, struct error *err)
{
	bool encodings = todo->left.len && contents_speak_of(c, todo->found, "encoding");
	BUF_AUTO memory = BUF_INIT;
	struct converted_file *v;
	size_t kept = 0, n = 0;

	buf_grow(&memory, size_mul(todo->left.len + 1, sizeof(*v)));
	v = (struct converted_file *)(void *)memory.data;
	for (size_t i = 0; i < todo->left.len; i++) {
		const struct walk_file *f = &todo->found->v[todo->left.v[i]];
		const char *path = roster_path(c->roster, f->entry);

		if (has_base(&c->roster->v[f->entry]) &&
		    (encodings || converted_in_file(c->work_fd, path)))
			v[n++] = (struct converted_file){ .path = path, .file = f };
		else
			todo->left.v[kept++] = todo->left.v[i];
	}
	todo->left.len = kept;
	return converted_store(c, v, n, err);
}

/*
 * The look without conversion is for files that were committed with CRLF: they did not change. It
 * comes before any is stored.
 */
static int read_files(struct contents *c, struct todo *todo, struct error *err)
{
	LFS_FILES_AUTO lfs = LFS_FILES_INIT;

	if (c->converts && (lfs_find(c, todo->found, &todo->left, &lfs, err) ||
			    take_pointers(c, todo, &lfs, true, err)))
		return -1;
	c->stored += lfs.len;
	if (c->many && drop_same(c, 0, todo, err))
		return -1;
	if (c->converts &&
	    (drop_same(c, HASH_RAW, todo, err) || take_pointers(c, todo, &lfs, false, err) ||
	     store_converted(c, todo, err)))
		return -1;
	return store(c, todo, err);
}

int contents_read(struct contents *c, const struct walk_result *found, struct error *err)
{
	struct todo todo = { .found = found, .left = PICKS_INIT, .git = c->repo->git };
	int rc;

	todo.git.timeout_ms = CONTENTS_TIMEOUT_MS;
	for (size_t i = 0; i < found->len; i++) {
		if (found->v[i].mode == MODE_LINK)
			continue;
		picks_add(&todo.left, (uint32_t)i);
		todo.git.timeout_ms += c->roster->v[found->v[i].entry].sig.size / BYTES_PER_MS;
	}
	c->timeout_ms = todo.git.timeout_ms;
	rc = read_links(c, found, err) || read_files(c, &todo, err) ? -1 : 0;
	picks_release(&todo.left);
	return rc;
}
