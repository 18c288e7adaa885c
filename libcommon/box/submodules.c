#include "base/base.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "box/manifest.h"
#include "box/submodules.h"
#include "store/git.h"
#include "store/gitdir.h"
#include "store/gitmodules.h"
#include "sys/fd.h"
#include "sys/file.h"

#define NOTES_MAX 16
#define STORE_BYTES_MAX (64u << 10) /* of all paths: the manifest and the plan hold them */

void submodules_release(struct submodules *s)
{
	for (size_t i = 0; i < s->len; i++) {
		buf_release(&s->v[i].parent_path);
		buf_release(&s->v[i].parent_dir);
		buf_release(&s->v[i].path);
		buf_release(&s->v[i].name);
		buf_release(&s->v[i].commit);
		buf_release(&s->v[i].clone);
		strv_release(&s->v[i].stores);
	}
	for (size_t i = 0; i < s->absent_len; i++) {
		buf_release(&s->absent[i].path);
	}
	free(s->v);
	free(s->absent);
	*s = (struct submodules)SUBMODULES_INIT;
}

/* A repository in which submodules are looked for: the operator's, or the clone of a submodule. */
struct level {
	const struct repo *repo;
	const char *commit;
	const char *path; /* where it is in the work tree; "" for the first */
	const char *dir;  /* below git/; "" for the first */
	unsigned depth;
};

struct finder {
	const struct repo *repo; /* the operator's */
	uid_t owner;
	struct strv *objects;
	struct submodules *out;
};

static void join(const char *a, const char *b, struct buf *out)
{
	buf_fmt(out, "%s%s%s", a, *a ? "/" : "", b);
}

static const char no_clone[] = "there is no clone of it here";
static const char no_commit[] = "the clone of it here lacks the commit";
static const char unreadable[] = "its .gitmodules cannot be read";
static const char broken[] = "the clone of it here cannot be read";

static void add_absent(struct submodules *s, const struct level *l, const struct gitmodule *m,
		       const char *why)
{
	BUF_AUTO path = BUF_INIT;
	struct submodule_absent *a;

	if (s->absent_len == s->absent_cap) {
		s->absent_cap = s->absent_cap ? s->absent_cap * 2 : 8;
		s->absent = xrealloc(s->absent, size_mul(s->absent_cap, sizeof(*s->absent)));
	}
	a = &s->absent[s->absent_len++];
	*a = (struct submodule_absent){ .path = BUF_INIT,
					.why = why,
					.update_helps = why == no_clone || why == no_commit };
	join(l->path, m->path.data, &path);
	git_quote(path.data, &a->path);
}

static bool is_clone(const struct finder *f, const char *base, const char *rel, struct buf *out)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO top = file_open_dir(AT_FDCWD, base, &ignored);
	FD_AUTO fd = top < 0 ? -1 :
			       file_open_beneath(top, rel, O_RDONLY | O_DIRECTORY, 0, &ignored);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_uid != f->owner || !file_exists(fd, "HEAD") ||
	    !file_exists(fd, "objects"))
		return false;
	buf_fmt(out, "%s/%s", base, rel);
	return true;
}

/* Where git keeps it: below the git directory (of a linked worktree, its own), or where old
 * versions left it. */
static bool find_clone(const struct finder *f, const struct level *l, const struct gitmodule *m,
		       struct buf *out)
{
	BUF_AUTO below = BUF_INIT;
	BUF_AUTO old = BUF_INIT;
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&below, "modules/%s", m->name.data);
	join(l->path, m->path.data, &path);
	buf_fmt(&old, "%s/.git", path.data);
	return is_clone(f, l->repo->git_dir.data, below.data, out) ||
	       is_clone(f, l->repo->common_dir.data, below.data, out) ||
	       is_clone(f, f->repo->top.data, old.data, out);
}

static size_t bytes_of(const struct strv *v)
{
	size_t sum = 0;

	for (size_t i = 0; i < v->len; i++)
		sum += strlen(v->v[i]) + 1;
	return sum;
}

/* False where the box would have too many. */
static bool add_stores(struct strv *objects, const struct strv *stores)
{
	size_t more = 0;

	for (size_t i = 0; i < stores->len; i++)
		more += !strv_has(objects, stores->v[i]);
	if (objects->len + more > MANIFEST_OBJECTS_MAX ||
	    bytes_of(objects) + bytes_of(stores) > STORE_BYTES_MAX)
		return false;
	for (size_t i = 0; i < stores->len; i++) {
		if (!strv_has(objects, stores->v[i]))
			strv_add(objects, stores->v[i]);
	}
	return true;
}

static struct submodule *add(struct submodules *s, const struct level *l, const struct gitmodule *m)
{
	struct submodule *n;

	if (s->len == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 8;
		s->v = xrealloc(s->v, size_mul(s->cap, sizeof(*s->v)));
	}
	n = &s->v[s->len++];
	*n = (struct submodule){ .parent_path = BUF_INIT,
				 .parent_dir = BUF_INIT,
				 .path = BUF_INIT,
				 .name = BUF_INIT,
				 .commit = BUF_INIT,
				 .clone = BUF_INIT,
				 .stores = STRV_INIT };
	buf_str(&n->parent_path, l->path);
	buf_str(&n->parent_dir, l->dir);
	buf_str(&n->path, m->path.data);
	buf_str(&n->name, m->name.data);
	buf_str(&n->commit, m->oid.data);
	return n;
}

/* NULL: it can be checked out, as far as one sees. *children_out: what it registers itself. */
static const char *look(struct finder *f, const struct level *l, const struct gitmodule *m,
			struct repo *clone, struct gitmodules *children_out)
{
	struct error why = ERROR_INIT;
	STRV_AUTO stores = STRV_INIT;
	struct submodule *n;

	if (m->bad)
		return m->bad;
	if (l->depth == SUBMODULES_DEPTH_MAX)
		return "it lies too deep within other submodules";
	if (f->out->len == MANIFEST_SUBMODULES_MAX)
		return "there are too many submodules";
	if (!find_clone(f, l, m, &clone->git_dir))
		return no_clone;
	buf_str(&clone->common_dir, clone->git_dir.data);
	if (repo_stores(clone, &stores, &why))
		return broken;
	if (gitmodules_read(clone, m->oid.data, children_out, &why))
		return why.kind == ERR_NOTFOUND ? no_commit : unreadable;
	if (!add_stores(f->objects, &stores))
		return "there are too many submodules";
	n = add(f->out, l, m);
	buf_str(&n->clone, clone->git_dir.data);
	strv_add_all(&n->stores, strv_argv(&stores));
	return NULL;
}

static void find_at(struct finder *f, const struct level *l, const struct gitmodules *found);

static void find_one(struct finder *f, const struct level *l, const struct gitmodule *m)
{
	GITMODULES_AUTO children = GITMODULES_INIT;
	REPO_AUTO clone = REPO_INIT;
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO dir = BUF_INIT;
	const char *why = look(f, l, m, &clone, &children);
	struct level below = { .repo = &clone, .depth = l->depth + 1 };

	if (why) {
		add_absent(f->out, l, m, why);
		return;
	}
	join(l->path, m->path.data, &path);
	join(l->dir, "modules/", &dir);
	buf_str(&dir, m->name.data);
	below.path = path.data;
	below.dir = dir.data;
	find_at(f, &below, &children);
}

static void find_at(struct finder *f, const struct level *l, const struct gitmodules *found)
{
	for (size_t i = 0; i < found->len; i++)
		find_one(f, l, &found->v[i]);
}

void submodules_find(const struct repo *r, const char *commit, struct strv *objects,
		     struct submodules *out)
{
	GITMODULES_AUTO found = GITMODULES_INIT;
	struct error why = ERROR_INIT;
	struct finder f = { .repo = r, .objects = objects, .out = out };
	const struct level top = { .repo = r, .path = "", .dir = "" };
	struct stat st;

	out->others = "it is not registered in .gitmodules";
	if (fstat(r->common_fd, &st) || gitmodules_read(r, commit, &found, &why)) {
		out->others = ".gitmodules cannot be read";
		return;
	}
	f.owner = st.st_uid;
	find_at(&f, &top, &found);
}

/* As lines of info/alternates inside. */
static void alternates(const struct submodule *m, const struct strv *objects, struct buf *out)
{
	for (size_t i = 0; i < objects->len; i++) {
		if (strv_has(&m->stores, objects->v[i]))
			buf_fmt(out, "%s/%zu\n", GITDIR_OBJECTS, i);
	}
}

/* From the git directory, which is a few components below the `.git` of the work tree's top. */
static void way_to_files(const char *dir, const struct submodule *m, struct buf *out)
{
	buf_str(out, "../../");
	for (const char *p = dir; (p = strchr(p, '/')) != NULL; p++)
		buf_str(out, "../");
	join(m->parent_path.data, m->path.data, out);
}

static int activate(int git_fd, const struct submodule *m, struct error *err)
{
	FD_AUTO fd = file_open_beneath(git_fd, m->parent_dir.len ? m->parent_dir.data : ".",
				       O_RDONLY | O_DIRECTORY, 0, err);
	BUF_AUTO key = BUF_INIT;
	BUF_AUTO line = BUF_INIT;

	if (fd < 0)
		return -1;
	buf_fmt(&key, "submodule.%s.active", m->name.data);
	gitdir_config_line(key.data, "true", &line);
	return gitdir_add_config(fd, &line, err);
}

static int write_one(const struct submodule *m, int git_fd, const struct strv *objects,
		     const struct repo_facts *f, struct error *err)
{
	BUF_AUTO dir = BUF_INIT;
	BUF_AUTO stores = BUF_INIT;
	BUF_AUTO files = BUF_INIT;
	FD_AUTO fd = -1;

	join(m->parent_dir.data, "modules/", &dir);
	buf_str(&dir, m->name.data);
	alternates(m, objects, &stores);
	way_to_files(dir.data, m, &files);
	const struct gitdir_module module = { .commit = m->commit.data,
					      .worktree = files.data,
					      .clone = m->clone.data,
					      .alternates = stores.data };

	if (file_mkdir_p(git_fd, dir.data, 0755, err))
		return -1;
	fd = file_open_beneath(git_fd, dir.data, O_RDONLY | O_DIRECTORY, 0, err);
	return fd < 0 || gitdir_write_module(fd, &module, f, err) ? -1 : activate(git_fd, m, err);
}

int submodules_write(const struct submodules *s, int git_fd, const struct strv *objects,
		     const struct repo_facts *f, struct error *err)
{
	for (size_t i = 0; i < s->len; i++) {
		if (write_one(&s->v[i], git_fd, objects, f, err))
			return error_wrap(err, "submodule '%s'", s->v[i].path.data);
	}
	return 0;
}

static void field(const char *text, struct buf *out)
{
	buf_add(out, text, strlen(text) + 1);
}

void submodules_list(const struct submodules *s, struct buf *out)
{
	for (size_t i = 0; i < s->len; i++) {
		const struct submodule *m = &s->v[i];
		BUF_AUTO stores = BUF_INIT;

		for (size_t j = 0; j < m->stores.len; j++) {
			buf_str(&stores, j ? ":" : "");
			git_quote(m->stores.v[j], &stores);
		}
		field(m->parent_path.data, out);
		field(m->parent_dir.data, out);
		field(m->path.data, out);
		field(m->name.data, out);
		field(m->commit.data, out);
		field(stores.data, out);
	}
}

/* The rest of the line that starts with these two words; NULL where there is none. Not terminated.
 */
static const char *find_line(const struct buf *lines, const char *word, const char *quoted)
{
	BUF_AUTO start = BUF_INIT;

	buf_fmt(&start, "%s %s", word, quoted);
	for (const char *p = lines->data; *p; p++) {
		if (!strncmp(p, start.data, start.len))
			return p + start.len;
		p = strchr(p, '\n');
		if (!p)
			break;
	}
	return NULL;
}

static void note(const char *quoted, const char *why, bool update_helps, struct strv *notes)
{
	BUF_AUTO text = BUF_INIT;

	buf_fmt(&text, "submodule %s is absent, its directory is empty: %s", quoted, why);
	if (update_helps)
		buf_fmt(&text, "; for the next box: git submodule update --init --recursive %s",
			quoted);
	strv_add(notes, text.data);
}

/* A gitlink that stayed empty: what is known of it, in this order. */
static void note_absent(const struct submodules *s, const struct buf *filled, const char *quoted,
			struct strv *notes)
{
	const char *words = find_line(filled, "failed", quoted);

	if (words) {
		BUF_AUTO why = BUF_INIT;

		words += *words == ' ';
		buf_add(&why, words, strcspn(words, "\n"));
		note(quoted, why.data, false, notes);
		return;
	}
	for (size_t i = 0; i < s->absent_len; i++) {
		if (!strcmp(s->absent[i].path.data, quoted)) {
			note(quoted, s->absent[i].why, s->absent[i].update_helps, notes);
			return;
		}
	}
	note(quoted, s->others, false, notes);
}

static void note_lines(const struct submodules *s, const struct buf *lines,
		       const struct buf *filled, struct strv *notes)
{
	static const char word[] = "submodule ";
	size_t more = 0;

	for (const char *p = lines->data, *end; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		BUF_AUTO quoted = BUF_INIT;

		if (strncmp(p, word, strlen(word)) != 0)
			continue;
		p += strlen(word);
		buf_add(&quoted, p, (size_t)(end - p));
		if (find_line(filled, "done", quoted.data))
			continue;
		if (notes->len < NOTES_MAX)
			note_absent(s, filled, quoted.data, notes);
		else
			more++;
	}
	if (more)
		strv_addf(notes, "%zu more submodules are absent", more);
}

void submodules_result(const struct submodules *s, const struct submodules_said *said,
		       struct strv *done, struct strv *notes)
{
	for (size_t i = 0; i < s->len; i++) {
		BUF_AUTO path = BUF_INIT;
		BUF_AUTO quoted = BUF_INIT;

		join(s->v[i].parent_path.data, s->v[i].path.data, &path);
		git_quote(path.data, &quoted);
		if (find_line(said->filled, "done", quoted.data))
			strv_add(done, path.data);
	}
	note_lines(s, said->checkout, said->filled, notes);
	note_lines(s, said->filled, said->filled, notes);
}
