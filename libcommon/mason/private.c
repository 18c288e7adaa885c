#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "mason/private.h"
#include "store/gitdir.h"
#include "sys/fd.h"
#include "sys/file.h"

#define REFS_MAX (256u << 20)
#define OID_MAX 128

/* Whatever else the box has put there goes. */
static int make_dir(int dir, const char *name, struct error *err)
{
	struct stat st;

	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISDIR(st.st_mode) &&
	    unlinkat(dir, name, 0))
		return error_sys(err, errno, "cannot remove '%s' in the box", name);
	if (mkdirat(dir, name, 0755) && errno != EEXIST)
		return error_sys(err, errno, "cannot make '%s' in the box", name);
	return 0;
}

/* The directory of a path in the git directory; where `make`, missing ones are made. The fd, or
 * -1. */
static int open_parent(int git_fd, const char *path, bool make, struct error *err)
{
	FD_AUTO dir = fd_dup(git_fd, err);

	for (const char *slash; dir >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
		BUF_AUTO name = BUF_INIT;
		int next;

		buf_add(&name, path, (size_t)(slash - path));
		if (make && make_dir(dir, name.data, err))
			return -1;
		next = file_open_beneath(dir, name.data, O_RDONLY | O_DIRECTORY, 0, err);
		fd_close(&dir);
		dir = next;
	}
	return fd_take(&dir);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int put(int git_fd, const char *path, const struct buf *text, struct error *err)
{
	FD_AUTO dir = open_parent(git_fd, path, true, err);
	struct stat st;

	if (dir < 0)
		return -1;
	if (!fstatat(dir, base_name(path), &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	    file_remove_tree(dir, base_name(path), err))
		return -1;
	return file_write_atomic(dir, base_name(path),
				 (struct file_content){ text->data, text->len, 0644 }, err);
}

/* What the box has there, or nothing. */
static void get(int git_fd, const char *path, size_t max, struct buf *out)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO dir = open_parent(git_fd, path, false, &ignored);

	if (dir >= 0 && file_read(dir, base_name(path), max, out, &ignored))
		buf_reset(out);
}

/* The next line that names a ref, from *at on; its name is *ref. False at the end. */
static bool next_ref(const struct buf *list, size_t *at, struct buf *line, const char **ref)
{
	while (*at < list->len) {
		const char *start = list->data + *at;
		size_t len = strcspn(start, "\n");
		const char *blank;

		*at += len + 1;
		buf_reset(line);
		buf_add(line, start, len);
		blank = strchr(line->data, ' ');
		if (*start != '#' && *start != '^' && blank) {
			*ref = blank + 1;
			return true;
		}
	}
	return false;
}

void private_merge_refs(const struct buf *ours, const struct buf *theirs, struct buf *out)
{
	BUF_AUTO our_line = BUF_INIT;
	BUF_AUTO their_line = BUF_INIT;
	const char *our_ref = NULL, *their_ref = NULL;
	size_t our_at = 0, their_at = 0;
	bool more_ours = next_ref(ours, &our_at, &our_line, &our_ref);
	bool more_theirs = next_ref(theirs, &their_at, &their_line, &their_ref);

	buf_str(out, "# pack-refs with: sorted \n");
	while (more_ours || more_theirs) {
		int order = !more_theirs ? -1 : !more_ours ? 1 : strcmp(our_ref, their_ref);

		buf_fmt(out, "%s\n", order <= 0 ? our_line.data : their_line.data);
		if (order >= 0)
			more_theirs = next_ref(theirs, &their_at, &their_line, &their_ref);
		if (order <= 0)
			more_ours = next_ref(ours, &our_at, &our_line, &our_ref);
	}
}

static int put_refs(int git_fd, const struct buf *refs, struct error *err)
{
	BUF_AUTO own = BUF_INIT;
	BUF_AUTO all = BUF_INIT;

	get(git_fd, "packed-refs", REFS_MAX, &own);
	private_merge_refs(refs, &own, &all);
	return put(git_fd, "packed-refs", &all, err);
}

/* So that the box finds its commits again. */
static int put_orig_head(int git_fd, const char *ref, const char *commit, struct error *err)
{
	BUF_AUTO old = BUF_INIT;

	get(git_fd, ref, OID_MAX, &old);
	if (old.len != strlen(commit) + 1 ||
	    strspn(old.data, "0123456789abcdef") != strlen(commit) ||
	    !strncmp(old.data, commit, strlen(commit)))
		return 0;
	return put(git_fd, "ORIG_HEAD", &old, err);
}

static int clear_state(int git_fd, struct error *err)
{
	static const char *const names[] = { "MERGE_HEAD",	 "MERGE_MSG",	 "MERGE_MODE",
					     "MERGE_RR",	 "AUTO_MERGE",	 "SQUASH_MSG",
					     "CHERRY_PICK_HEAD", "REVERT_HEAD",	 "REBASE_HEAD",
					     "sequencer",	 "rebase-merge", "rebase-apply",
					     "index.lock" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (file_remove_tree(git_fd, names[i], err))
			return -1;
	}
	return 0;
}

int private_set_base(int git_fd, const struct mason_rebase *base, const struct buf *refs,
		     struct error *err)
{
	BUF_AUTO ref = BUF_INIT;
	BUF_AUTO head = BUF_INIT;
	BUF_AUTO commit = BUF_INIT;
	BUF_AUTO alternates = BUF_INIT;

	buf_fmt(&ref, "refs/heads/%s", base->branch);
	buf_fmt(&head, "ref: %s\n", ref.data);
	buf_fmt(&commit, "%s\n", base->commit);
	for (size_t i = 0; i < base->stores; i++)
		buf_fmt(&alternates, "%s/%zu\n", GITDIR_OBJECTS, i);
	return put(git_fd, "objects/info/alternates", &alternates, err) ||
			       put_orig_head(git_fd, ref.data, base->commit, err) ||
			       put_refs(git_fd, refs, err) || put(git_fd, ref.data, &commit, err) ||
			       put(git_fd, "HEAD", &head, err) || clear_state(git_fd, err) ?
		       -1 :
		       0;
}
