#include "base/base.h"

#include <strings.h>

#include "base/alloc.h"
#include "store/dotgit.h"
#include "store/gate-parts.h"

#define TEXT_MAX (1u << 20) /* of a package.json or .gitmodules that is looked into */
#define LINK_MAX 4096

#define REFUSED(id, text)              \
	{                              \
		id, GATE_REFUSED, text \
	}
#define FLAGGED(id, text)              \
	{                              \
		id, GATE_FLAGGED, text \
	}

/* The ids are part of --json and never change. */
const struct gate_rule_row gate_rules[RULE_MAX] = {
	[RULE_NAME_GIT] = REFUSED("name-git", "some git takes this name for .git"),
	[RULE_NAME_PARTS] = REFUSED("name-parts", "no name: empty, with a slash, '.' or '..'"),
	[RULE_NAME_CONTROL] = REFUSED("name-control", "control characters in a name"),
	[RULE_NAME_UTF8] = REFUSED("name-not-utf8", "the name is not UTF-8"),
	[RULE_NAME_LENGTH] = REFUSED("name-too-long", "the name is too long"),
	[RULE_PATH_LENGTH] = REFUSED("path-too-long", "the path is too long"),
	[RULE_PATH_DEPTH] = REFUSED("path-too-deep", "too many directories above it"),
	[RULE_NAME_CASE] = REFUSED("name-case", "one file with another where case does not count"),
	[RULE_NAME_TWICE] = REFUSED("name-twice", "two entries of the same name"),
	[RULE_CHANGES] = REFUSED("too-many-changes", "more changes than can be looked at"),
	[RULE_MODE] = REFUSED("mode", "a mode that git does not write"),
	[RULE_SUBMODULE_NEW] = REFUSED("submodule-new", "a submodule that the base has not"),
	[RULE_SUBMODULE_MOVED] = REFUSED("submodule-moved", "a submodule at another commit"),
	[RULE_SIZE] = REFUSED("too-large", "the file is too large"),
	[RULE_OBJECT] = REFUSED("object", "its object is missing, or of another kind"),
	[RULE_TREE] = REFUSED("tree", "a directory that is malformed or not there"),
	[RULE_MODULES] = REFUSED("gitmodules", "it holds control characters, or is too large"),
	[RULE_LINK_TARGET] = REFUSED("link-target", "a symlink to what is no path"),
	[RULE_LINK_ABSOLUTE] = REFUSED("link-absolute", "a symlink to an absolute path"),
	[RULE_LINK_ESCAPES] = REFUSED("link-escapes", "a symlink that leads out of the repository"),
	[RULE_LINK_WINDS] = REFUSED("link-winds", "a symlink with '..' after a name"),
	[RULE_LINK_GIT] = REFUSED("link-into-git", "a symlink into .git"),
	[RULE_LINK_SPECIAL] = REFUSED("link-git-file", "a symlink where git reads a file"),
	[RULE_FLAG_UTF8] = FLAGGED("name-not-utf8", "the name is not UTF-8"),
	[RULE_FLAG_CASE] = FLAGGED("name-case", "one file with another where case does not count"),
	[RULE_FLAG_BACKSLASH] = FLAGGED("name-backslash", "a backslash: several names elsewhere"),
	[RULE_FLAG_CI] = FLAGGED("runs-ci", "run by a forge or deployment service"),
	[RULE_FLAG_HOOKS] = FLAGGED("runs-hooks", "run by a manager of git hooks"),
	[RULE_FLAG_GIT] = FLAGGED("configures-git", "decides what git and git box do"),
	[RULE_FLAG_SHELL] = FLAGGED("runs-shell", "read by shells or tools that start here"),
	[RULE_FLAG_EDITOR] = FLAGGED("runs-editor", "read by editors, may run programs"),
	[RULE_FLAG_AGENT] = FLAGGED("instructs-agent", "instructs or configures coding agents"),
	[RULE_FLAG_BUILD] = FLAGGED("runs-build", "run by builds, tests or installations"),
	[RULE_FLAG_SCRIPTS] = FLAGGED("package-scripts", "other commands in package.json"),
	[RULE_FLAG_PACKAGE] = FLAGGED("package", "package.json: installing it may run programs"),
	[RULE_FLAG_PROGRAM] = FLAGGED("new-executable", "a new executable file"),
	[RULE_FLAG_EXECUTABLE] = FLAGGED("mode-executable", "becomes executable"),
	[RULE_FLAG_PLAIN] = FLAGGED("mode-plain", "is no longer executable"),
	[RULE_FLAG_TYPE] = FLAGGED("type", "becomes another kind of file"),
	[RULE_FLAG_SUBMODULE] = FLAGGED("submodule-gone", "a submodule is removed"),
	[RULE_FLAG_REPOSITORY] = FLAGGED("repository",
					 "git takes this directory for a repository and runs "
					 "what its config says, should you enter it"),
};

void gate_report_release(struct gate_report *r)
{
	for (size_t i = 0; i < r->len; i++) {
		buf_release(&r->v[i].path);
		buf_release(&r->v[i].detail);
	}
	free(r->v);
	*r = (struct gate_report)GATE_REPORT_INIT;
}

void gate_add(struct gate_report *r, enum gate_rule rule, const char *path, const char *more)
{
	const struct gate_rule_row *row = &gate_rules[rule];
	struct gate_finding *f;

	if (r->len == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 16;
		r->v = xrealloc(r->v, size_mul(r->cap, sizeof(*r->v)));
	}
	f = &r->v[r->len++];
	*f = (struct gate_finding){
		.severity = row->severity, .rule = row->id, .path = BUF_INIT, .detail = BUF_INIT
	};
	buf_str(&f->path, path);
	buf_str(&f->detail, row->text);
	if (more)
		buf_fmt(&f->detail, "; %s", more);
	r->refused += row->severity == GATE_REFUSED;
	r->flagged += row->severity == GATE_FLAGGED;
}

static int by_weight(const void *left, const void *right)
{
	const struct gate_finding *a = left, *b = right;
	int order = (a->severity > b->severity) - (a->severity < b->severity);

	if (!order)
		order = strcmp(a->path.data, b->path.data);
	return order ? order : strcmp(a->rule, b->rule);
}

void gate_sort(struct gate_report *r)
{
	if (r->len)
		qsort(r->v, r->len, sizeof(*r->v), by_weight);
}

/* One check, as all of it needs it. */
struct run {
	const struct gate_input *in;
	struct change_list changes;
	struct gate_report *out;
	struct gate_asks heads;	   /* sizes of files, contents of directories */
	struct gate_asks contents; /* of links and of files that are looked into */
};

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_file(uint32_t mode)
{
	return mode == MODE_FILE || mode == MODE_PROGRAM;
}

static bool is_package(const struct change *c)
{
	return strcasecmp(last_name(c->path), "package.json") == 0;
}

/* git reads the one at the top. */
static bool is_modules(const struct change *c)
{
	return !strchr(c->path, '/') && name_is_gitmodules(c->path);
}

static void check_name(const struct run *r, const struct change *c)
{
	enum gate_rule rule = gate_path_rule(c->path, &r->in->limits);

	if (rule != RULE_NONE)
		gate_add(r->out, rule, c->path, NULL);
	rule = gate_name_rule(last_name(c->path), &r->in->limits);
	if (rule != RULE_NONE)
		gate_add(r->out, rule, c->path, NULL);
}

static enum gate_rule mode_rule(const struct change *c)
{
	if (c->new_mode == MODE_GITLINK)
		return c->old_mode == MODE_GITLINK ? RULE_SUBMODULE_MOVED : RULE_SUBMODULE_NEW;
	if (c->old_mode == MODE_GITLINK)
		return RULE_FLAG_SUBMODULE;
	if (c->new_mode == 0 || c->new_mode == MODE_TREE)
		return RULE_NONE;
	if (c->new_mode == MODE_LINK && name_is_git_file(last_name(c->path)))
		return RULE_LINK_SPECIAL;
	if (!is_file(c->new_mode) && c->new_mode != MODE_LINK)
		return RULE_MODE;
	if (c->old_mode && is_file(c->old_mode) != is_file(c->new_mode))
		return RULE_FLAG_TYPE;
	if (c->new_mode == MODE_PROGRAM && c->old_mode != MODE_PROGRAM)
		return c->old_mode ? RULE_FLAG_EXECUTABLE : RULE_FLAG_PROGRAM;
	return c->old_mode == MODE_PROGRAM && c->new_mode == MODE_FILE ? RULE_FLAG_PLAIN :
									 RULE_NONE;
}

/* What can be said of a change without looking at objects. */
static void check_change(const struct run *r, const struct change *c)
{
	enum gate_rule rule = mode_rule(c);
	const char *more = c->new_mode ? NULL : "it is removed";

	if (rule != RULE_NONE)
		gate_add(r->out, rule, c->path, NULL);
	if (c->new_mode && !c->old_mode)
		check_name(r, c);
	if (c->new_mode == MODE_TREE || c->old_mode == MODE_TREE)
		return;
	rule = gate_host_rule(c->path);
	if (rule != RULE_NONE)
		gate_add(r->out, rule, c->path, more);
	if (is_package(c) && !(is_file(c->old_mode) && is_file(c->new_mode)))
		gate_add(r->out, RULE_FLAG_SCRIPTS, c->path, more);
}

/* Heads of files come first, so that they are known even where directories are too much. */
static void ask_heads(struct run *r)
{
	const struct change_list *l = &r->changes;

	for (size_t i = 0; i < l->len; i++) {
		const struct change *c = &l->v[i];
		bool same = strcmp(c->old_oid, c->new_oid) == 0;

		if (same || !(is_file(c->new_mode) || c->new_mode == MODE_LINK))
			continue;
		gate_ask(&r->heads, c, c->new_oid, false);
		if (is_package(c) && is_file(c->old_mode))
			gate_ask(&r->heads, c, c->old_oid, false);
	}
	gate_ask(&r->heads, NULL, r->in->tree, true);
	for (size_t i = 0; i < l->len; i++) {
		if (l->v[i].new_mode == MODE_TREE)
			gate_ask(&r->heads, &l->v[i], l->v[i].new_oid, true);
	}
}

static void check_tree(const struct run *r, const struct gate_ask *q)
{
	BUF_AUTO prefix = BUF_INIT;
	struct gate_tree t = { .content = { q->data, q->size },
			       .hex = strlen(q->oid),
			       .changes = &r->changes };

	if (q->change)
		buf_fmt(&prefix, "%s/", q->change->path);
	if (q->kind != 't') {
		gate_add(r->out, RULE_TREE, prefix.data, NULL);
		return;
	}
	t.prefix = prefix.data;
	gate_tree_check(&t, r->out);
}

static void check_size(const struct run *r, const struct gate_ask *q)
{
	BUF_AUTO more = BUF_INIT;

	if (q->kind != 'b') {
		gate_add(r->out, RULE_OBJECT, q->change->path, NULL);
		return;
	}
	if (q->size <= r->in->limits.blob_bytes)
		return;
	buf_fmt(&more, "%llu bytes, the limit is %llu", (unsigned long long)q->size,
		(unsigned long long)r->in->limits.blob_bytes);
	gate_add(r->out, RULE_SIZE, q->change->path, more.data);
}

static void ask_contents(struct run *r, const struct gate_ask *q)
{
	const struct change *c = q->change;

	if (q->kind != 'b')
		return;
	if (c->new_mode == MODE_LINK) {
		if (q->size <= LINK_MAX)
			gate_ask(&r->contents, c, q->oid, true);
		else
			gate_add(r->out, RULE_LINK_TARGET, c->path, NULL);
	} else if (is_modules(c)) {
		if (q->size <= TEXT_MAX)
			gate_ask(&r->contents, c, q->oid, true);
		else
			gate_add(r->out, RULE_MODULES, c->path, NULL);
	}
}

/* The old one comes right after the new one. */
static void ask_package(struct run *r, const struct gate_ask *now, const struct gate_ask *old)
{
	if (now->kind == 'b' && old->kind == 'b' && now->size <= TEXT_MAX &&
	    old->size <= TEXT_MAX) {
		gate_ask(&r->contents, now->change, now->oid, true);
		gate_ask(&r->contents, old->change, old->oid, true);
	} else {
		gate_add(r->out, RULE_FLAG_SCRIPTS, now->change->path, NULL);
	}
}

static bool is_pair(const struct gate_ask *q)
{
	return is_package(q->change) && is_file(q->change->old_mode) &&
	       is_file(q->change->new_mode);
}

static void check_heads(struct run *r)
{
	for (size_t i = 0; i < r->heads.len; i++) {
		const struct gate_ask *q = &r->heads.v[i];

		if (q->contents) {
			check_tree(r, q);
			continue;
		}
		check_size(r, q);
		if (is_pair(q))
			ask_package(r, q, &r->heads.v[++i]);
		else
			ask_contents(r, q);
	}
}

static void check_link(const struct run *r, const struct gate_ask *q)
{
	enum gate_rule rule = gate_link_rule(q->change->path, q->data, q->size);
	BUF_AUTO more = BUF_INIT;

	if (rule == RULE_NONE)
		return;
	buf_str(&more, "to '");
	buf_add(&more, q->data, q->size);
	buf_char(&more, '\'');
	gate_add(r->out, rule, q->change->path, more.data);
}

static void check_package(const struct run *r, const struct gate_ask *now,
			  const struct gate_ask *old)
{
	const struct gate_text before = { old->data, old->size }, after = { now->data, now->size };

	gate_add(r->out, gate_package_same(before, after) ? RULE_FLAG_PACKAGE : RULE_FLAG_SCRIPTS,
		 now->change->path, NULL);
}

static int check_contents(const struct run *r, struct error *err)
{
	for (size_t i = 0; i < r->contents.len; i++) {
		const struct gate_ask *q = &r->contents.v[i];

		if (!q->data)
			return error_set(err, ERR_CORRUPT, "object %s vanished", q->oid);
		if (q->change->new_mode == MODE_LINK)
			check_link(r, q);
		else if (is_pair(q))
			check_package(r, q, &r->contents.v[++i]);
		else if (gate_has_control(q->data, q->size, true))
			gate_add(r->out, RULE_MODULES, q->change->path, NULL);
	}
	return 0;
}

static int list_changes(struct run *r, struct error *err)
{
	/* Whatever .gitmodules or the configuration say, a submodule that moved is shown. */
	const char *const args[] = {
		"diff-tree",	  "-r",		  "-t",		 "-z",
		"--raw",	  "--no-renames", "--no-abbrev", "--ignore-submodules=none",
		r->in->base_tree, r->in->tree,	  NULL
	};
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = *r->in->git;

	cmd.args = args;
	cmd.out = &text;
	return git_must(&cmd, err) || changes_parse(&text, &r->changes, err) ? -1 : 0;
}

static int check(struct run *r, struct error *err)
{
	if (list_changes(r, err))
		return -1;
	if (r->changes.len > r->in->limits.changes) {
		gate_add(r->out, RULE_CHANGES, "", NULL);
		return 0;
	}
	for (size_t i = 0; i < r->changes.len; i++)
		check_change(r, &r->changes.v[i]);
	ask_heads(r);
	if (gate_fetch(r->in->git, &r->heads, err))
		return -1;
	check_heads(r);
	if (gate_fetch(r->in->git, &r->contents, err))
		return -1;
	return check_contents(r, err);
}

int gate_check(const struct gate_input *in, struct gate_report *out, struct error *err)
{
	struct run r = { .in = in,
			 .changes = CHANGE_LIST_INIT,
			 .out = out,
			 .heads = GATE_ASKS_INIT,
			 .contents = GATE_ASKS_INIT };
	int rc = strcmp(in->base_tree, in->tree) ? check(&r, err) : 0;

	gate_sort(out);
	change_list_release(&r.changes);
	gate_asks_release(&r.heads);
	gate_asks_release(&r.contents);
	return rc ? error_wrap(err, "what the box holds cannot be checked") : 0;
}

static bool refuses(enum gate_rule rule)
{
	return rule != RULE_NONE && gate_rules[rule].severity == GATE_REFUSED;
}

int gate_check_path(const char *path, struct error *err)
{
	const struct gate_limits limits = GATE_LIMITS_DEFAULT;
	enum gate_rule rule = gate_path_rule(path, &limits);

	for (const char *p = path; !refuses(rule); p++) {
		size_t len = strcspn(p, "/");
		BUF_AUTO name = BUF_INIT;

		buf_add(&name, p, len);
		rule = gate_name_rule(name.data, &limits);
		p += len;
		if (!*p)
			break;
	}
	return refuses(rule) ?
		       error_set(err, ERR_REFUSED, "'%s': %s", path, gate_rules[rule].text) :
		       0;
}
