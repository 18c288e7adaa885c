#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "mason/attributes.h"
#include "mason/index.h"
#include "mason/lfs.h"
#include "sys/fd.h"
#include "sys/file.h"

#define INDEX_MAX (1u << 30)
#define NAMED_MAX 8
#define OLD_NS (10ull * 1000000000u) /* git looks closer at files as new as its index */

static const char *const programs[] = { "/usr/bin/git-lfs", "/usr/local/bin/git-lfs" };

struct pointer_file {
	const char *path; /* in the bytes of the index */
	size_t at;	  /* of its stat data there */
	bool executable;
	struct lfs_pointer pointer;
};

struct filling {
	const struct lfs_fill *how;
	int work_fd;
	int from; /* objects of the operator; -1: none */
	int to;	  /* objects of the box */
	struct buf index;
	bool mentioned;
	struct pointer_file *v;
	size_t len, cap;
	size_t filled, absent;
	struct buf *out;
};

static void release(struct filling *f)
{
	fd_close(&f->work_fd);
	fd_close(&f->from);
	fd_close(&f->to);
	buf_release(&f->index);
	free(f->v);
}

static void look_for_attributes(void *arg, const struct index_entry *e)
{
	struct filling *f = arg;

	if (!f->mentioned && !e->skip && path_is_gitattributes(e->path))
		f->mentioned = attributes_mention(f->work_fd, e->path, "lfs");
}

static void look_for_pointer(void *arg, const struct index_entry *e)
{
	struct filling *f = arg;
	struct pointer_file p = { .path = e->path, .executable = e->mode == 0100755 };
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	if (e->skip || (e->mode & S_IFMT) != S_IFREG || e->sig.size < LFS_POINTER_MIN ||
	    e->sig.size > LFS_POINTER_MAX)
		return;
	if (file_read(f->work_fd, e->path, LFS_POINTER_MAX, &text, &ignored) ||
	    !lfs_pointer_parse(text.data, text.len, &p.pointer))
		return;
	p.at = e->stat_at;
	if (f->len == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 64;
		f->v = xrealloc(f->v, size_mul(f->cap, sizeof(*f->v)));
	}
	f->v[f->len++] = p;
}

static int each(struct filling *f, void (*visit)(void *arg, const struct index_entry *e),
		struct error *err)
{
	const struct index_bytes bytes = { f->index.data, f->index.len, f->how->hash_len };

	return index_each(&bytes, visit, f, err);
}

/* A file that looks like a pointer is one where its path has the attribute. */
static int drop_others(struct filling *f, struct error *err)
{
	BUF_AUTO paths = BUF_INIT;
	BUF_AUTO answers = BUF_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < f->len; i++)
		buf_add(&paths, f->v[i].path, strlen(f->v[i].path) + 1);
	if (lfs_attributes(f->how->git, &paths, &answers, err))
		return -1;
	for (size_t i = 0; i < f->len; i++) {
		if (answers.data[i] == 'y')
			f->v[kept++] = f->v[i];
	}
	f->len = kept;
	return 0;
}

static int find(struct filling *f, struct error *err)
{
	BUF_AUTO info = BUF_INIT;

	f->work_fd = file_open_dir(AT_FDCWD, f->how->work, err);
	if (f->work_fd < 0 ||
	    file_read(AT_FDCWD, f->how->git->index_file, INDEX_MAX, &f->index, err))
		return -1;
	buf_fmt(&info, "%s/info/attributes", f->how->git->git_dir);
	f->mentioned = attributes_mention(AT_FDCWD, info.data, "lfs");
	if (each(f, look_for_attributes, err))
		return -1;
	if (!f->mentioned)
		return 0;
	return each(f, look_for_pointer, err) || drop_others(f, err) ? -1 : 0;
}

static int open_objects(struct filling *f, struct error *err)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "%s/../git/lfs/objects", f->how->work);
	if (*f->how->objects)
		f->from = file_open_dir(AT_FDCWD, f->how->objects, &ignored);
	if (file_mkdir_p(AT_FDCWD, path.data, 0755, err))
		return -1;
	f->to = file_open_dir(AT_FDCWD, path.data, err);
	return f->to < 0 ? -1 : 0;
}

/* A copy of the object in the box. -1 where there is none that could be taken. */
static int open_copy(const struct filling *f, const struct pointer_file *p)
{
	const struct lfs_copy how = { .what = &p->pointer, .mode = 0644 };
	struct error ignored = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;
	FD_AUTO from = -1;

	lfs_object_path(p->pointer.oid, &path);
	if (f->from < 0 || p->pointer.extended)
		return -1;
	from = file_open_beneath(f->from, path.data, O_RDONLY | O_NONBLOCK, 0, &ignored);
	if (from < 0 || lfs_object_add(f->to, from, &how, &ignored))
		return -1;
	return file_open_beneath(f->to, path.data, O_RDONLY, 0, &ignored);
}

static int copy_all(int from, int to, struct error *err)
{
	ssize_t n;

	do
		n = copy_file_range(from, NULL, to, NULL, 1u << 30, 0);
	while (n > 0);
	return n < 0 ? error_sys(err, errno, "cannot write a file of git-lfs") : 0;
}

static void put32(unsigned char *dst, uint64_t value)
{
	for (int i = 0; i < 4; i++)
		dst[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* As in the index: two times, device, inode, mode (which stays), owner, group, size. */
static void put_stat(const struct stat *st, unsigned char *dst)
{
	const uint64_t before[] = { (uint64_t)st->st_ctim.tv_sec,
				    (uint64_t)st->st_ctim.tv_nsec,
				    (uint64_t)st->st_mtim.tv_sec,
				    (uint64_t)st->st_mtim.tv_nsec,
				    st->st_dev,
				    st->st_ino };
	const uint64_t after[] = { st->st_uid, st->st_gid, (uint64_t)st->st_size };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		put32(dst + 4 * i, before[i]);
	for (size_t i = 0; i < ARRAY_SIZE(after); i++)
		put32(dst + 28 + 4 * i, after[i]);
}

/* A new file in the place of the pointer, older than the index that will know it. */
static int write_file(struct filling *f, const struct pointer_file *p, int from, struct error *err)
{
	uint64_t old = clock_file_ns() - OLD_NS;
	const struct timespec t = { .tv_sec = (time_t)(old / 1000000000u),
				    .tv_nsec = (long)(old % 1000000000u) };
	const struct timespec times[] = { t, t };
	FD_AUTO to = -1;
	struct stat st;

	if (unlinkat(f->work_fd, p->path, 0))
		return error_sys(err, errno, "cannot replace a pointer of git-lfs");
	to = file_open_beneath(f->work_fd, p->path, O_WRONLY | O_CREAT | O_EXCL,
			       p->executable ? 0777 : 0666, err);
	if (to < 0 || copy_all(from, to, err))
		return -1;
	if (futimens(to, times) || fstat(to, &st))
		return error_sys(err, errno, "cannot write a file of git-lfs");
	put_stat(&st, (unsigned char *)f->index.data + p->at);
	return 0;
}

static int fill_one(struct filling *f, const struct pointer_file *p, struct error *err)
{
	FD_AUTO from = open_copy(f, p);

	if (from >= 0) {
		f->filled++;
		return write_file(f, p, from, err);
	}
	if (f->absent++ < NAMED_MAX) {
		buf_str(f->out, "lfs-absent ");
		git_quote(p->path, f->out);
		buf_char(f->out, '\n');
	}
	return 0;
}

/* git itself puts the right sum at the index's end. */
static int write_index(const struct filling *f, struct error *err)
{
	static const char *const args[] = { "update-index", "--force-write-index", NULL };
	struct git_cmd cmd = *f->how->git;
	struct file_content bytes = { f->index.data, f->index.len, 0644 };

	cmd.args = args;
	return file_write_atomic(AT_FDCWD, cmd.index_file, bytes, err) || git_must(&cmd, err) ? -1 :
												0;
}

static bool has_program(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (!access(programs[i], X_OK))
			return true;
	}
	return false;
}

static int fill_all(struct filling *f, struct error *err)
{
	if (!has_program()) {
		buf_fmt(f->out, "lfs %zu program\n", f->len);
		return 0;
	}
	if (open_objects(f, err))
		return -1;
	for (size_t i = 0; i < f->len; i++) {
		if (fill_one(f, &f->v[i], err))
			return -1;
	}
	buf_fmt(f->out, "lfs %zu filled\n", f->filled);
	if (f->absent)
		buf_fmt(f->out, "lfs %zu absent\n", f->absent);
	return f->filled ? write_index(f, err) : 0;
}

int lfs_fill(const struct lfs_fill *how, struct buf *out, struct error *err)
{
	struct filling f = {
		.how = how, .work_fd = -1, .from = -1, .to = -1, .index = BUF_INIT, .out = out
	};
	int rc = find(&f, err);

	if (!rc && f.len)
		rc = fill_all(&f, err);
	release(&f);
	return rc;
}
