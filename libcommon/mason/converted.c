#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "mason/converted.h"
#include "sys/fd.h"
#include "sys/file.h"

#define CHUNK 65536
#define INDEX "base.index"  /* in SNAPDIR: what the base has in those places */
#define CHECKOUT "checkout" /* in SNAPDIR: files as a checkout makes them */

static bool has_word(const char *bytes, size_t len)
{
	return memmem(bytes, len, "\r\n", 2) || memmem(bytes, len, "$Id", 3);
}

bool converted_in_file(int work_fd, const char *path)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO fd = file_open_beneath(work_fd, path, O_RDONLY | O_NONBLOCK, 0, &ignored);
	char bytes[CHUNK];
	size_t kept = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = read(fd, bytes + kept, sizeof(bytes) - kept)) > 0) {
		size_t len = kept + (size_t)n;

		if (has_word(bytes, len))
			return true;
		/* The beginning of a word may be at the end. */
		kept = len < 2 ? len : 2;
		memmove(bytes, bytes + len - kept, kept);
	}
	return false;
}

static int call(const struct git_cmd *git, const char *const *args, const struct buf *in,
		struct buf *out, struct error *err)
{
	struct git_cmd cmd = *git;

	cmd.args = args;
	cmd.out = out;
	if (in) {
		cmd.in = in->data;
		cmd.in_len = in->len;
	}
	return git_must(&cmd, err);
}

static int list_base(const struct contents *c, const struct converted_file *v, size_t len,
		     const struct git_cmd *git, struct error *err)
{
	static const char *const args[] = { "update-index", "-z", "--index-info", NULL };
	BUF_AUTO info = BUF_INIT;

	for (size_t i = 0; i < len; i++) {
		const struct entry *e = &c->roster->v[v[i].file->entry];

		buf_fmt(&info, "%06o ", e->base_mode);
		oid_hex(e->base, c->roster->oid_len, &info);
		buf_fmt(&info, "\t%s", v[i].path);
		buf_char(&info, '\0');
	}
	return call(git, args, &info, NULL, err);
}

static void list_paths(const struct converted_file *v, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++)
		buf_add(out, v[i].path, strlen(v[i].path) + 1);
}

static int check_out(const struct converted_file *v, size_t len, const struct git_cmd *git,
		     const char *prefix, struct error *err)
{
	const char *const args[] = { "checkout-index", "-q", prefix, "-z", "--stdin", NULL };
	BUF_AUTO paths = BUF_INIT;

	list_paths(v, len, &paths);
	return call(git, args, &paths, NULL, err);
}

static int add_files(const struct converted_file *v, size_t len, const struct git_cmd *git,
		     struct error *err)
{
	static const char *const args[] = { "update-index", "-z", "--stdin", NULL };
	BUF_AUTO paths = BUF_INIT;

	list_paths(v, len, &paths);
	return call(git, args, &paths, NULL, err);
}

/* Up to len bytes, fewer at the end. */
static size_t read_some(int fd, char *dst, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = read(fd, dst + have, len - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	return have;
}

static bool same_bytes(int a, int b)
{
	char one[CHUNK], other[CHUNK];

	for (;;) {
		size_t n = read_some(a, one, sizeof(one));

		if (read_some(b, other, sizeof(other)) != n || memcmp(one, other, n) != 0)
			return false;
		if (n < sizeof(one))
			return true;
	}
}

static bool is_as_checked_out(const struct contents *c, int checkout, const char *path)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO a = file_open_beneath(c->work_fd, path, O_RDONLY | O_NONBLOCK, 0, &ignored);
	FD_AUTO b = file_open_beneath(checkout, path, O_RDONLY, 0, &ignored);

	return a >= 0 && b >= 0 && same_bytes(a, b);
}

/* Takes those off the list that are what a checkout of the base makes. */
static int drop_unchanged(struct contents *c, struct converted_file *v, size_t *len,
			  const struct git_cmd *git, struct error *err)
{
	BUF_AUTO prefix = BUF_INIT;
	FD_AUTO checkout = -1;
	size_t kept = 0;

	buf_fmt(&prefix, "--prefix=%s/../" CHECKOUT "/", c->repo->dir.data);
	if (file_remove_tree(c->repo->snap_fd, CHECKOUT, err) ||
	    file_mkdir(c->repo->snap_fd, CHECKOUT, 0700, err) ||
	    check_out(v, *len, git, prefix.data, err))
		return -1;
	checkout = file_open_dir(c->repo->snap_fd, CHECKOUT, err);
	if (checkout < 0)
		return -1;
	for (size_t i = 0; i < *len; i++) {
		const struct walk_file *f = v[i].file;

		if (is_as_checked_out(c, checkout, v[i].path))
			roster_set(c->roster, f->entry, f->mode, c->roster->v[f->entry].base);
		else
			v[kept++] = v[i];
	}
	*len = kept;
	return file_remove_tree(c->repo->snap_fd, CHECKOUT, err);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct converted_file *)a)->path,
		      ((const struct converted_file *)b)->path);
}

/* list: "<mode> <id> <stage>\t<path>\0" each; both are sorted, and v is a part of it. */
static int take_ids(struct contents *c, const struct converted_file *v, size_t len,
		    const struct buf *list, struct error *err)
{
	size_t n = 0;

	for (size_t at = 0; at < list->len && n < len; at += strlen(list->data + at) + 1) {
		const char *tab = strchr(list->data + at, '\t');
		const char *id = strchr(list->data + at, ' ');
		unsigned char oid[ROSTER_OID_MAX] = { 0 };

		if (!tab || !id || strcmp(tab + 1, v[n].path) != 0)
			continue;
		if (!oid_parse(id + 1, c->roster->oid_len, oid))
			break;
		roster_set(c->roster, v[n].file->entry, v[n].file->mode, oid);
		n++;
	}
	c->stored += n;
	return n == len ? 0 : error_set(err, ERR_PEER, "a file of the box is gone");
}

static int add_and_take(struct contents *c, const struct converted_file *v, size_t len,
			const struct git_cmd *git, struct error *err)
{
	static const char *const args[] = { "ls-files", "-s", "-z", NULL };
	BUF_AUTO list = BUF_INIT;

	if (!len)
		return 0;
	if (add_files(v, len, git, err) || call(git, args, NULL, &list, err))
		return -1;
	return take_ids(c, v, len, &list, err);
}

int converted_store(struct contents *c, struct converted_file *v, size_t len, struct error *err)
{
	BUF_AUTO index = BUF_INIT;
	struct git_cmd git = c->repo->git;

	if (!len)
		return 0;
	qsort(v, len, sizeof(*v), by_path);
	buf_fmt(&index, "%s/../" INDEX, c->repo->dir.data);
	git.index_file = index.data;
	git.timeout_ms = c->timeout_ms;
	if (file_remove_tree(c->repo->snap_fd, INDEX, err) ||
	    file_remove_tree(c->repo->snap_fd, INDEX ".lock", err) ||
	    list_base(c, v, len, &git, err) || drop_unchanged(c, v, &len, &git, err) ||
	    add_and_take(c, v, len, &git, err))
		return -1;
	(void)unlinkat(c->repo->snap_fd, INDEX, 0);
	return 0;
}
