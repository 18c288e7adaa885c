#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "mason/hash.h"
#include "mason/lfs-take.h"
#include "mason/lfs.h"
#include "sys/fd.h"
#include "sys/file.h"

#define OBJECTS "lfs" /* in SNAPDIR */

void lfs_files_release(struct lfs_files *l)
{
	free(l->v);
	*l = (struct lfs_files)LFS_FILES_INIT;
}

static const char *path_of(const struct contents *c, const struct walk_result *found, uint32_t i)
{
	return roster_path(c->roster, found->v[i].entry);
}

/* A file that is gone, or no file any more, makes the caller begin again. */
static int open_file(const struct contents *c, const char *path, struct stat *st, struct error *err)
{
	FD_AUTO fd = file_open_beneath(c->work_fd, path, O_RDONLY | O_NONBLOCK, 0, err);

	if (fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode))
		return fd_take(&fd);
	return error_set(err, ERR_PEER, "a file of git-lfs cannot be read");
}

/* False where the file is what git-lfs leaves as it is. */
static bool wants_pointer(int fd, const struct stat *st)
{
	char text[LFS_POINTER_MAX];
	struct lfs_pointer p;
	ssize_t n;

	if (st->st_size == 0)
		return false;
	if (st->st_size > LFS_POINTER_MAX)
		return true;
	n = pread(fd, text, sizeof(text), 0);
	return n < 0 || !lfs_pointer_parse(text, (size_t)n, &p);
}

static void add(struct lfs_files *l, uint32_t found, const struct digest_sum *sum)
{
	struct lfs_file *f;

	if (l->len == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->v = xrealloc(l->v, size_mul(l->cap, sizeof(*l->v)));
	}
	f = &l->v[l->len++];
	*f = (struct lfs_file){ .found = found, .pointer = { .size = sum->size } };
	memcpy(f->pointer.oid, sum->hex, sizeof(f->pointer.oid));
}

static int look(const struct contents *c, const struct walk_result *found, uint32_t i,
		struct lfs_files *out, struct error *err)
{
	struct digest_sum sum;
	struct stat st;
	FD_AUTO fd = open_file(c, path_of(c, found, i), &st, err);

	if (fd < 0)
		return -1;
	if (!wants_pointer(fd, &st))
		return 0;
	/* A file that grows is read up to where it ended: it is seen to have changed later. */
	if (digest_stream(fd, -1, (uint64_t)st.st_size, &sum, err))
		return err->kind == ERR_LIMIT ? error_set(err, ERR_PEER, "a file grows") : -1;
	add(out, i, &sum);
	return 0;
}

/* The pointers become blobs, by way of files. */
static int store_pointers(const struct contents *c, struct lfs_files *l, struct error *err)
{
	HASH_LIST_AUTO h = HASH_LIST_INIT;

	for (size_t i = 0; i < l->len; i++) {
		BUF_AUTO name = BUF_INIT;
		BUF_AUTO text = BUF_INIT;

		buf_fmt(&name, "%s/lfs-%zu", c->repo->links.data, i);
		lfs_pointer_text(&l->v[i].pointer, &text);
		if (file_create(AT_FDCWD, name.data,
				(struct file_content){ text.data, text.len, 0600 }, err))
			return -1;
		hash_add(&h, name.data);
	}
	if (hash_run(&h, &c->repo->git, HASH_WRITE | HASH_RAW, 2 * c->roster->oid_len, err))
		return -1;
	for (size_t i = 0; i < l->len; i++) {
		if (!oid_parse(hash_at(&h, i), c->roster->oid_len, l->v[i].blob))
			return error_set(err, ERR_PEER, "git hash-object gave no id");
	}
	return 0;
}

int lfs_find(const struct contents *c, const struct walk_result *found, const struct picks *left,
	     struct lfs_files *out, struct error *err)
{
	BUF_AUTO paths = BUF_INIT;
	BUF_AUTO answers = BUF_INIT;
	struct git_cmd git = c->repo->git;

	if (!left->len || !contents_speak_of(c, found, "lfs"))
		return 0;
	git.timeout_ms = CONTENTS_TIMEOUT_MS;
	for (size_t i = 0; i < left->len; i++) {
		const char *path = path_of(c, found, left->v[i]);

		buf_add(&paths, path, strlen(path) + 1);
	}
	if (lfs_attributes(&git, &paths, &answers, err))
		return -1;
	for (size_t i = 0; i < left->len; i++) {
		if (answers.data[i] == 'y' && look(c, found, left->v[i], out, err))
			return -1;
	}
	return store_pointers(c, out, err);
}

int lfs_keep(const struct contents *c, const struct walk_result *found, const struct lfs_file *f,
	     struct error *err)
{
	const struct lfs_copy how = { .what = &f->pointer, .mode = 0600 };
	FD_AUTO objects = -1;
	FD_AUTO from = -1;
	struct stat st;

	if (mkdirat(c->repo->snap_fd, OBJECTS, 0700) && errno != EEXIST)
		return error_sys(err, errno, "cannot make a directory for objects of git-lfs");
	objects = file_open_dir(c->repo->snap_fd, OBJECTS, err);
	from = objects < 0 ? -1 : open_file(c, path_of(c, found, f->found), &st, err);
	if (from < 0)
		return -1;
	if (!lfs_object_add(objects, from, &how, err))
		return 0;
	return err->kind == ERR_CORRUPT ? error_set(err, ERR_PEER, "a file of git-lfs changes") :
					  -1;
}
