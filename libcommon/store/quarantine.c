#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "store/gitdir.h"
#include "store/quarantine.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "sys/rand.h"

#define NAME_LEN 16
#define LOCK_FILE "lock"
#define REPO_DIR "git"
#define UNPACK_MAX 100		  /* objects: git's own limit for keeping a pack as it is */

/* Neither the operator's configuration nor a `git -c` has a say about foreign objects. */
static const char *const no_config[] = {
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_PARAMETERS=",      "GIT_ATTR_NOSYSTEM=1",	      NULL
};

static int write_config(int dirfd, size_t hex, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	gitdir_config_line("core.repositoryformatversion", hex == 64 ? "1" : "0", &text);
	gitdir_config_line("core.bare", "true", &text);
	if (hex == 64)
		gitdir_config_line("extensions.objectformat", "sha256", &text);
	/* What a pack inflates to in memory stays bounded: larger blobs are streamed. */
	gitdir_config_line("core.bigfilethreshold", "32m", &text);
	return file_create(dirfd, "config", (struct file_content){ text.data, text.len, 0600 },
			   err);
}

static int write_alternates(int dirfd, const char *const *stores, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	for (; *stores; stores++)
		gitdir_alternate_line(*stores, &text);
	return file_create(dirfd, "objects/info/alternates",
			   (struct file_content){ text.data, text.len, 0600 }, err);
}

static int fill(int top_fd, const struct quarantine_place *where, struct error *err)
{
	static const char *const dirs[] = { "objects", "objects/info", "objects/pack", "refs" };
	static const char head[] = "ref: refs/heads/none\n";
	FD_AUTO fd = -1;

	if (file_mkdir(top_fd, REPO_DIR, 0700, err))
		return -1;
	fd = file_open_beneath(top_fd, REPO_DIR, O_RDONLY | O_DIRECTORY, 0, err);
	if (fd < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (file_mkdir(fd, dirs[i], 0700, err))
			return -1;
	}
	if (file_create(fd, "HEAD", (struct file_content){ head, strlen(head), 0600 }, err) ||
	    write_config(fd, where->hex, err))
		return -1;
	return write_alternates(fd, where->stores, err);
}

/*
 * The parent's own lock, so that a sweep never sees a quarantine between its mkdir and its
 * lock. The fd, or -1.
 */
static int lock_parent(int parent_fd, struct error *err)
{
	FD_AUTO fd = openat(parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX))
		return error_sys(err, errno, "cannot lock the quarantines");
	return fd_take(&fd);
}

/* The directory, locked. Its fd, or -1. */
static int make_top(struct quarantine *q, struct error *err)
{
	FD_AUTO parent_lock = lock_parent(q->parent_fd, err);
	FD_AUTO top = -1;

	if (parent_lock < 0 || file_mkdir(q->parent_fd, q->name, 0700, err))
		return -1;
	top = file_open_beneath(q->parent_fd, q->name, O_RDONLY | O_DIRECTORY, 0, err);
	if (top < 0)
		return -1;
	q->lock_fd = lock_acquire(top, LOCK_FILE, LOCK_EXCLUSIVE, 0, err);
	return q->lock_fd < 0 ? -1 : fd_take(&top);
}

static int make(const struct quarantine_place *where, struct quarantine *q, struct error *err)
{
	FD_AUTO top = -1;

	q->parent_fd = fd_dup(where->dirfd, err);
	if (q->parent_fd < 0)
		return -1;
	top = make_top(q, err);
	return top < 0 ? -1 : fill(top, where, err);
}

int quarantine_open(const struct quarantine_place *where, struct quarantine *out, struct error *err)
{
	*out = (struct quarantine)QUARANTINE_INIT;
	rand_hex(out->name, NAME_LEN);
	buf_fmt(&out->path, "%s/%s/" REPO_DIR, where->path, out->name);
	out->git = (struct git_cmd){ .git_dir = out->path.data, .env = no_config };
	if (make(where, out, err)) {
		quarantine_drop(out);
		return error_wrap(err, "cannot make a quarantine for objects");
	}
	return 0;
}

int quarantine_take(struct quarantine *q, const struct quarantine_pack *pack, struct error *err)
{
	BUF_AUTO limit = BUF_INIT;
	struct git_cmd cmd = q->git;

	buf_fmt(&limit, "--max-input-size=%llu", (unsigned long long)pack->max_bytes);
	const char *const args[] = {
		"index-pack", "--stdin", "--fix-thin", limit.data, pack->strict ? "--strict" : NULL,
		NULL
	};

	cmd.args = args;
	cmd.in_fd = &pack->fd;
	if (git_must(&cmd, err)) {
		if (err->kind == ERR_PEER)
			err->kind = ERR_CORRUPT;
		return error_wrap(err, "the objects are not taken");
	}
	return 0;
}

/*
 * One call for both questions: a tree lists itself first, another kind of object, peeled, would
 * list something else. Nothing is listed where all of it is part of what is known.
 */
int quarantine_check(const struct quarantine *q, const char *tree, const char *known,
		     struct error *err)
{
	static const char *const args[] = { "rev-list", "--objects", "--no-object-names", "--stdin",
					    NULL };
	struct git_cmd cmd = q->git;
	BUF_AUTO in = BUF_INIT;
	BUF_AUTO out = BUF_INIT;

	buf_fmt(&in, "%s^{tree}\n^%s^{tree}\n", tree, known);
	cmd.args = args;
	cmd.in = in.data;
	cmd.in_len = in.len;
	cmd.out = &out;
	if (git_must(&cmd, err)) {
		if (err->kind == ERR_PEER)
			err->kind = ERR_CORRUPT;
		return error_wrap(err, "the announced tree %s is not complete", tree);
	}
	if (out.len && strncmp(out.data, tree, strlen(tree)) != 0)
		return error_set(err, ERR_CORRUPT, "the announced tree %s is no tree", tree);
	return 0;
}

int quarantine_commit(const struct quarantine *q, const struct quarantine_commit *c,
		      struct buf *out, struct error *err)
{
	const char *const args[] = { "commit-tree", "-p", c->parent, "-F", "-", c->tree, NULL };
	STRV_AUTO env = STRV_INIT;
	struct git_cmd cmd = { .args = args,
			       .git_dir = c->repo->git_dir.data,
			       .in = c->message,
			       .in_len = strlen(c->message),
			       .out = out };

	/* Its own alternates file leads on to the host's stores. */
	strv_addf(&env, "GIT_OBJECT_DIRECTORY=%s/objects", q->path.data);
	strv_add_all(&env, c->env);
	cmd.env = strv_argv(&env);
	if (git_must(&cmd, err))
		return -1;
	buf_truncate(out, strcspn(out->data, "\n"));
	return 0;
}

/* Number of objects, from the head of a pack that git itself wrote here. */
static int count_objects(int fd, uint32_t *out, struct error *err)
{
	unsigned char head[12];

	if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head, "PACK", 4) != 0)
		return error_set(err, ERR_CORRUPT, "a pack in quarantine cannot be read");
	*out = (uint32_t)head[8] << 24 | (uint32_t)head[9] << 16 | (uint32_t)head[10] << 8 |
	       head[11];
	return 0;
}

/* A file with what the commit has and known has not; it is read from its start. */
static int pack(const struct quarantine *q, const char *commit, const char *known,
		struct error *err)
{
	static const char *const args[] = {
		"pack-objects", "--revs", "--thin", "--delta-base-offset", "--stdout", "-q", NULL
	};
	struct git_cmd cmd = q->git;
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO revs = BUF_INIT;
	FD_AUTO fd = -1;

	buf_fmt(&path, "%s/accepted.pack", q->path.data);
	fd = open(path.data, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, errno, "cannot make %s", path.data);
	buf_fmt(&revs, "%s\n^%s\n", commit, known);
	cmd.args = args;
	cmd.in = revs.data;
	cmd.in_len = revs.len;
	cmd.out_fd = &fd;
	if (git_must(&cmd, err))
		return -1;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return error_sys(err, errno, "cannot read a pack back");
	return fd_take(&fd);
}

/* As a fetch does it: few objects become loose ones, many stay a pack. */
int quarantine_accept(const struct quarantine *q, const struct repo *repo, const char *commit,
		      const char *known, struct error *err)
{
	static const char *const unpack[] = { "unpack-objects", "-q", NULL };
	static const char *const keep[] = { "index-pack", "--stdin", "--fix-thin", NULL };
	struct git_cmd cmd = { .git_dir = repo->git_dir.data };
	FD_AUTO fd = pack(q, commit, known, err);
	uint32_t objects = 0;

	if (fd < 0 || count_objects(fd, &objects, err))
		return -1;
	cmd.args = objects < UNPACK_MAX ? unpack : keep;
	cmd.in_fd = &fd;
	return git_must(&cmd, err);
}

void quarantine_drop(struct quarantine *q)
{
	struct error ignored = ERROR_INIT;

	/* What cannot be removed now is swept later. */
	if (q->parent_fd >= 0)
		(void)file_remove_tree(q->parent_fd, q->name, &ignored);
	fd_close(&q->lock_fd);
	fd_close(&q->parent_fd);
	buf_release(&q->path);
	*q = (struct quarantine)QUARANTINE_INIT;
}

static bool is_left(int parent_fd, const char *name)
{
	FD_AUTO fd = -1;
	struct stat st;

	if (strlen(name) != NAME_LEN || strspn(name, "0123456789abcdef") != NAME_LEN ||
	    fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
		return false;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && !lock_is_held(fd, LOCK_FILE, LOCK_EXCLUSIVE);
}

static int sweep_one(int parent_fd, const char *name, bool dry_run, struct strv *swept,
		     struct error *err)
{
	if (!is_left(parent_fd, name))
		return 0;
	if (!dry_run && file_remove_tree(parent_fd, name, err))
		return -1;
	strv_add(swept, name);
	return 0;
}

int quarantine_sweep(int parent_fd, bool dry_run, struct strv *swept, struct error *err)
{
	int lock = lock_parent(parent_fd, err);
	DIR *dir = lock < 0 ? NULL : fdopendir(lock);
	const struct dirent *e;
	int rc = 0;

	if (lock < 0)
		return -1;
	if (!dir) {
		fd_close(&lock);
		return error_sys(err, errno, "cannot list the quarantines");
	}
	while (!rc && (e = readdir(dir)) != NULL)
		rc = sweep_one(parent_fd, e->d_name, dry_run, swept, err);
	closedir(dir);
	return rc;
}
