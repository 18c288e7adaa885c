#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/gitdir.h"
#include "sys/fd.h"
#include "sys/file.h"

#define COPY_MAX (64u << 20)

static int make_dirs(int dirfd, const char *const *dirs, struct error *err)
{
	for (; *dirs; dirs++) {
		if (file_mkdir(dirfd, *dirs, 0755, err))
			return -1;
		if (fchmodat(dirfd, *dirs, 0755, 0))
			return error_sys(err, errno, "cannot set the mode of '%s'", *dirs);
	}
	return 0;
}

static int put(int dirfd, const char *path, const struct buf *text, struct error *err)
{
	if (file_create(dirfd, path, (struct file_content){ text->data, text->len, 0644 }, err))
		return -1;
	return fchmodat(dirfd, path, 0644, 0) ?
		       error_sys(err, errno, "cannot set the mode of '%s'", path) :
		       0;
}

/* A file of the user's repository under the same name; a missing one is fine. */
static int copy(const char *from_dir, int dirfd, const char *path, struct error *err)
{
	BUF_AUTO name = BUF_INIT;
	BUF_AUTO source = BUF_INIT;
	BUF_AUTO text = BUF_INIT;

	buf_fmt(&name, "%s/%s", from_dir, path);
	if (!file_exists(AT_FDCWD, name.data))
		return 0;
	/* A symlink here is the operator's, for example a shared exclude file. */
	if (file_canonical(name.data, &source, err))
		return -1;
	return file_read(AT_FDCWD, source.data, COPY_MAX, &text, err) ||
			       put(dirfd, path, &text, err) ?
		       -1 :
		       0;
}

static void config_quoted(const char *s, struct buf *out)
{
	buf_char(out, '"');
	for (; *s; s++) {
		if (*s == '\n')
			buf_str(out, "\\n");
		else if (*s == '"' || *s == '\\')
			buf_fmt(out, "\\%c", *s);
		else
			buf_char(out, *s);
	}
	buf_char(out, '"');
}

void gitdir_config_line(const char *key, const char *value, struct buf *out)
{
	size_t section = strcspn(key, ".");
	const char *name = strrchr(key, '.') + 1;

	buf_fmt(out, "[%.*s", (int)section, key);
	if (name > key + section + 1) {
		BUF_AUTO sub = BUF_INIT;

		buf_add(&sub, key + section + 1, (size_t)(name - key) - section - 2);
		buf_char(out, ' ');
		config_quoted(sub.data, out);
	}
	buf_fmt(out, "]\n\t%s = ", name);
	config_quoted(value, out);
	buf_char(out, '\n');
}

static void config_list(const struct strv *list, struct buf *out)
{
	for (size_t i = 0; i < list->len; i++) {
		BUF_AUTO key = BUF_INIT;
		const char *eq = strchr(list->v[i], '=');

		buf_add(&key, list->v[i], (size_t)(eq - list->v[i]));
		gitdir_config_line(key.data, eq + 1, out);
	}
}

static void config_common(const struct repo_facts *f, struct buf *out)
{
	bool sha256 = f->commit.len == 64;

	gitdir_config_line("core.repositoryformatversion", sha256 ? "1" : "0", out);
	gitdir_config_line("core.bare", "false", out);
	if (sha256)
		gitdir_config_line("extensions.objectformat", "sha256", out);
	config_list(&f->config, out);
}

/* Values that clash with ours come first, so ours win. */
static int write_config(int dirfd, const struct repo_facts *f, bool view, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	config_common(f, &text);
	if (view) {
		gitdir_config_line("core.hookspath", "/dev/null", &text);
		gitdir_config_line("core.fsmonitor", "false", &text);
		gitdir_config_line("core.untrackedcache", "false", &text);
		gitdir_config_line("gc.auto", "0", &text);
		gitdir_config_line("maintenance.auto", "false", &text);
		gitdir_config_line("submodule.recurse", "false", &text);
		/* Else git looks into directories of submodules that it was told to skip. */
		gitdir_config_line("sparse.expectfilesoutsideofpatterns", "true", &text);
		config_list(&f->filters_off, &text);
	} else {
		gitdir_config_line("core.logallrefupdates", "true", &text);
	}
	return put(dirfd, "config", &text, err);
}

/* What both directories have in common with the user's repository. */
static int copy_info(int dirfd, const struct repo *r, const struct repo_facts *f, struct error *err)
{
	const char *common = r->common_dir.data;

	if (f->shallow && copy(common, dirfd, "shallow", err))
		return -1;
	if (f->sparse && copy(r->git_dir.data, dirfd, "info/sparse-checkout", err))
		return -1;
	return copy(common, dirfd, "info/exclude", err) ||
			       copy(common, dirfd, "info/attributes", err) ?
		       -1 :
		       0;
}

/* git takes a quoted line where a path could be read otherwise. */
void gitdir_alternate_line(const char *path, struct buf *out)
{
	bool plain = *path == '/';

	for (const char *p = path; *p; p++)
		plain = plain && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\';
	if (plain)
		buf_str(out, path);
	else
		git_quote(path, out);
	buf_char(out, '\n');
}

int gitdir_begin_view(int dirfd, const char *store, struct error *err)
{
	static const char *const dirs[] = { "objects", "objects/info", "objects/pack",
					    "refs",    "info",	       NULL };
	BUF_AUTO alternates = BUF_INIT;

	gitdir_alternate_line(store, &alternates);
	if (make_dirs(dirfd, dirs, err))
		return -1;
	return put(dirfd, "objects/info/alternates", &alternates, err);
}

int gitdir_write_view(int dirfd, const struct repo *r, const struct repo_facts *f,
		      struct error *err)
{
	BUF_AUTO head = BUF_INIT;

	buf_fmt(&head, "%s\n", f->commit.data);
	if (put(dirfd, "HEAD", &head, err) || write_config(dirfd, f, true, err))
		return -1;
	return copy_info(dirfd, r, f, err);
}

/* True where one of two refs would have to be a directory of the other. */
static bool refs_clash(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t min = a_len < b_len ? a_len : b_len;

	if (memcmp(a, b, min) != 0)
		return false;
	return a_len == b_len || (a_len > b_len ? a[min] : b[min]) == '/';
}

void gitdir_packed_refs(const struct repo_facts *f, const char *branch, struct buf *out)
{
	const char *line = f->packed_refs.data;
	BUF_AUTO head = BUF_INIT;

	buf_fmt(&head, "refs/heads/%s", branch);
	buf_str(out, "# pack-refs with: sorted \n");
	for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		const char *ref = line + f->commit.len + 1;

		if (ref < end && !refs_clash(ref, (size_t)(end - ref), head.data, head.len))
			buf_add(out, line, (size_t)(end - line) + 1);
	}
}

/* The branch's own file, with the directories on the way to it. */
static int write_branch(int dirfd, const char *ref, const struct buf *commit, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	for (const char *slash = strchr(ref, '/'); slash; slash = strchr(slash + 1, '/')) {
		BUF_AUTO dir = BUF_INIT;

		buf_add(&dir, ref, (size_t)(slash - ref));
		if (!file_exists(dirfd, dir.data) &&
		    make_dirs(dirfd, (const char *const[]){ dir.data, NULL }, err))
			return -1;
	}
	buf_fmt(&text, "%s\n", commit->data);
	return put(dirfd, ref, &text, err);
}

int gitdir_write_private(int dirfd, const struct repo *r, const struct repo_facts *f,
			 const char *branch, struct error *err)
{
	static const char *const dirs[] = { "objects",	 "objects/info", "objects/pack", "refs",
					    "refs/tags", "info",	 "hooks",	 NULL };
	BUF_AUTO alternates = BUF_INIT;
	BUF_AUTO head = BUF_INIT;
	BUF_AUTO ref = BUF_INIT;
	BUF_AUTO packed = BUF_INIT;

	for (size_t i = 0; i < f->objects.len; i++)
		buf_fmt(&alternates, "%s/%zu\n", GITDIR_OBJECTS, i);
	buf_fmt(&ref, "refs/heads/%s", branch);
	buf_fmt(&head, "ref: %s\n", ref.data);
	gitdir_packed_refs(f, branch, &packed);
	if (make_dirs(dirfd, dirs, err) ||
	    put(dirfd, "objects/info/alternates", &alternates, err) ||
	    put(dirfd, "HEAD", &head, err) || put(dirfd, "packed-refs", &packed, err) ||
	    write_branch(dirfd, ref.data, &f->commit, err) || write_config(dirfd, f, false, err) ||
	    copy_info(dirfd, r, f, err))
		return -1;
	return 0;
}

/* The sparse patterns are the superproject's. */
static void module_config(const struct gitdir_module *m, const struct repo_facts *f,
			  struct buf *out)
{
	config_common(f, out);
	gitdir_config_line("core.sparsecheckout", "false", out);
	gitdir_config_line("core.worktree", m->worktree, out);
	gitdir_config_line("core.logallrefupdates", "true", out);
}

int gitdir_write_module(int dirfd, const struct gitdir_module *m, const struct repo_facts *f,
			struct error *err)
{
	static const char *const dirs[] = { "objects", "objects/info", "objects/pack",
					    "refs",    "refs/heads",   "info",
					    "hooks",   NULL };
	static const char *const files[] = { "shallow", "info/exclude", "info/attributes" };
	BUF_AUTO alternates = BUF_INIT;
	BUF_AUTO head = BUF_INIT;
	BUF_AUTO config = BUF_INIT;

	buf_str(&alternates, m->alternates);
	buf_fmt(&head, "%s\n", m->commit);
	module_config(m, f, &config);
	if (make_dirs(dirfd, dirs, err) ||
	    put(dirfd, "objects/info/alternates", &alternates, err) ||
	    put(dirfd, "HEAD", &head, err) || put(dirfd, "config", &config, err))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (copy(m->clone, dirfd, files[i], err))
			return -1;
	}
	return 0;
}

int gitdir_add_config(int dirfd, const struct buf *lines, struct error *err)
{
	FD_AUTO fd = file_open_beneath(dirfd, "config", O_WRONLY | O_APPEND, 0, err);

	return fd < 0 ? -1 : fd_write_full(fd, lines->data, lines->len, err);
}

static int give_entry(int dirfd, const struct dirent *e, uid_t uid, gid_t gid, struct error *err)
{
	FD_AUTO sub = -1;

	if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
		return 0;
	sub = openat(dirfd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub >= 0)
		return gitdir_give(sub, uid, gid, err);
	/* Else a directory would be given without what it holds. */
	if (errno != ENOTDIR && errno != ELOOP)
		return error_sys(err, errno, "cannot open '%s' to give it away", e->d_name);
	if (fchownat(dirfd, e->d_name, uid, gid, AT_SYMLINK_NOFOLLOW))
		return error_sys(err, errno, "cannot give '%s' to uid %u", e->d_name,
				 (unsigned)uid);
	return 0;
}

int gitdir_give(int dirfd, uid_t uid, gid_t gid, struct error *err)
{
	int copy_fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy_fd < 0 ? NULL : fdopendir(copy_fd);
	const struct dirent *e;
	int rc = 0;

	if (!d) {
		fd_close(&copy_fd);
		return error_sys(err, errno, "cannot list a directory of the box");
	}
	for (errno = 0; !rc && (e = readdir(d)) != NULL; errno = 0)
		rc = give_entry(dirfd, e, uid, gid, err);
	if (!rc && errno)
		rc = error_sys(err, errno, "cannot list a directory of the box");
	closedir(d);
	if (!rc && fchown(dirfd, uid, gid))
		rc = error_sys(err, errno, "cannot give a directory of the box to uid %u",
			       (unsigned)uid);
	return rc;
}
