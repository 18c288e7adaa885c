#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "box/export.h"
#include "box/outside.h"
#include "box/report.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/rand.h"

#define TEMP_PREFIX ".git-box-export-" /* + 16 hex digits */
#define TEMP_DIGITS 16
#define TEMP_TRIES 8

/* All that an export consists of, so that --force removes nothing else. */
static const char *const our_files[] = { ".gitignore", "patch.diff", "report.md", "receipt.json" };

struct export
{
	const struct export_request *req;
	int parent;
	struct buf name; /* in parent */
	struct buf temp; /* in parent; "" where there is none */
	int dir;	 /* temp, locked */
};

static bool is_temp(const char *name)
{
	size_t prefix = strlen(TEMP_PREFIX);

	return strncmp(name, TEMP_PREFIX, prefix) == 0 &&
	       strspn(name + prefix, "0123456789abcdef") == TEMP_DIGITS &&
	       name[prefix + TEMP_DIGITS] == '\0';
}

/* Nothing but what an export writes: whatever else somebody put there stays, and its directory. */
static void drop(int parent, const char *name, int dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(our_files); i++)
		(void)unlinkat(dir, our_files[i], 0);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* One that nobody holds, and that is ours. */
static void sweep_one(int parent, const char *name)
{
	FD_AUTO fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		drop(parent, name, fd);
}

/* What earlier exports left that were killed. */
static void sweep(int parent)
{
	int copy = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!d) {
		fd_close(&copy);
		return;
	}
	while ((e = readdir(d)) != NULL) {
		if (is_temp(e->d_name))
			sweep_one(parent, e->d_name);
	}
	closedir(d);
}

/* A sweep may come between the making and the lock: then another one is made. */
static int make_temp(struct export *x, struct error *err)
{
	for (int i = 0; i < TEMP_TRIES; i++) {
		char tag[TEMP_DIGITS + 1];
		struct stat st;

		rand_hex(tag, TEMP_DIGITS);
		buf_reset(&x->temp);
		buf_fmt(&x->temp, TEMP_PREFIX "%s", tag);
		if (mkdirat(x->parent, x->temp.data, 0777) < 0) {
			buf_reset(&x->temp);
			return error_sys(err, errno, "cannot make a directory for the export");
		}
		x->dir = openat(x->parent, x->temp.data,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (x->dir >= 0 && flock(x->dir, LOCK_EX | LOCK_NB) == 0 &&
		    fstat(x->dir, &st) == 0 && st.st_nlink > 0)
			return 0;
		fd_close(&x->dir);
	}
	return error_set(err, ERR_BUSY, "other exports are being made in the same place");
}

static int create(const struct export *x, const char *name, struct error *err)
{
	int fd = openat(x->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	return fd < 0 ? error_sys(err, errno, "cannot write %s", name) : fd;
}

static int put_text(const struct export *x, const char *name, const struct buf *text,
		    struct error *err)
{
	FD_AUTO fd = create(x, name, err);

	if (fd < 0)
		return -1;
	if (fd_write_full(fd, text->data, text->len, err) < 0)
		return error_wrap(err, "%s", name);
	return fsync(fd) < 0 ? error_sys(err, errno, "cannot write %s", name) : 0;
}

static int put_patch(const struct export *x, uint64_t *bytes_out, struct error *err)
{
	const struct git_cmd git = proposed_git(x->req->repo);
	FD_AUTO fd = create(x, "patch.diff", err);
	struct stat st;

	if (fd < 0 || patch_write(&git, x->req->box->m.base_tree.data, x->req->proposed->tree.data,
				  fd, err) < 0)
		return -1;
	if (fsync(fd) < 0 || fstat(fd, &st) < 0)
		return error_sys(err, errno, "cannot write patch.diff");
	*bytes_out = (uint64_t)st.st_size;
	return 0;
}

static int fill(const struct export *x, struct export_result *out, struct error *err)
{
	BUF_AUTO ignore = BUF_INIT;
	BUF_AUTO report = BUF_INIT;
	BUF_AUTO receipt = BUF_INIT;

	buf_str(&ignore, "*\n");
	report_text(x->req->box, x->req->proposed, &report);
	report_receipt(x->req->box, x->req->proposed, &receipt);
	/* First what hides the rest from git status. */
	if (put_text(x, ".gitignore", &ignore, err) < 0 ||
	    put_patch(x, &out->patch_bytes, err) < 0 ||
	    put_text(x, "report.md", &report, err) < 0 ||
	    put_text(x, "receipt.json", &receipt, err) < 0)
		return -1;
	return fsync(x->dir) < 0 ? error_sys(err, errno, "cannot write the export") : 0;
}

static bool is_ours(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(our_files); i++) {
		if (strcmp(name, our_files[i]) == 0)
			return true;
	}
	return false;
}

/* What is in the way, with force only what no export wrote; "" for nothing. */
static int find_obstacle(const struct export *x, struct buf *out, struct error *err)
{
	int fd = openat(x->parent, x->name.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		int saved = errno;

		fd_close(&fd);
		if (saved == ENOENT)
			return 0;
		if (saved == ENOTDIR || saved == ELOOP)
			return error_set(err, ERR_EXISTS, "'%s' is there and no directory",
					 x->name.data);
		return error_sys(err, saved, "cannot open '%s'", x->name.data);
	}
	while (out->len == 0 && (e = readdir(d)) != NULL) {
		bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;

		if (!dots && !(x->req->force && is_ours(e->d_name)))
			buf_str(out, e->d_name);
	}
	closedir(d);
	return 0;
}

static int check_place(const struct export *x, struct error *err)
{
	BUF_AUTO found = BUF_INIT;

	if (find_obstacle(x, &found, err) < 0)
		return -1;
	if (found.len == 0)
		return 0;
	if (x->req->force)
		return error_set(err, ERR_EXISTS, "'%s' holds '%s', which no export wrote",
				 x->name.data, found.data);
	error_set(err, ERR_EXISTS, "'%s' is not empty: it holds '%s'", x->name.data, found.data);
	return error_hint(err, "--force replaces an earlier export; --out names another place");
}

/* Onto nothing, an empty directory, or in exchange for the earlier export. */
static int place(struct export *x, struct error *err)
{
	if (renameat(x->parent, x->temp.data, x->parent, x->name.data) == 0) {
		buf_reset(&x->temp);
		return 0;
	}
	if ((errno != ENOTEMPTY && errno != EEXIST) || !x->req->force)
		return error_sys(err, errno, "cannot give the export its name '%s'", x->name.data);
	if (renameat2(x->parent, x->temp.data, x->parent, x->name.data, RENAME_EXCHANGE) < 0)
		return error_sys(err, errno, "cannot replace '%s'", x->name.data);
	/* The old one is the temporary one now. */
	fd_close(&x->dir);
	x->dir = openat(x->parent, x->temp.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return 0;
}

static int open_default(struct export *x, struct buf *dir, struct error *err)
{
	const struct repo *repo = x->req->repo;
	FD_AUTO top = file_open_dir(AT_FDCWD, repo->top.data, err);

	if (top < 0)
		return -1;
	if (mkdirat(top, EXPORT_DIR, 0777) < 0 && errno != EEXIST)
		return error_sys(err, errno, "cannot make %s/" EXPORT_DIR, repo->top.data);
	buf_fmt(dir, "%s/" EXPORT_DIR, repo->top.data);
	x->parent = outside_dir(repo, dir->data, err);
	buf_str(&x->name, x->req->box->m.name.data);
	buf_fmt(dir, "/%s", x->name.data);
	return x->parent < 0 ? -1 : 0;
}

static int open_typed(struct export *x, struct buf *dir, struct error *err)
{
	BUF_AUTO typed = BUF_INIT;
	const char *name = NULL;

	buf_str(&typed, x->req->dir);
	while (typed.len > 1 && typed.data[typed.len - 1] == '/')
		buf_truncate(&typed, typed.len - 1);
	x->parent = outside_parent(x->req->repo, typed.data, &name, err);
	if (x->parent < 0)
		return -1;
	buf_str(&x->name, name);
	buf_str(dir, typed.data);
	return 0;
}

static int export(struct export *x, struct export_result *out, struct error *err)
{
	if ((x->req->dir ? open_typed(x, &out->dir, err) : open_default(x, &out->dir, err)) < 0)
		return -1;
	sweep(x->parent);
	if (check_place(x, err) < 0 || make_temp(x, err) < 0 || fill(x, out, err) < 0 ||
	    check_place(x, err) < 0)
		return -1;
	return place(x, err);
}

int box_export(const struct export_request *req, struct export_result *out, struct error *err)
{
	struct export_result r = { .dir = BUF_INIT };
	struct export x = {
		.req = req, .parent = -1, .name = BUF_INIT, .temp = BUF_INIT, .dir = -1
	};
	int rc = export(&x, &r, err);

	if (x.temp.len)
		drop(x.parent, x.temp.data, x.dir);
	if (rc == 0)
		*out = r;
	else
		buf_release(&r.dir);
	fd_close(&x.dir);
	fd_close(&x.parent);
	buf_release(&x.name);
	buf_release(&x.temp);
	return rc;
}
