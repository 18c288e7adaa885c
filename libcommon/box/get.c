#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "base/num.h"
#include "box/mason.h"
#include "box/outside.h"
#include "box/transfer-parts.h"
#include "sys/fd.h"

#define LOCK_WAIT_MS 2000
#define HEAD_MAX 64

struct get {
	const struct get_request *req;
	struct transfer_list files; /* all that are wanted */
	int dir;		    /* where they go; -1: to req->out */
	const char *name;	    /* of the one file; NULL: each keeps its own */
	int spool;
};

static bool to_stream(const struct get *g)
{
	return g->req->dest && strcmp(g->req->dest, "-") == 0;
}

/* An existing directory; else, for one file that does not ask for a directory, a name in one. */
static int open_dest(struct get *g, struct error *err)
{
	const char *dest = g->req->dest ? g->req->dest : ".";
	bool one = g->req->paths[0] && !g->req->paths[1];
	size_t len = strlen(dest);
	struct error why = ERROR_INIT;

	g->dir = outside_dir(g->req->repo, dest, &why);
	if (g->dir >= 0)
		return 0;
	if (why.kind == ERR_NOTFOUND && one && len && dest[len - 1] != '/')
		g->dir = outside_parent(g->req->repo, dest, &g->name, err);
	else
		*err = why;
	return g->dir < 0 ? -1 : 0;
}

static void name_outside(const struct get *g, const char *path, struct buf *out)
{
	const char *dest = g->req->dest ? g->req->dest : ".";

	if (to_stream(g) || g->name)
		buf_str(out, dest);
	else if (strcmp(dest, ".") == 0)
		buf_str(out, transfer_name(path));
	else
		buf_fmt(out, "%s%s%s", dest, dest[strlen(dest) - 1] == '/' ? "" : "/",
			transfer_name(path));
}

static int list_files(struct get *g, struct error *err)
{
	for (const char *const *p = g->req->paths; *p; p++) {
		BUF_AUTO path = BUF_INIT;
		BUF_AUTO outside = BUF_INIT;

		if (transfer_path(g->req->repo, *p, &path, err) < 0)
			return -1;
		if (path.len == 0)
			return error_set(err, ERR_REFUSED, "'%s' is not a regular file", *p);
		name_outside(g, path.data, &outside);
		transfer_add(&g->files, &path, &outside);
	}
	return to_stream(g) ? 0 : transfer_check_names(&g->files, true, err);
}

static int read_inside(const struct get *g, struct error *err)
{
	const struct box *b = g->req->box;
	FD_AUTO lock = box_lock(b, false, LOCK_WAIT_MS, err);
	const struct mason_io io = { .in = -1, .out = g->spool };
	STRV_AUTO argv = STRV_INIT;

	if (lock < 0)
		return -1;
	strv_add(&argv, MASON_PATH);
	strv_add(&argv, "read");
	strv_addf(&argv, "%s/work", b->path.data);
	strv_addf(&argv, "%llu", (unsigned long long)g->req->max);
	for (size_t i = 0; i < g->files.len; i++)
		strv_add(&argv, g->files.v[i].path.data);
	return mason_stream(b, strv_argv(&argv), &io, err);
}

/* "file 755 1234\n" at the spool's position. */
static int read_head(const struct get *g, struct transfer_file *f, struct error *err)
{
	static const char label[] = "file 755 ";
	struct error why = ERROR_INIT;
	char line[HEAD_MAX] = "";
	off_t at = lseek(g->spool, 0, SEEK_CUR);
	ssize_t n = at < 0 ? -1 : pread(g->spool, line, sizeof(line) - 1, at);
	char *end = n > 0 ? strchr(line, '\n') : NULL;
	uint64_t size = 0;

	if (!end)
		return error_set(err, ERR_PEER, "the box's mason gave no file");
	*end = '\0';
	f->executable = strncmp(line, label, strlen(label)) == 0;
	if ((!f->executable && strncmp(line, "file 644 ", strlen(label)) != 0) ||
	    num_u64(line + strlen(label), 0, g->req->max, &size, &why) < 0)
		return error_set(err, ERR_PEER, "the box's mason gave a head that is none");
	f->size = size;
	if (lseek(g->spool, at + (end - line) + 1, SEEK_SET) < 0)
		return error_sys(err, errno, "cannot read the temporary file");
	return 0;
}

static int write_outside(const struct get *g, struct transfer_file *f, struct error *err)
{
	const struct outside_new to = {
		.dir = g->dir,
		.name = g->name ? g->name : transfer_name(f->path.data),
		.mode = f->executable ? 0777 : 0666,
		.replace = g->req->force,
	};

	if (to_stream(g))
		return fd_copy(g->spool, g->req->out, f->size, err);
	return outside_write(&to, g->spool, f->size, err);
}

/* In order; those that are done go over to the caller's list. */
static int deliver(struct get *g, struct transfer_list *out, struct error *err)
{
	if (lseek(g->spool, 0, SEEK_SET) < 0)
		return error_sys(err, errno, "cannot read the temporary file");
	for (size_t i = 0; i < g->files.len; i++) {
		struct transfer_file f = g->files.v[i];
		struct transfer_file *done;

		if (read_head(g, &f, err) < 0 || write_outside(g, &f, err) < 0)
			return -1;
		done = transfer_add(out, &g->files.v[i].path, &g->files.v[i].outside);
		done->size = f.size;
		done->executable = f.executable;
	}
	return 0;
}

static int get(struct get *g, struct transfer_list *out, struct error *err)
{
	if ((!to_stream(g) && open_dest(g, err) < 0) || list_files(g, err) < 0)
		return -1;
	g->spool = transfer_spool(g->req->box, err);
	if (g->spool < 0 || read_inside(g, err) < 0)
		return -1;
	return deliver(g, out, err);
}

int box_get(const struct get_request *req, struct transfer_list *out, struct error *err)
{
	struct get g = { .req = req, .files = TRANSFER_LIST_INIT, .dir = -1, .spool = -1 };
	int rc = get(&g, out, err);

	transfer_list_release(&g.files);
	fd_close(&g.dir);
	fd_close(&g.spool);
	return rc;
}
