/*
 * A work tree as a tree object. Files of the base are hashed first and stored
 * only where they differ: the objects of the host are borrowed read-only, and
 * git would otherwise store every file again because it cannot freshen theirs.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "mason/contents.h"
#include "mason/index.h"
#include "mason/mason.h"
#include "mason/snaprepo.h"
#include "mason/trees.h"
#include "mason/walk.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/stamp.h"

#define INDEX_MAX (1u << 30)
#define OBJECTS_MAX 20000 /* loose ones, before the repository is made anew */
#define ATTEMPTS 3
#define STILL_LOOKS 3
#define STILL_MS 5
#define SILENT_MAX 64
#define MANY 64

struct snapshot {
	const struct snapshot_request *req;
	int work_fd;
	struct snaprepo repo;
	struct cache cache;  /* what is to be known afterwards */
	struct cache before; /* thorough: what was known before */
	struct walk_result found;
	struct buf lfs; /* lines about objects of git-lfs */
	bool anew; /* the cache starts from the base */
	bool trust;
};

static void release(struct snapshot *s)
{
	fd_close(&s->work_fd);
	snaprepo_release(&s->repo);
	cache_release(&s->cache);
	cache_release(&s->before);
	walk_result_release(&s->found);
	buf_release(&s->lfs);
}

static int read_base(struct snapshot *s, struct error *err)
{
	const char *const args[] = { "ls-tree",	    "-r",	    "-t", "-z",
				     "--full-tree", s->req->commit, NULL };
	struct git_cmd cmd = s->repo.git;
	BUF_AUTO text = BUF_INIT;

	cmd.args = args;
	cmd.out = &text;
	roster_begin(s->req->tree, &s->cache.roster);
	return git_must(&cmd, err) || roster_add_base(&s->cache.roster, &text, err) ? -1 : 0;
}

/*
 * The view's index knows how each file looked when it was checked out, and what a sparse checkout
 * left out: that is unchanged, not removed.
 */
static void learn(void *arg, const struct index_entry *i)
{
	struct snapshot *s = arg;
	struct roster *t = &s->cache.roster;
	uint32_t at = roster_find(t, i->path);
	struct entry *e = at == ROSTER_NONE ? NULL : &t->v[at];

	if (!e || e->base_mode != i->mode)
		return;
	if (i->skip) {
		e->flags |= ENTRY_SKIP;
	} else if (s->trust && memcmp(e->base, i->oid, t->oid_len) == 0) {
		e->flags |= ENTRY_TAKEN;
		e->sig = i->sig;
	}
}

/* Written by the host when the box was made; nothing ran in it before. */
static int read_index(struct snapshot *s, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO bytes = BUF_INIT;
	struct stat st;

	buf_fmt(&path, "%s/.git/index", s->req->work);
	if (lstat(path.data, &st)) {
		s->trust = false;
		return 0;
	}
	s->cache.trusted_before = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
				  (uint64_t)st.st_mtim.tv_nsec;
	if (file_read(AT_FDCWD, path.data, INDEX_MAX, &bytes, err))
		return -1;
	return index_each(&(struct index_bytes){ bytes.data, bytes.len, s->cache.roster.oid_len },
			  learn, s, err);
}

/* The roster to begin with: of the last snapshot, or of the base. */
static int begin(struct snapshot *s, struct error *err)
{
	const struct snapshot_request *r = s->req;
	FD_AUTO snap = file_open_dir(AT_FDCWD, r->snap_dir, err);
	struct cache *last = r->thorough ? &s->before : &s->cache;
	bool known;

	if (snap < 0)
		return -1;
	known = cache_read(snap, r->commit, r->tree, last);
	s->trust = !r->thorough;
	s->anew = r->thorough || !known || last->objects > OBJECTS_MAX;
	if (snaprepo_open(r->work, r->snap_dir, s->anew, &s->repo, err))
		return -1;
	if (!s->anew)
		return 0;
	cache_release(&s->cache);
	s->cache = (struct cache)CACHE_INIT;
	return read_base(s, err) || read_index(s, err) ? -1 : 0;
}

static int look(struct snapshot *s, struct error *err)
{
	const struct walk_how how = { .work_fd = s->work_fd,
				      .ignore = &s->repo.git,
				      .trust = s->trust };
	struct contents c = { .roster = &s->cache.roster, .repo = &s->repo, .work_fd = s->work_fd };
	uint64_t trees = 0;

	if (walk_update(&how, &s->cache, &s->found, err))
		return -1;
	c.many = s->found.len > MANY;
	c.converts = s->repo.converts || s->found.attributes.len;
	c.keep = s->req->thorough;
	c.out = &s->lfs;
	if (contents_read(&c, &s->found, err) || trees_make(c.roster, &s->repo.git, &trees, err))
		return -1;
	s->cache.objects += trees + c.stored;
	return 0;
}

/* The objects that the base lacks, with their paths for what they may be written against. */
static void list_objects(const struct roster *t, struct buf *out)
{
	for (uint32_t i = 0; i < t->len; i++) {
		const struct entry *e = &t->v[i];
		const char *path = roster_path(t, i);

		if (!e->mode || e->mode == MODE_GITLINK ||
		    (e->base_mode && memcmp(e->oid, e->base, t->oid_len) == 0))
			continue;
		oid_hex(e->oid, t->oid_len, out);
		buf_fmt(out, " %s\n", strchr(path, '\n') ? "" : path);
	}
}

static int pack(struct snapshot *s, const unsigned char *tree, struct buf *out, struct error *err)
{
	const struct roster *t = &s->cache.roster;
	BUF_AUTO objects = BUF_INIT;

	if (memcmp(tree, t->v[ROSTER_ROOT].base, t->oid_len) == 0) {
		snaprepo_no_pack(&s->repo);
		memset(s->cache.packed, 0, sizeof(s->cache.packed));
		return 0;
	}
	buf_str(out, "pack\n");
	if (memcmp(tree, s->cache.packed, t->oid_len) == 0 && file_exists(s->repo.snap_fd, "pack"))
		return 0;
	list_objects(t, &objects);
	if (snaprepo_pack(&s->repo, s->req->commit, &objects, err))
		return -1;
	memcpy(s->cache.packed, tree, t->oid_len);
	return 0;
}

/* False where attributes decide otherwise than before: then the same bytes give other blobs. */
static bool same_attributes(const struct roster *before, const struct roster *now)
{
	for (uint32_t i = 1; i < now->len; i++) {
		uint32_t was;

		if (strcmp(roster_name(now, i), ".gitattributes") != 0)
			continue;
		was = roster_find(before, roster_path(now, i));
		if (was == ROSTER_NONE ||
		    memcmp(before->v[was].oid, now->v[i].oid, now->oid_len) != 0)
			return false;
	}
	return true;
}

/* A page that is mapped and written again changes a file without any trace. */
static void report_silent(const struct snapshot *s, struct buf *out)
{
	const struct roster *now = &s->cache.roster, *before = &s->before.roster;
	size_t said = 0;

	if (!before->len || !same_attributes(before, now))
		return;
	for (uint32_t i = 1; i < now->len && said < SILENT_MAX; i++) {
		const struct entry *e = &now->v[i];
		uint32_t at = roster_find(before, roster_path(now, i));
		const struct entry *was = at == ROSTER_NONE ? NULL : &before->v[at];

		if (!was || !e->mode || e->mode == MODE_DIR || e->mode != was->mode ||
		    memcmp(e->oid, was->oid, now->oid_len) == 0 ||
		    !cache_trusts(&s->before, &was->sig, &e->sig))
			continue;
		buf_str(out, "silent ");
		git_quote(roster_path(now, i), out);
		buf_char(out, '\n');
		said++;
	}
}

static void report_found(const struct walk_result *w, struct buf *out)
{
	const struct {
		const char *kind;
		uint64_t count;
	} kinds[] = { { "special", w->special },
		      { "git", w->dotgit },
		      { "unreadable", w->unreadable },
		      { "too-long", w->too_long } };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].count)
			buf_fmt(out, "skipped %llu %s\n", (unsigned long long)kinds[i].count,
				kinds[i].kind);
	}
	for (size_t i = 0; i < w->repositories.len; i++) {
		buf_str(out, "repository ");
		git_quote(w->repositories.v[i], out);
		buf_char(out, '\n');
	}
}

static int take(struct snapshot *s, struct buf *out, struct error *err)
{
	const struct entry *root;
	uint64_t start = clock_file_ns();

	s->work_fd = open(s->req->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->work_fd < 0)
		return error_sys(err, errno, "cannot open '%s'", s->req->work);
	if (begin(s, err) || look(s, err))
		return -1;
	root = &s->cache.roster.v[ROSTER_ROOT];
	buf_str(out, "tree ");
	oid_hex(root->oid, s->cache.roster.oid_len, out);
	buf_char(out, '\n');
	if (!s->req->glance && pack(s, root->oid, out, err))
		return -1;
	buf_add(out, s->lfs.data, s->lfs.len);
	report_found(&s->found, out);
	report_silent(s, out);
	s->cache.trusted_before = start;
	if (!s->anew && !s->found.len && !s->cache.roster.changed)
		return 0;
	return cache_write(s->repo.snap_fd, s->req->commit, &s->cache, err);
}

static void mix(void *arg, const void *data, size_t len)
{
	uint64_t *sum = arg; /* FNV-1a */

	for (const unsigned char *p = data; len > 0; p++, len--)
		*sum = (*sum ^ *p) * 0x100000001b3u;
}

static uint64_t stamp(int work_fd)
{
	uint64_t sum = 0xcbf29ce484222325u;
	struct stamp_seen seen;

	stamp_tree(work_fd, &(struct stamp_sink){ mix, &sum }, &seen);
	return sum;
}

/* Whether nothing else writes there; after a failure, so it may take its time. */
static bool stands_still(const char *work)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO fd = file_open_dir(AT_FDCWD, work, &ignored);
	uint64_t first = fd < 0 ? 0 : stamp(fd);

	for (int i = 0; fd >= 0 && i < STILL_LOOKS; i++) {
		(void)poll(NULL, 0, STILL_MS);
		if (stamp(fd) != first)
			return false;
	}
	return true;
}

static int give_up(const struct snapshot_request *req, struct error *err)
{
	if (stands_still(req->work))
		return error_wrap(err, "%d attempts failed", ATTEMPTS);
	return error_set(err, ERR_BUSY, "its files change while they are read");
}

int mason_snapshot(const struct snapshot_request *req, struct buf *out, struct error *err)
{
	int rc = -1;

	/* A file that vanishes between its listing and its reading makes git fail, one that becomes
	 * a FIFO makes it wait. */
	for (int i = 0; i < ATTEMPTS && rc; i++) {
		struct snapshot s = { .req = req,
				      .work_fd = -1,
				      .repo = SNAPREPO_INIT,
				      .cache = CACHE_INIT,
				      .before = CACHE_INIT,
				      .lfs = BUF_INIT };

		*err = (struct error)ERROR_INIT;
		buf_reset(out);
		rc = take(&s, out, err);
		release(&s);
		if (rc && err->kind != ERR_PEER && err->kind != ERR_LIMIT)
			return -1;
	}
	return rc ? give_up(req, err) : 0;
}
