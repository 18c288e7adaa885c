#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "box/transfer-parts.h"
#include "store/gate.h"

void transfer_list_release(struct transfer_list *l)
{
	for (size_t i = 0; i < l->len; i++) {
		buf_release(&l->v[i].path);
		buf_release(&l->v[i].outside);
	}
	free(l->v);
	*l = (struct transfer_list)TRANSFER_LIST_INIT;
}

struct transfer_file *transfer_add(struct transfer_list *l, struct buf *path, struct buf *outside)
{
	struct transfer_file *f;

	l->v = xrealloc(l->v, size_mul(l->len + 1, sizeof(*l->v)));
	f = &l->v[l->len++];
	*f = (struct transfer_file){ .path = *path, .outside = *outside };
	*path = (struct buf)BUF_INIT;
	*outside = (struct buf)BUF_INIT;
	return f;
}

const char *transfer_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int transfer_spool(const struct box *b, struct error *err)
{
	int fd = openat(b->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Not every file system has unnamed files. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = memfd_create("git-box-transfer", MFD_CLOEXEC);
	return fd < 0 ? error_sys(err, errno, "cannot make a temporary file in %s", b->path.data) :
			fd;
}

int transfer_check_names(const struct transfer_list *l, bool outside, struct error *err)
{
	for (size_t i = 0; i < l->len; i++) {
		const struct transfer_file *a = &l->v[i];

		for (size_t j = 0; j < i; j++) {
			const struct transfer_file *b = &l->v[j];
			const char *one = outside ? a->outside.data : a->path.data;

			if (strcmp(one, outside ? b->outside.data : b->path.data) == 0)
				return error_set(err, ERR_USAGE, "two of the files would be '%s'",
						 one);
		}
	}
	return 0;
}

/* One component onto a path; false where ".." leads out. */
static bool append(struct buf *path, const char *name, size_t len)
{
	if (len == 0 || (len == 1 && name[0] == '.'))
		return true;
	if (len == 2 && memcmp(name, "..", 2) == 0) {
		const char *slash = strrchr(path->data, '/');

		if (path->len == 0)
			return false;
		buf_truncate(path, slash ? (size_t)(slash - path->data) : 0);
		return true;
	}
	if (path->len)
		buf_char(path, '/');
	buf_add(path, name, len);
	return true;
}

static bool append_all(struct buf *path, const char *typed)
{
	while (*typed) {
		size_t len = strcspn(typed, "/");

		if (!append(path, typed, len))
			return false;
		typed += len + (typed[len] == '/');
	}
	return true;
}

int transfer_path(const struct repo *repo, const char *typed, struct buf *out, struct error *err)
{
	size_t top = repo->top.len;
	BUF_AUTO path = BUF_INIT;
	bool inside = true;

	if (!*typed)
		return error_set(err, ERR_USAGE, "an empty path names no file of the box");
	if (typed[0] == '/') {
		inside = strncmp(typed, repo->top.data, top) == 0 &&
			 (typed[top] == '/' || typed[top] == '\0');
		inside = inside && append_all(&path, typed + top);
	} else {
		inside = append_all(&path, repo->prefix.data) && append_all(&path, typed);
	}
	if (!inside)
		return error_set(err, ERR_REFUSED, "'%s' is outside of the box's work tree", typed);
	if (path.len && gate_check_path(path.data, err) < 0)
		return -1;
	buf_add(out, path.data, path.len);
	return 0;
}
