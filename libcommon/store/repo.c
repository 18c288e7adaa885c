#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/num.h"
#include "store/git.h"
#include "store/repo.h"
#include "sys/fd.h"
#include "sys/file.h"

#define POINTER_MAX  (PATH_MAX + 16) /* content of a .git file or of `commondir` */
#define NEARBY_SCAN  512	     /* entries of cwd that are looked at for a hint */
#define NEARBY_NAMES 3

void repo_release(struct repo *r)
{
	buf_release(&r->top);
	buf_release(&r->git_dir);
	buf_release(&r->common_dir);
	buf_release(&r->prefix);
	fd_close(&r->common_fd);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_dir_in(const char *dir, const char *name)
{
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "%s/%s", dir, name);
	return is_dir(path.data);
}

/* One path from a small file, without its line end, made absolute below base. */
static int read_pointer(const char *file, const char *label, const char *base, struct buf *out,
			struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	size_t skip = strlen(label);

	if (file_read(AT_FDCWD, file, POINTER_MAX, &text, err))
		return -1;
	while (text.len && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
		buf_truncate(&text, text.len - 1);
	if (strncmp(text.data, label, skip) != 0 || text.len == skip ||
	    strlen(text.data) != text.len)
		return error_set(err, ERR_CORRUPT, "'%s' does not name a directory", file);
	buf_reset(out);
	if (text.data[skip] != '/')
		buf_fmt(out, "%s/", base);
	buf_str(out, text.data + skip);
	return 0;
}

/* The common directory of a git directory: what `commondir` says, else itself. */
static int find_common(const char *git_dir, struct buf *out, struct error *err)
{
	BUF_AUTO file = BUF_INIT;
	BUF_AUTO target = BUF_INIT;

	buf_fmt(&file, "%s/commondir", git_dir);
	if (!file_exists(AT_FDCWD, file.data))
		return file_canonical(git_dir, out, err);
	if (read_pointer(file.data, "", git_dir, &target, err))
		return -1;
	return file_canonical(target.data, out, err);
}

/* git's own test: HEAD here, objects and refs in the common directory. */
static bool is_git_dir(const char *dir)
{
	BUF_AUTO head = BUF_INIT;
	BUF_AUTO common = BUF_INIT;
	struct error ignored = ERROR_INIT;

	buf_fmt(&head, "%s/HEAD", dir);
	if (!file_exists(AT_FDCWD, head.data) || find_common(dir, &common, &ignored))
		return false;
	return is_dir_in(common.data, "objects") && is_dir_in(common.data, "refs");
}

bool repo_path_in_box(const char *path, size_t *git_dir_len)
{
	const char *p = path;

	while ((p = strstr(p, "/box/b/")) != NULL) {
		size_t id = strspn(p + 7, "0123456789abcdef");
		BUF_AUTO dir = BUF_INIT;

		buf_add(&dir, path, (size_t)(p - path));
		if (id == 16 && (p[7 + id] == '/' || p[7 + id] == '\0') && is_git_dir(dir.data)) {
			*git_dir_len = dir.len;
			return true;
		}
		p++;
	}
	return false;
}

static int refuse_inside_box(const char *cwd, size_t git_dir_len, struct error *err)
{
	const char *id = cwd + git_dir_len + strlen("/box/b/");
	BUF_AUTO repo = BUF_INIT;

	buf_add(&repo, cwd, git_dir_len);
	if (repo.len > 5 && !strcmp(repo.data + repo.len - 5, "/.git"))
		buf_truncate(&repo, repo.len - 5);
	error_set(err, ERR_UNSUPPORTED, "the current directory belongs to box %.16s", id);
	return error_hint(err, "go to '%s' and name the box there, as in 'git box status %.16s'",
			  repo.data, id);
}

/* The directory that `dir`/.git stands for; 0 and "" where there is none. */
static int dot_git(const char *dir, struct buf *out, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO target = BUF_INIT;
	struct stat st;

	buf_reset(out);
	buf_fmt(&path, "%s/.git", strcmp(dir, "/") ? dir : "");
	if (stat(path.data, &st))
		return 0;
	if (S_ISDIR(st.st_mode)) {
		if (is_git_dir(path.data))
			buf_str(out, path.data);
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return 0;
	if (read_pointer(path.data, "gitdir: ", dir, &target, err))
		return -1;
	if (!is_git_dir(target.data)) {
		error_set(err, ERR_CORRUPT, "'%s' points to '%s', which is not a git directory",
			  path.data, target.data);
		return error_hint(err, "run 'git worktree repair' in the main work tree");
	}
	buf_str(out, target.data);
	return 0;
}

static int refuse_git_dir(const char *dir, struct error *err)
{
	size_t len = strlen(dir);

	if (strstr(dir, "/.git/") || (len >= 5 && !strcmp(dir + len - 5, "/.git"))) {
		error_set(err, ERR_REFUSED,
			  "the current directory is inside the git directory '%s'", dir);
		return error_hint(err, "go to the work tree");
	}
	error_set(err, ERR_REFUSED, "'%s' is a bare repository; a box needs a work tree", dir);
	return error_hint(err, "run 'git worktree add PATH' here and make the box there");
}

/* GIT_CEILING_DIRECTORIES: the search does not go up into one of these. */
static bool is_ceiling(const char *dir)
{
	const char *list = env_get("GIT_CEILING_DIRECTORIES");

	while (list && *list) {
		size_t len = strcspn(list, ":");
		size_t trimmed = len;

		while (trimmed > 1 && list[trimmed - 1] == '/')
			trimmed--;
		if (trimmed && strlen(dir) == trimmed && !memcmp(dir, list, trimmed))
			return true;
		list += len + (list[len] == ':');
	}
	return false;
}

/* Names up to three repositories right below cwd, for whoever is one level too high. */
static int not_a_repository(const char *cwd, struct error *err)
{
	BUF_AUTO found = BUF_INIT;
	DIR *d = opendir(cwd);
	const struct dirent *e;
	unsigned names = 0;

	for (unsigned n = 0; d && names < NEARBY_NAMES && n < NEARBY_SCAN && (e = readdir(d));
	     n++) {
		BUF_AUTO path = BUF_INIT;

		if (e->d_name[0] == '.')
			continue;
		buf_fmt(&path, "%s/%s/.git", cwd, e->d_name);
		if (file_exists(AT_FDCWD, path.data))
			buf_fmt(&found, "%s'%s'", names++ ? ", " : "", e->d_name);
	}
	if (d)
		closedir(d);
	error_set(err, ERR_NOTFOUND, "not inside a git repository: '%s'", cwd);
	if (names)
		return error_hint(err, "go into one of %s", found.data);
	return error_hint(err, "go into one, or make one with 'git init' and a first commit");
}

/* Cuts the last component; false at the root. */
static bool go_up(struct buf *dir)
{
	const char *slash = strrchr(dir->data, '/');

	if (dir->len <= 1 || !slash)
		return false;
	buf_truncate(dir, slash == dir->data ? 1 : (size_t)(slash - dir->data));
	return true;
}

/* Finds the top and the (not yet canonical) git directory from cwd upwards. */
static int search_up(const char *cwd, struct buf *top, struct buf *git_dir, struct error *err)
{
	struct stat start, st;

	buf_str(top, cwd);
	if (stat(cwd, &start))
		return error_sys(err, errno, "cannot look at '%s'", cwd);
	for (;;) {
		if (dot_git(top->data, git_dir, err))
			return -1;
		if (git_dir->len)
			return 0;
		if (is_git_dir(top->data))
			return refuse_git_dir(top->data, err);
		if (!go_up(top) || is_ceiling(top->data))
			return not_a_repository(cwd, err);
		if (!env_get("GIT_DISCOVERY_ACROSS_FILESYSTEM") && !stat(top->data, &st) &&
		    st.st_dev != start.st_dev)
			return not_a_repository(cwd, err);
	}
}

/* An inherited variable must name what was found; it is not followed elsewhere. */
static int check_inherited(const char *name, const char *found, struct error *err)
{
	const char *value = env_get(name);
	BUF_AUTO path = BUF_INIT;
	struct error ignored = ERROR_INIT;

	if (!value || (!file_canonical(value, &path, &ignored) && !strcmp(path.data, found)))
		return 0;
	error_set(err, ERR_REFUSED, "%s is set to '%s', but the current directory belongs to '%s'",
		  name, value, found);
	return error_hint(err, "unset %s, or go to the work tree that it names", name);
}

static bool is_ours(const char *path)
{
	const char *sudo = env_get("SUDO_UID");
	struct error ignored = ERROR_INIT;
	struct stat st;
	uint64_t uid;

	if (lstat(path, &st))
		return false;
	if (st.st_uid == geteuid())
		return true;
	return geteuid() == 0 && sudo && !num_u64(sudo, 0, UINT32_MAX, &uid, &ignored) &&
	       st.st_uid == uid;
}

/*
 * Whoever owns the repository can make git run commands there. Git's own rule
 * is asked only in this rare case, because safe.directory is configuration.
 */
static int check_owner(const struct repo *r, struct error *err)
{
	BUF_AUTO dot = BUF_INIT;
	struct error ignored = ERROR_INIT;

	buf_fmt(&dot, "%s/.git", r->top.data);
	if (is_ours(r->top.data) && is_ours(dot.data) && is_ours(r->git_dir.data))
		return 0;
	if (!git_trusts(r->top.data, &ignored))
		return 0;
	error_set(err, ERR_REFUSED, "'%s' is owned by somebody else", r->top.data);
	return error_hint(err,
			  "if you trust its content: git config --global --add safe.directory '%s'",
			  r->top.data);
}

static int complete(struct repo *r, const char *found, const char *cwd, struct error *err)
{
	size_t top_len = strcmp(r->top.data, "/") ? r->top.len : 0;

	if (file_canonical(found, &r->git_dir, err) ||
	    find_common(r->git_dir.data, &r->common_dir, err))
		return -1;
	if (strlen(cwd) > r->top.len)
		buf_str(&r->prefix, cwd + top_len + 1);
	if (check_inherited("GIT_DIR", r->git_dir.data, err) ||
	    check_inherited("GIT_COMMON_DIR", r->common_dir.data, err) ||
	    check_inherited("GIT_WORK_TREE", r->top.data, err) || check_owner(r, err))
		return -1;
	r->common_fd = file_open_dir(AT_FDCWD, r->common_dir.data, err);
	return r->common_fd < 0 ? -1 : 0;
}

int repo_discover(struct repo *out, struct error *err)
{
	REPO_AUTO r = REPO_INIT;
	BUF_AUTO found = BUF_INIT;
	BUF_AUTO cwd = BUF_INIT;
	size_t git_dir_len;

	if (file_canonical(".", &cwd, err))
		return error_wrap(err, "the current directory");
	if (repo_path_in_box(cwd.data, &git_dir_len))
		return refuse_inside_box(cwd.data, git_dir_len, err);
	if (search_up(cwd.data, &r.top, &found, err) || complete(&r, found.data, cwd.data, err))
		return -1;
	*out = r;
	r = (struct repo)REPO_INIT;
	return 0;
}
