#include "base/base.h"

#include "base/alloc.h"
#include "base/strv.h"
#include "store/git.h"
#include "store/gitmodules.h"

#define GITLINK "160000 commit "

void gitmodules_release(struct gitmodules *m)
{
	for (size_t i = 0; i < m->len; i++) {
		buf_release(&m->v[i].name);
		buf_release(&m->v[i].path);
		buf_release(&m->v[i].oid);
	}
	free(m->v);
	*m = (struct gitmodules)GITMODULES_INIT;
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return true;
	}
	return false;
}

bool gitmodule_name_ok(const char *name)
{
	if (has_control(name) || strchr(name, '\\'))
		return false;
	for (const char *part = name;; part++) {
		size_t len = strcspn(part, "/");

		if (!len || (len == 1 && *part == '.') || (len == 2 && !strncmp(part, "..", 2)))
			return false;
		part += len;
		if (!*part)
			return true;
	}
}

bool gitmodule_path_ok(const char *path)
{
	return *path && *path != '-' && !has_control(path);
}

/* One name inside of the other, or the same: their git directories would be, too. */
static bool names_clash(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);
	size_t min = a_len < b_len ? a_len : b_len;

	if (strncmp(a, b, min) != 0)
		return false;
	return a_len == b_len || (a_len > b_len ? a[min] : b[min]) == '/';
}

static const char *why_bad(const struct gitmodule *m)
{
	if (!gitmodule_path_ok(m->path.data))
		return "git takes no such path from .gitmodules";
	return gitmodule_name_ok(m->name.data) ?
		       NULL :
		       "its name in .gitmodules is no name for a directory";
}

static void add(struct gitmodules *all, const char *name, size_t name_len, const char *path)
{
	struct gitmodule m = { .name = BUF_INIT, .path = BUF_INIT, .oid = BUF_INIT };

	buf_add(&m.name, name, name_len);
	buf_str(&m.path, path);
	m.bad = why_bad(&m);
	for (size_t i = 0; i < all->len; i++) {
		if (strcmp(all->v[i].name.data, m.name.data) != 0 &&
		    strcmp(all->v[i].path.data, path) != 0)
			continue;
		buf_release(&m.name);
		buf_release(&m.path);
		return;
	}
	if (all->len == all->cap) {
		all->cap = all->cap ? all->cap * 2 : 8;
		all->v = xrealloc(all->v, size_mul(all->cap, sizeof(*all->v)));
	}
	all->v[all->len++] = m;
}

void gitmodules_parse(const char *text, size_t len, struct gitmodules *out)
{
	static const char section[] = "submodule.", variable[] = ".path";
	const size_t before = strlen(section), after = strlen(variable);

	for (size_t at = 0; at < len && out->len < GITMODULES_MAX; at += strlen(text + at) + 1) {
		const char *key = text + at;
		size_t key_len = strcspn(key, "\n");

		/* A name may have a newline in it; git refuses that, and so does the rest here. */
		if (key[key_len] != '\n' || key_len < before + after ||
		    strncmp(key, section, before) != 0 ||
		    strncmp(key + key_len - after, variable, after) != 0)
			continue;
		add(out, key + before, key_len - before - after, key + key_len + 1);
	}
}

/* -1 also where the commit is not there. *there_out: it has a .gitmodules. */
static int find_file(const struct repo *r, const char *commit, bool *there_out, struct error *err)
{
	const char *const args[] = { "ls-tree", "-z", commit, "--", ".gitmodules", NULL };
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct git_cmd cmd = {
		.args = args, .git_dir = r->git_dir.data, .out = &text, .errout = &errout
	};
	int code;

	if (git_run(&cmd, &code, err))
		return -1;
	if (code)
		return error_set(err, ERR_NOTFOUND, "there is no commit %.12s", commit);
	if (text.len && strncmp(text.data, "100", 3) != 0)
		return error_set(err, ERR_CORRUPT, ".gitmodules is no regular file");
	*there_out = text.len > 0;
	return 0;
}

static int read_file(const struct repo *r, const char *commit, struct gitmodules *out,
		     struct error *err)
{
	BUF_AUTO blob = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct git_cmd cmd = { .git_dir = r->git_dir.data, .out = &text, .errout = &errout };
	int code;

	buf_fmt(&blob, "%s:.gitmodules", commit);
	const char *const args[] = { "config", "--blob", blob.data, "-z", "--list", NULL };

	cmd.args = args;
	if (git_run(&cmd, &code, err))
		return -1;
	if (code)
		return error_set(err, ERR_CORRUPT, "git cannot read its .gitmodules");
	gitmodules_parse(text.data, text.len, out);
	return 0;
}

/* "160000 commit <oid>\t<path>" of ls-tree. */
static void set_oid(struct gitmodules *all, const char *record)
{
	const char *tab = strchr(record, '\t');

	if (!tab || strncmp(record, GITLINK, strlen(GITLINK)) != 0)
		return;
	for (size_t i = 0; i < all->len; i++) {
		const char *oid = record + strlen(GITLINK);

		if (!strcmp(all->v[i].path.data, tab + 1))
			buf_add(&all->v[i].oid, oid, (size_t)(tab - oid));
	}
}

static int ask_oids(const struct repo *r, const char *commit, struct gitmodules *all,
		    struct error *err)
{
	STRV_AUTO args = STRV_INIT;
	BUF_AUTO text = BUF_INIT;

	strv_add(&args, "ls-tree");
	strv_add(&args, "-z");
	strv_add(&args, commit);
	strv_add(&args, "--");
	/* git ls-tree fails over an empty path, or one that leads out. */
	for (size_t i = 0; i < all->len; i++) {
		if (gitmodule_path_ok(all->v[i].path.data) &&
		    gitmodule_name_ok(all->v[i].path.data))
			strv_add(&args, all->v[i].path.data);
	}
	if (args.len > 4 && git_want(r, strv_argv(&args), NULL, &text, err))
		return -1;
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		set_oid(all, text.data + at);
	return 0;
}

/* Of two that would share a git directory the first has it. */
static void refuse_clashes(struct gitmodules *all)
{
	for (size_t i = 0; i < all->len; i++) {
		for (size_t j = 0; !all->v[i].bad && j < i; j++) {
			if (!all->v[j].bad && all->v[j].oid.len &&
			    names_clash(all->v[i].name.data, all->v[j].name.data))
				all->v[i].bad = "its name lies within that of another submodule";
		}
	}
}

static void drop_others(struct gitmodules *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->len; i++) {
		struct gitmodule m = all->v[i];

		if (m.oid.len || m.bad) {
			all->v[kept++] = m;
			continue;
		}
		buf_release(&m.name);
		buf_release(&m.path);
		buf_release(&m.oid);
	}
	all->len = kept;
}

int gitmodules_read(const struct repo *r, const char *commit, struct gitmodules *out,
		    struct error *err)
{
	bool there = false;

	if (find_file(r, commit, &there, err))
		return -1;
	if (!there)
		return 0;
	if (read_file(r, commit, out, err) || ask_oids(r, commit, out, err))
		return -1;
	refuse_clashes(out);
	drop_others(out);
	return 0;
}
