#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/worktree-lfs.h"
#include "store/worktree-spots.h"
#include "store/worktree.h"
#include "sys/fd.h"
#include "sys/file.h"

#define NAMED_MAX 3 /* paths in a message; all are in the list */

/* What is known of a work tree in which git refused to write. */
struct look {
	const struct worktree_move *m;
	int top_fd;
	struct change_list staged; /* from -> index */
	struct change_list dirty;  /* index -> files */
	struct strv *in_the_way;
	const struct change **doubtful; /* ours to write only where the wanted content is there */
	size_t doubtful_len;
	struct buf take; /* for update-index --index-info: files that are as they are to be */
	struct buf torn; /* of those: paths of files that are to be written again */
	struct buf filled; /* paths of files that are to be pointers of git-lfs again */
};

static void look_release(struct look *l)
{
	fd_close(&l->top_fd);
	change_list_release(&l->staged);
	change_list_release(&l->dirty);
	free(l->doubtful);
	buf_release(&l->take);
	buf_release(&l->torn);
	buf_release(&l->filled);
}

/* One `read-tree -m -u`; what git said and its exit code. */
struct attempt {
	struct buf errout;
	int code;
};
#define ATTEMPT_AUTO __attribute__((cleanup(attempt_release))) struct attempt

static void attempt_release(struct attempt *t)
{
	buf_release(&t->errout);
}

static int read_tree(const struct git_cmd *git, const char *from, const char *to,
		     struct attempt *out, struct error *err)
{
	const char *const args[] = { "read-tree", "-m", "-u", from, to, NULL };
	struct git_cmd cmd = *git;

	cmd.args = args;
	cmd.errout = &out->errout;
	return git_run(&cmd, &out->code, err);
}

static int ask_changes(const struct worktree_move *m, const char *const *args,
		       struct change_list *out, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = *m->git;

	cmd.args = args;
	cmd.out = &text;
	return git_must(&cmd, err) || changes_parse(&text, out, err) ? -1 : 0;
}

static int read_state(struct look *l, struct error *err)
{
	static const char *const refresh[] = { "update-index", "-q", "--refresh", NULL };
	static const char *const dirty[] = { "diff-files",  "-z",
					     "--raw",	    "--no-renames",
					     "--no-abbrev", "--ignore-submodules=all",
					     NULL };
	const char *const staged[] = { "diff-index",   "--cached",    "-z",	  "--raw",
				       "--no-renames", "--no-abbrev", l->m->from, NULL };
	struct git_cmd cmd = *l->m->git;
	int code;

	cmd.args = refresh;
	/* Its exit code tells of files that are changed, which is no failure. */
	return git_run(&cmd, &code, err) || ask_changes(l->m, staged, &l->staged, err) ||
			       ask_changes(l->m, dirty, &l->dirty, err) ?
		       -1 :
		       0;
}

/* True where the index has the path as it is to be. */
static bool is_staged_alike(const struct change *staged, const struct change *c)
{
	return staged->new_mode == c->new_mode && !strcmp(staged->new_oid, c->new_oid);
}

/* What git-lfs put in the place of a pointer, as far as it is what the pointer says. */
static bool is_filled(const struct look *l, const struct change *c, const struct change *dirty)
{
	return dirty && c->old_mode && dirty->old_mode == dirty->new_mode &&
	       worktree_lfs_clean(l->m->git, l->top_fd, c);
}

static void judge(struct look *l, const struct change *c)
{
	const struct change *staged = changes_find(&l->staged, c->path);
	const struct change *dirty = changes_find(&l->dirty, c->path);
	bool there = spots_has_file(l->top_fd, c->path);

	if (staged && !is_staged_alike(staged, c))
		strv_add(l->in_the_way, c->path);
	else if (!there || (!dirty && (staged || c->status != 'A')))
		return; /* nothing of the operator's, or as the index has it, which git compares */
	else if (!staged && is_filled(l, c, dirty))
		buf_add(&l->filled, c->path, strlen(c->path) + 1);
	else if (c->new_mode)
		l->doubtful[l->doubtful_len++] = c;
	else
		strv_add(l->in_the_way, c->path);
}

/* The id of a symlink's target; a link has no end-of-line conversion. */
static int hash_link(const struct look *l, const char *path, struct buf *out, struct error *err)
{
	static const char *const args[] = { "hash-object", "--stdin", NULL };
	struct git_cmd cmd = *l->m->git;
	char target[PATH_MAX];
	ssize_t len = readlinkat(l->top_fd, path, target, sizeof(target));

	if (len < 0)
		return error_sys(err, errno, "cannot read the symlink '%s'", path);
	cmd.args = args;
	cmd.in = target;
	cmd.in_len = (size_t)len;
	cmd.out = out;
	return git_must(&cmd, err);
}

static bool has_mode(const struct stat *st, uint32_t mode)
{
	if (S_ISLNK(st->st_mode))
		return mode == 0120000;
	return S_ISREG(st->st_mode) && mode == (st->st_mode & S_IXUSR ? 0100755 : 0100644);
}

static void take(struct look *l, const struct change *c)
{
	buf_fmt(&l->take, "%06o %s\t%s", c->new_mode, c->new_oid, c->path);
	buf_char(&l->take, '\0');
}

/* True where the file holds the beginning of what is to be there, as a git that was killed leaves
 * it. */
static bool is_torn(const struct look *l, const struct change *c)
{
	const char *const args[] = { "cat-file", "blob", c->new_oid, NULL };
	struct error ignored = ERROR_INIT;
	struct git_cmd cmd = *l->m->git;
	BUF_AUTO want = BUF_INIT;
	BUF_AUTO have = BUF_INIT;

	cmd.args = args;
	cmd.out = &want;
	return l->m->resumed && !git_must(&cmd, &ignored) &&
	       !file_read(l->top_fd, c->path, want.len, &have, &ignored) &&
	       !memcmp(have.data, want.data, have.len);
}

/* Takes the file for written where it holds what was to be written. oid: its own, hex. */
static void take_if_alike(struct look *l, const struct change *c, const char *oid)
{
	if (!strncmp(oid, c->new_oid, strlen(c->new_oid))) {
		take(l, c);
	} else if (c->new_mode != 0120000 && is_torn(l, c)) {
		take(l, c);
		buf_add(&l->torn, c->path, strlen(c->path) + 1);
	} else {
		strv_add(l->in_the_way, c->path);
	}
}

/* Decides on all but files, which are left in doubtful. */
static int compare_links(struct look *l, struct error *err)
{
	size_t files = 0;

	for (size_t i = 0; i < l->doubtful_len; i++) {
		const struct change *c = l->doubtful[i];
		BUF_AUTO oid = BUF_INIT;
		struct stat st;

		if (fstatat(l->top_fd, c->path, &st, AT_SYMLINK_NOFOLLOW))
			return error_sys(err, errno, "cannot look at '%s'", c->path);
		if (!has_mode(&st, c->new_mode))
			strv_add(l->in_the_way, c->path);
		else if (S_ISREG(st.st_mode))
			l->doubtful[files++] = c;
		else if (hash_link(l, c->path, &oid, err))
			return -1;
		else
			take_if_alike(l, c, oid.data);
	}
	l->doubtful_len = files;
	return 0;
}

static int compare_files(struct look *l, struct error *err)
{
	static const char *const args[] = { "hash-object", "--stdin-paths", NULL };
	struct git_cmd cmd = *l->m->git;
	BUF_AUTO lines = BUF_INIT;
	BUF_AUTO oids = BUF_INIT;
	const char *oid;

	if (!l->doubtful_len)
		return 0;
	for (size_t i = 0; i < l->doubtful_len; i++) {
		git_quote(l->doubtful[i]->path, &lines);
		buf_char(&lines, '\n');
	}
	cmd.args = args;
	cmd.in = lines.data;
	cmd.in_len = lines.len;
	cmd.out = &oids;
	if (git_must(&cmd, err))
		return -1;
	oid = oids.data;
	for (size_t i = 0; i < l->doubtful_len; i++) {
		take_if_alike(l, l->doubtful[i], oid);
		oid += strcspn(oid, "\n");
		oid += *oid == '\n';
	}
	return 0;
}

static int look_at_all(struct look *l, struct error *err)
{
	const struct change_list *changes = l->m->changes;

	if (read_state(l, err))
		return -1;
	l->doubtful = xcalloc(size_add(changes->len, 1), sizeof(*l->doubtful));
	for (size_t i = 0; i < changes->len; i++)
		judge(l, &changes->v[i]);
	return compare_links(l, err) || compare_files(l, err) ? -1 : 0;
}

/* Sorted, each once. */
static void unify(struct strv *paths)
{
	size_t kept = 0;

	strv_sort(paths);
	for (size_t i = 0; i < paths->len; i++) {
		if (kept && !strcmp(paths->v[kept - 1], paths->v[i]))
			free(paths->v[i]);
		else
			paths->v[kept++] = paths->v[i];
	}
	paths->len = kept;
	if (paths->v)
		paths->v[kept] = NULL;
}

static int refuse(struct strv *in_the_way, struct error *err)
{
	BUF_AUTO names = BUF_INIT;

	for (size_t i = 0; i < in_the_way->len && i < NAMED_MAX; i++)
		buf_fmt(&names, "%s'%s'", i ? ", " : "", in_the_way->v[i]);
	if (in_the_way->len > NAMED_MAX)
		buf_fmt(&names, " and %zu more", in_the_way->len - NAMED_MAX);
	error_set(err, ERR_REFUSED, "your own changes would be overwritten: %s", names.data);
	return error_hint(err, "commit, stash or move them, then try again");
}

static int take_over(const struct look *l, struct error *err)
{
	static const char *const args[] = { "update-index", "-z", "--index-info", NULL };
	struct git_cmd cmd = *l->m->git;

	if (!l->take.len)
		return 0;
	cmd.args = args;
	cmd.in = l->take.data;
	cmd.in_len = l->take.len;
	return git_must(&cmd, err);
}

/* As the index has them, whatever is there. */
static int write_again(const struct look *l, const struct buf *paths, struct error *err)
{
	static const char *const args[] = { "checkout-index", "-f", "-q", "-u", "-z",
					    "--stdin",	      NULL };
	struct git_cmd cmd = *l->m->git;

	if (!paths->len)
		return 0;
	cmd.args = args;
	cmd.in = paths->data;
	cmd.in_len = paths->len;
	return git_must(&cmd, err);
}

static int git_refused(const struct attempt *t, struct error *err)
{
	git_failed("read-tree", t->code, &t->errout, err);
	if (strstr(t->errout.data, "index.lock")) {
		err->kind = ERR_BUSY;
		return error_hint(err, "another git works here; where none does, one crashed: "
				       "remove its index.lock");
	}
	if (strstr(t->errout.data, "resolve your current index")) {
		error_set(err, ERR_REFUSED, "the index has unmerged paths");
		return error_hint(err, "resolve and commit them first; git status lists them");
	}
	return -1;
}

/* git refused: says which paths are why, or finishes what an earlier call began. */
static int move_again(struct look *l, struct error *err)
{
	ATTEMPT_AUTO t = { .errout = BUF_INIT };

	if (look_at_all(l, err))
		return -1;
	unify(l->in_the_way);
	if (l->in_the_way->len)
		return refuse(l->in_the_way, err);
	if (write_again(l, &l->filled, err) || take_over(l, err) || write_again(l, &l->torn, err) ||
	    read_tree(l->m->git, l->m->from, l->m->to, &t, err))
		return -1;
	return t.code ? git_refused(&t, err) : 0;
}

static int move(struct look *l, struct error *err)
{
	struct spots spots = { .blocked = STRV_INIT };
	ATTEMPT_AUTO t = { .errout = BUF_INIT, .code = 1 };
	int rc = spots_find(l->top_fd, l->m->changes, &spots, err);

	if (!rc && !spots.blocked.len && !spots.present)
		rc = read_tree(l->m->git, l->m->from, l->m->to, &t, err);
	for (size_t i = 0; i < spots.blocked.len; i++)
		strv_add(l->in_the_way, spots.blocked.v[i]);
	strv_release(&spots.blocked);
	if (rc || !t.code)
		return rc;
	if (strstr(t.errout.data, "index.lock") ||
	    strstr(t.errout.data, "resolve your current index"))
		return git_refused(&t, err);
	return move_again(l, err);
}

int worktree_move(const struct worktree_move *m, struct strv *in_the_way, struct error *err)
{
	struct look l = { .m = m,
			  .top_fd = file_open_dir(AT_FDCWD, m->git->work_tree, err),
			  .staged = CHANGE_LIST_INIT,
			  .dirty = CHANGE_LIST_INIT,
			  .in_the_way = in_the_way,
			  .take = BUF_INIT,
			  .torn = BUF_INIT,
			  .filled = BUF_INIT };
	int rc = l.top_fd < 0 ? -1 : move(&l, err);

	look_release(&l);
	return rc;
}

int worktree_move_back(const struct worktree_move *m, struct error *err)
{
	ATTEMPT_AUTO t = { .errout = BUF_INIT };

	if (read_tree(m->git, m->to, m->from, &t, err))
		return -1;
	return t.code ? git_refused(&t, err) : 0;
}
