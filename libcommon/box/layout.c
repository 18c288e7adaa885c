#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/suggest.h"
#include "box/layout.h"
#include "sys/fd.h"
#include "sys/file.h"

#define NAME_RULE                                                                                  \
	"1 to 64 letters, digits, '.', '_', '-'; a letter or digit first; no '..'; not ending in " \
	"'.', '.lock' or '.git'"
#define PREFIX_MIN 4

static bool ends_in(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && strcasecmp(s + len - n, end) == 0;
}

static bool ends_badly(const char *s, size_t len)
{
	return ends_in(s, len, ".lock") || ends_in(s, len, ".git") || ends_in(s, len, ".");
}

/* isalnum() would follow the locale. */
static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_char(char c)
{
	return is_alnum(c) || c == '.' || c == '_' || c == '-';
}

static bool name_valid(const char *name)
{
	size_t len = strnlen(name, BOX_NAME_MAX + 1);

	if (len == 0 || len > BOX_NAME_MAX || !is_alnum(name[0]) || ends_badly(name, len))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_name_char(name[i]) || (name[i] == '.' && name[i + 1] == '.'))
			return false;
	}
	return true;
}

/* The nearest valid name, for the hint; "" where nothing usable is left. */
static void name_corrected(const char *name, struct buf *out)
{
	for (const char *p = name; *p && out->len < BOX_NAME_MAX; p++) {
		char c = is_name_char(*p) ? *p : '-';
		char before = out->len > 0 ? out->data[out->len - 1] : '\0';

		if ((out->len == 0 && !is_alnum(c)) || (c == before && !is_alnum(c)))
			continue;
		buf_char(out, c);
	}
	while (out->len > 0 &&
	       (!is_alnum(out->data[out->len - 1]) || ends_badly(out->data, out->len))) {
		const char *dot = ends_badly(out->data, out->len) ? strrchr(out->data, '.') : NULL;

		buf_truncate(out, dot ? (size_t)(dot - out->data) : out->len - 1);
	}
}

int box_name_check(const char *name, struct error *err)
{
	BUF_AUTO better = BUF_INIT;

	if (name_valid(name))
		return 0;
	error_set(err, ERR_USAGE, "'%.80s' cannot name a box: %s", name, NAME_RULE);
	name_corrected(name, &better);
	if (name_valid(better.data))
		error_hint(err, "'%s' would do", better.data);
	return -1;
}

bool box_id_valid(const char *id)
{
	return strnlen(id, BOX_ID_LEN + 1) == BOX_ID_LEN &&
	       strspn(id, "0123456789abcdef") == BOX_ID_LEN;
}

void box_root_release(struct box_root *r)
{
	fd_close(&r->fd);
	buf_release(&r->path);
}

static int root_make(int common_fd, struct error *err)
{
	static const char *const dirs[] = { "box", "box/b", "box/name", "box/removed",
					    "box/quarantine" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (mkdirat(common_fd, dirs[i], 0700) < 0 && errno != EEXIST)
			return error_sys(err, errno, "cannot make %s in the git directory",
					 dirs[i]);
	}
	return 0;
}

static int root_check(int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_sys(err, errno, "cannot look at %s", path);
	if (st.st_uid != geteuid()) {
		error_set(err, ERR_REFUSED, "%s belongs to uid %u and not to you", path,
			  (unsigned)st.st_uid);
		return error_hint(err, "chown -R it, or run as its owner");
	}
	if (st.st_mode & 077) {
		error_set(err, ERR_REFUSED, "%s can be reached by other users (mode %04o)", path,
			  (unsigned)(st.st_mode & 07777));
		return error_hint(err, "chmod 0700 '%s'", path);
	}
	return 0;
}

static int root_open_fd(int common_fd, const char *path, struct error *err)
{
	int fd = openat(common_fd, "box", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT) {
		error_set(err, ERR_NOTFOUND, "this repository has no boxes yet");
		return error_hint(err, "git box create NAME");
	}
	if (errno == ELOOP || errno == ENOTDIR)
		return error_set(err, ERR_REFUSED, "%s is not a directory of its own", path);
	return error_sys(err, errno, "cannot open %s", path);
}

int box_root_open(const struct repo *repo, bool create, struct box_root *out, struct error *err)
{
	BOX_ROOT_AUTO root = BOX_ROOT_INIT;

	buf_fmt(&root.path, "%s/box", repo->common_dir.data);
	if (create && root_make(repo->common_fd, err) < 0)
		return -1;
	root.fd = root_open_fd(repo->common_fd, root.path.data, err);
	if (root.fd < 0 || root_check(root.fd, root.path.data, err) < 0)
		return -1;
	*out = root;
	root = (struct box_root)BOX_ROOT_INIT;
	return 0;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int box_root_list(const struct box_root *root, const char *dir, struct strv *out, struct error *err)
{
	FD_AUTO fd = openat(root->fd, dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d __attribute__((cleanup(dir_close))) = fd >= 0 ? fdopendir(fd) : NULL;

	if (!d) {
		if (errno == ENOENT)
			return 0;
		return error_sys(err, errno, "cannot read %s/%s", root->path.data, dir);
	}
	fd_take(&fd);
	errno = 0;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strv_add(out, e->d_name);
	}
	if (errno != 0)
		return error_sys(err, errno, "cannot read %s/%s", root->path.data, dir);
	strv_sort(out);
	return 0;
}

int box_ids(const struct box_root *root, struct strv *out, struct strv *others_out,
	    struct error *err)
{
	STRV_AUTO all = STRV_INIT;

	if (box_root_list(root, "b", &all, err) < 0)
		return -1;
	for (size_t i = 0; i < all.len; i++) {
		if (box_id_valid(all.v[i]))
			strv_add(out, all.v[i]);
		else if (others_out)
			strv_add(others_out, all.v[i]);
	}
	return 0;
}

int box_names(const struct box_root *root, struct strv *out, struct error *err)
{
	STRV_AUTO all = STRV_INIT;

	if (box_root_list(root, "name", &all, err) < 0)
		return -1;
	for (size_t i = 0; i < all.len; i++) {
		if (name_valid(all.v[i]))
			strv_add(out, all.v[i]);
	}
	return 0;
}

static void name_path(const char *name, struct buf *out)
{
	buf_fmt(out, "name/%s", name);
}

int box_name_id(const struct box_root *root, const char *name, char id_out[BOX_ID_LEN + 1],
		struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO text = BUF_INIT;

	if (!name_valid(name))
		return error_set(err, ERR_NOTFOUND, "there is no box '%.80s'", name);
	name_path(name, &path);
	if (file_read(root->fd, path.data, BOX_ID_LEN + 1, &text, err) < 0)
		return error_wrap(err, "box '%s'", name);
	if (text.len == 0)
		return error_set(err, ERR_NOTFOUND, "there is no box '%s' yet", name);
	if (text.data[text.len - 1] == '\n')
		buf_truncate(&text, text.len - 1);
	if (text.len != BOX_ID_LEN || !box_id_valid(text.data)) {
		error_set(err, ERR_CORRUPT, "the entry of box '%s' holds no id", name);
		return error_hint(err, "git box gc");
	}
	memcpy(id_out, text.data, BOX_ID_LEN + 1);
	return 0;
}

/* 1: found; 0: not a prefix of any id; -1: error. */
static int find_prefix(const struct box_root *root, const char *prefix, char id_out[BOX_ID_LEN + 1],
		       struct error *err)
{
	STRV_AUTO ids = STRV_INIT;
	const char *found = NULL;
	size_t len = strlen(prefix);

	if (len < PREFIX_MIN || len > BOX_ID_LEN || strspn(prefix, "0123456789abcdef") != len)
		return 0;
	if (box_ids(root, &ids, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.len; i++) {
		if (strncmp(ids.v[i], prefix, len) != 0)
			continue;
		if (found) {
			error_set(err, ERR_NOTFOUND, "'%s' is the start of more than one id",
				  prefix);
			return error_hint(err, "%s or %s", found, ids.v[i]);
		}
		found = ids.v[i];
	}
	if (!found)
		return 0;
	memcpy(id_out, found, BOX_ID_LEN + 1);
	return 1;
}

static int not_found(const struct box_root *root, const char *name, struct error *err)
{
	STRV_AUTO names = STRV_INIT;
	const char *near;

	if (box_names(root, &names, err) < 0)
		return -1;
	error_set(err, ERR_NOTFOUND, "there is no box '%.80s'", name);
	near = suggest_nearest(name, strv_argv(&names));
	/* A name without an id: somebody is about to write it, or was killed there. */
	if (near && strcmp(near, name) != 0)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err, "git box ls");
}

int box_find(const struct box_root *root, const char *name, char id_out[BOX_ID_LEN + 1],
	     struct error *err)
{
	struct error first = ERROR_INIT;
	int found;

	if (box_name_id(root, name, id_out, &first) == 0)
		return 0;
	if (first.kind != ERR_NOTFOUND) {
		*err = first;
		return -1;
	}
	found = find_prefix(root, name, id_out, err);
	if (found != 0)
		return found < 0 ? -1 : 0;
	return not_found(root, name, err);
}
