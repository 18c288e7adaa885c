#include "base/base.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/num.h"
#include "box/lfs.h"
#include "store/gitdir.h"
#include "sys/fd.h"
#include "sys/file.h"

void lfs_objects(const struct repo *r, struct buf *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO real = BUF_INIT;

	buf_fmt(&path, "%s/lfs/objects", r->common_dir.data);
	if (!file_canonical(path.data, &real, &ignored))
		buf_str(out, real.data);
}

/* "lfs <count> <what>" as a line of its own. */
static uint64_t count(const struct buf *lines, const char *what)
{
	static const char label[] = "lfs ";

	for (const char *p = lines->data, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		struct error ignored = ERROR_INIT;
		BUF_AUTO number = BUF_INIT;
		uint64_t n;

		if (strncmp(p, label, strlen(label)) != 0)
			continue;
		p += strlen(label);
		buf_add(&number, p, strspn(p, "0123456789"));
		p += number.len;
		if (*p == ' ' && (size_t)(end - p - 1) == strlen(what) &&
		    !memcmp(p + 1, what, strlen(what)) &&
		    !num_u64(number.data, 0, UINT32_MAX, &n, &ignored))
			return n;
	}
	return 0;
}

static void name_absent(const struct buf *lines, uint64_t all, struct buf *out)
{
	static const char label[] = "lfs-absent ";
	uint64_t named = 0;

	for (const char *p = lines->data, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		if (strncmp(p, label, strlen(label)) != 0)
			continue;
		p += strlen(label);
		buf_fmt(out, "%s%.*s", named++ ? ", " : "", (int)(end - p), p);
	}
	if (all > named)
		buf_fmt(out, " and %llu more", (unsigned long long)(all - named));
}

bool lfs_filled(const struct buf *lines, struct strv *notes)
{
	uint64_t program = count(lines, "program"), absent = count(lines, "absent");

	if (program)
		strv_addf(notes,
			  "files of git-lfs are pointers in the box, %llu of them: git-lfs is not "
			  "installed in /usr/bin",
			  (unsigned long long)program);
	if (absent) {
		BUF_AUTO names = BUF_INIT;

		name_absent(lines, absent, &names);
		strv_addf(
			notes,
			"files of git-lfs whose objects are not here are pointers in the box: %s; "
			"for the next box: git lfs fetch",
			names.data);
	}
	return count(lines, "filled") > 0;
}

void lfs_settings(struct buf *out)
{
	gitdir_config_line("filter.lfs.clean", "git-lfs clean -- %f", out);
	gitdir_config_line("filter.lfs.smudge", "git-lfs smudge -- %f", out);
	gitdir_config_line("filter.lfs.process", "git-lfs filter-process", out);
	gitdir_config_line("filter.lfs.required", "true", out);
	/* What is not here stays a pointer, and does not keep git from a checkout. */
	gitdir_config_line("lfs.skipdownloaderrors", "true", out);
}

bool lfs_take_parse(const char *text, struct lfs_pointer *out)
{
	struct error ignored = ERROR_INIT;
	size_t hex = strspn(text, "0123456789abcdef");

	*out = (struct lfs_pointer){ .extended = false };
	if (hex != DIGEST_HEX || text[hex] != ' ')
		return false;
	memcpy(out->oid, text, DIGEST_HEX);
	return num_u64(text + hex + 1, 1, INT64_MAX, &out->size, &ignored) == 0;
}

static int take_one(const struct box *b, int objects, const struct lfs_pointer *p,
		    struct error *err)
{
	const struct lfs_copy how = { .what = p, .mode = 0644, .durable = true };
	BUF_AUTO path = BUF_INIT;
	FD_AUTO from = -1;
	struct stat st;

	buf_str(&path, "snap/lfs/");
	lfs_object_path(p->oid, &path);
	from = file_open_beneath(b->fd, path.data, O_RDONLY | O_NONBLOCK, 0, err);
	if (from < 0)
		return -1;
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(err, ERR_CORRUPT, "an object of git-lfs is no file");
	return lfs_object_add(objects, from, &how, err);
}

int lfs_take(const struct repo *repo, const struct box *b, const struct strv *list,
	     struct error *err)
{
	FD_AUTO objects = -1;
	uint64_t left = LFS_TAKE_MAX;

	if (list->len == 0)
		return 0;
	if (file_mkdir_p(repo->common_fd, "lfs/objects", 0755, err) < 0)
		return -1;
	objects = file_open_dir(repo->common_fd, "lfs/objects", err);
	if (objects < 0)
		return -1;
	for (size_t i = 0; i < list->len; i++) {
		struct lfs_pointer p;

		if (!lfs_take_parse(list->v[i], &p) || p.size > left)
			return error_set(err, ERR_LIMIT,
					 "files of git-lfs have more than %llu bytes",
					 LFS_TAKE_MAX);
		left -= p.size;
		if (take_one(b, objects, &p, err) < 0)
			return error_wrap(err, "files of git-lfs of box '%s'", b->m.name.data);
	}
	return 0;
}
