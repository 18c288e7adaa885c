#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "box/mason.h"
#include "box/outside.h"
#include "box/transfer-parts.h"
#include "store/gate.h"
#include "sys/fd.h"

/* Onto the spool as the mason wants it. */
static int spool_one(const struct put_request *req, struct transfer_file *f, int spool,
		     struct error *err)
{
	FD_AUTO fd = outside_open(req->repo, f->outside.data, err);
	BUF_AUTO head = BUF_INIT;
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return error_sys(err, errno, "cannot look at '%s'", f->outside.data);
	if ((uint64_t)st.st_size > req->max)
		return error_set(err, ERR_REFUSED,
				 "'%s' has %lld bytes, more than the limit of %llu",
				 f->outside.data, (long long)st.st_size,
				 (unsigned long long)req->max);
	f->size = (uint64_t)st.st_size;
	f->executable = st.st_mode & 0111;
	buf_fmt(&head, "file %s %llu\n", f->executable ? "755" : "644",
		(unsigned long long)f->size);
	if (fd_write_full(spool, head.data, head.len, err) < 0 ||
	    fd_copy(fd, spool, f->size, err) < 0)
		return error_wrap(err, "'%s'", f->outside.data);
	return 0;
}

static int list_files(const struct put_request *req, struct transfer_list *out, struct error *err)
{
	BUF_AUTO dir = BUF_INIT;

	if (transfer_path(req->repo, req->dir ? req->dir : ".", &dir, err) < 0)
		return -1;
	for (const char *const *p = req->files; *p; p++) {
		const char *name = transfer_name(*p);
		BUF_AUTO path = BUF_INIT;
		BUF_AUTO outside = BUF_INIT;

		if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			return error_set(err, ERR_USAGE, "'%s' names no file", *p);
		buf_fmt(&path, "%s%s%s", dir.data, dir.len ? "/" : "", name);
		if (gate_check_path(path.data, err) < 0)
			return -1;
		buf_str(&outside, *p);
		transfer_add(out, &path, &outside);
	}
	return transfer_check_names(out, false, err);
}

static int write_inside(const struct put_request *req, const struct transfer_list *l, int spool,
			struct error *err)
{
	const struct mason_io io = { .in = spool, .out = -1 };
	STRV_AUTO argv = STRV_INIT;

	strv_add(&argv, MASON_PATH);
	strv_add(&argv, "write");
	strv_addf(&argv, "%s/work", req->box->path.data);
	strv_add(&argv, req->force ? "replace" : "new");
	for (size_t i = 0; i < l->len; i++)
		strv_add(&argv, l->v[i].path.data);
	if (lseek(spool, 0, SEEK_SET) < 0)
		return error_sys(err, errno, "cannot read the temporary file");
	if (mason_stream(req->box, strv_argv(&argv), &io, err) == 0)
		return 0;
	return err->kind == ERR_EXISTS && !req->force ? error_hint(err, "--force replaces it") : -1;
}

static int put(const struct put_request *req, struct transfer_list *l, struct error *err)
{
	FD_AUTO spool = -1;
	FD_AUTO lock = -1;

	if (list_files(req, l, err) < 0)
		return -1;
	spool = transfer_spool(req->box, err);
	if (spool < 0)
		return -1;
	for (size_t i = 0; i < l->len; i++) {
		if (spool_one(req, &l->v[i], spool, err) < 0)
			return -1;
	}
	lock = box_lock_idle(req->box, err);
	return lock < 0 ? -1 : write_inside(req, l, spool, err);
}

int box_put(const struct put_request *req, struct transfer_list *out, struct error *err)
{
	struct transfer_list l = TRANSFER_LIST_INIT;

	if (put(req, &l, err) < 0) {
		transfer_list_release(&l);
		return -1;
	}
	*out = l;
	return 0;
}
