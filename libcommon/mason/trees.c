#include "base/base.h"

#include "base/alloc.h"
#include "mason/trees.h"
#include "sys/fd.h"

/* An entry and the directory in which it lies. */
struct child {
	uint32_t parent;
	uint32_t entry;
};

struct children {
	struct child *v; /* by parent */
	size_t len;
};

/* git mktree, which answers each tree with its id. */
struct maker {
	struct git_job job;
	int to_fd;
	bool started;
};

static int by_parent(const void *a_void, const void *b_void)
{
	const struct child *a = a_void, *b = b_void;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* All that lies in directories whose trees are to be made. */
static struct children find_children(const struct roster *t)
{
	struct children c = { .v = xcalloc(t->len, sizeof(*c.v)) };

	for (uint32_t i = 1; i < t->len; i++) {
		if (t->v[t->v[i].parent].flags & ENTRY_DIRTY)
			c.v[c.len++] = (struct child){ t->v[i].parent, i };
	}
	qsort(c.v, c.len, sizeof(*c.v), by_parent);
	return c;
}

static size_t first_of(const struct children *c, uint32_t parent)
{
	size_t low = 0, high = c->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->v[mid].parent < parent)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const char *type_of(uint32_t mode)
{
	return mode == MODE_DIR ? "tree" : mode == MODE_GITLINK ? "commit" : "blob";
}

/* As mktree -z reads it; the empty record ends a tree. */
static void describe(const struct roster *t, const struct children *c, uint32_t dir,
		     struct buf *out)
{
	for (size_t i = first_of(c, dir); i < c->len && c->v[i].parent == dir; i++) {
		const struct entry *e = &t->v[c->v[i].entry];
		const char *name = roster_name(t, c->v[i].entry);

		if (!e->mode)
			continue;
		buf_fmt(out, "%06o %s ", e->mode, type_of(e->mode));
		oid_hex(e->oid, t->oid_len, out);
		buf_char(out, '\t');
		buf_add(out, name, strlen(name) + 1);
	}
}

static int start(struct maker *m, const struct git_cmd *git, struct error *err)
{
	static const char *const args[] = { "mktree", "-z", "--batch", "--missing", NULL };
	struct git_cmd cmd = *git;
	int pair[2];

	if (m->started)
		return 0;
	if (fd_pipe(pair, err))
		return -1;
	FD_AUTO in = pair[0];
	m->to_fd = pair[1];
	cmd.args = args;
	cmd.in_fd = &in;
	m->started = true;
	return git_start_cmd(&cmd, &m->job, err);
}

static int read_oid(const struct maker *m, size_t oid_len, unsigned char *out, struct error *err)
{
	char line[2 * ROSTER_OID_MAX + 1];

	if (fd_read_full(m->job.out_fd, line, 2 * oid_len + 1, err))
		return error_wrap(err, "git mktree");
	if (line[2 * oid_len] != '\n' || !oid_parse(line, oid_len, out))
		return error_set(err, ERR_PEER, "git mktree gave no id");
	return 0;
}

static int make_one(struct roster *t, const struct children *c, uint32_t dir, struct maker *m,
		    struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	struct entry *e = &t->v[dir];

	describe(t, c, dir, &text);
	if (!text.len && dir != ROSTER_ROOT) {
		e->mode = 0;
		return 0;
	}
	buf_char(&text, '\0');
	memset(e->oid, 0, sizeof(e->oid));
	e->mode = MODE_DIR;
	return fd_write_full(m->to_fd, text.data, text.len, err) ||
			       read_oid(m, t->oid_len, e->oid, err) ?
		       -1 :
		       0;
}

static bool is_dir(const struct entry *e)
{
	return (e->flags & ENTRY_DIRTY) && (e->mode == 0 || e->mode == MODE_DIR);
}

/* Backwards, as what lies in a directory comes after it. */
static int make_all(struct roster *t, const struct git_cmd *git, struct maker *m,
		    uint64_t *made_out, struct error *err)
{
	struct children c = find_children(t);
	int rc = 0;

	for (uint32_t i = t->len; !rc && i-- > 0;) {
		if (!is_dir(&t->v[i]))
			continue;
		rc = start(m, git, err) || make_one(t, &c, i, m, err) ? -1 : 0;
		*made_out += 1;
	}
	free(c.v);
	return rc;
}

static int finish(struct maker *m, struct error *err)
{
	BUF_AUTO rest = BUF_INIT;
	int code = 0;

	fd_close(&m->to_fd);
	if (!m->started)
		return 0;
	if (git_finish(&m->job, &rest, &code, err))
		return -1;
	return code ? git_failed("mktree", code, &m->job.errout, err) : 0;
}

int trees_make(struct roster *t, const struct git_cmd *git, uint64_t *made_out, struct error *err)
{
	struct maker m = { .job = GIT_JOB_INIT, .to_fd = -1 };
	int rc;

	*made_out = 0;
	rc = make_all(t, git, &m, made_out, err) || finish(&m, err) ? -1 : 0;
	fd_close(&m.to_fd);
	git_job_release(&m.job);
	return rc;
}
