#include "base/base.h"

#include <fcntl.h>
#include <limits.h>
#include <strings.h>

#include "base/env.h"
#include "base/suggest.h"
#include "store/facts.h"
#include "sys/file.h"

#define ALTERNATES_MAX (1u << 20)
#define ALTERNATES_DEPTH 5 /* as git */

/* Values without commands, URLs and paths: all that the git directories of a box get. */
static const char *const copied_keys[] = {
	"user.name",	  "user.email",		 "core.eol",
	"core.autocrlf",  "core.safecrlf",	 "core.ignorecase",
	"core.filemode",  "core.symlinks",	 "core.precomposeunicode",
	"core.longpaths", "core.sparsecheckout", "core.sparsecheckoutcone",
	"core.quotepath", "init.defaultbranch"
};

void repo_facts_release(struct repo_facts *f)
{
	buf_release(&f->commit);
	buf_release(&f->tree);
	buf_release(&f->branch);
	buf_release(&f->packed_refs);
	strv_release(&f->objects);
	strv_release(&f->config);
	strv_release(&f->box);
	strv_release(&f->filters_off);
	strv_release(&f->drivers_off);
}

const char *config_last(const struct strv *list, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = list->len; i-- > 0;) {
		if (!strncmp(list->v[i], key, len) && list->v[i][len] == '=')
			return list->v[i] + len + 1;
	}
	return NULL;
}

static bool is_true(const char *value)
{
	return value && (!*value || !strcasecmp(value, "true") || !strcasecmp(value, "yes") ||
			 !strcasecmp(value, "on") || !strcmp(value, "1"));
}

/* One "key\nvalue" record of `git config -z`; a key alone means true. */
static void config_record(const char *record, struct strv *all)
{
	size_t key = strcspn(record, "\n");

	strv_addf(all, "%.*s=%s", (int)key, record, record[key] ? record + key + 1 : "true");
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_copied(const char *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(copied_keys); i++) {
		size_t len = strlen(copied_keys[i]);

		if (!strncmp(record, copied_keys[i], len) && record[len] == '=')
			return true;
	}
	return false;
}

static bool is_promisor(const char *record)
{
	const char *eq = strchr(record, '=');
	size_t end = strlen(".promisor");

	if (starts(record, "extensions.partialclone="))
		return true;
	return eq && starts(record, "remote.") && (size_t)(eq - record) > end &&
	       !strncmp(eq - end, ".promisor", end) && is_true(eq + 1);
}

/* filter.<driver>.<what>: an empty command is none, and a driver without one must not be required.
 */
static void switch_off(const char *record, struct strv *off)
{
	static const char *const commands[] = { ".clean", ".smudge", ".process", ".required" };
	size_t key = strcspn(record, "=");

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		size_t len = strlen(commands[i]);

		if (key > len && !strncmp(record + key - len, commands[i], len))
			strv_addf(off, "%.*s=%s", (int)key, record, i == 3 ? "false" : "");
	}
}

/* merge.<driver>.driver: without a command git would die, and with an empty one take our side. */
static void never_merge(const char *record, struct strv *off)
{
	static const char last[] = ".driver";
	size_t key = strcspn(record, "=");

	if (key > strlen(last) && !strncmp(record + key - strlen(last), last, strlen(last)))
		strv_addf(off, "%.*s=exit 1", (int)key, record);
}

/* Who commits inside, for an operator who is known by variables only. */
static void add_identity(const char *key, const char *variable, struct strv *config)
{
	const char *value = env_get(variable);

	if (value && !config_last(config, key))
		strv_addf(config, "%s=%s", key, value);
}

static void sort_config(const struct repo *r, const struct buf *text, struct repo_facts *f)
{
	STRV_AUTO all = STRV_INIT;
	BUF_AUTO sparse = BUF_INIT;

	for (size_t at = 0; at < text->len; at += strlen(text->data + at) + 1)
		config_record(text->data + at, &all);
	for (size_t i = 0; i < all.len; i++) {
		if (is_copied(all.v[i]))
			strv_add(&f->config, all.v[i]);
		else if (starts(all.v[i], "box."))
			strv_add(&f->box, all.v[i]);
		else if (starts(all.v[i], "filter."))
			switch_off(all.v[i], &f->filters_off);
		else if (starts(all.v[i], "merge."))
			never_merge(all.v[i], &f->drivers_off);
		f->partial |= is_promisor(all.v[i]);
	}
	add_identity("user.name", "GIT_AUTHOR_NAME", &f->config);
	add_identity("user.email", "GIT_AUTHOR_EMAIL", &f->config);
	buf_fmt(&sparse, "%s/info/sparse-checkout", r->git_dir.data);
	f->sparse = is_true(config_last(&all, "core.sparsecheckout")) &&
		    file_exists(AT_FDCWD, sparse.data);
	f->sign = is_true(config_last(&all, "commit.gpgsign"));
	f->bare = is_true(config_last(&all, "core.bare")) &&
		  !strcmp(r->git_dir.data, r->common_dir.data);
}

/* One line of info/alternates, made absolute; a comment or a store that is gone gives "". */
static void alternate_path(const char *store, const char *line, struct buf *out)
{
	BUF_AUTO path = BUF_INIT;
	struct error ignored = ERROR_INIT;

	buf_reset(out);
	if (!*line || *line == '#')
		return;
	if (*line != '/')
		buf_fmt(&path, "%s/", store);
	buf_str(&path, line);
	if (file_canonical(path.data, out, &ignored))
		buf_reset(out);
}

/* Breadth first, as a store is read only after it was added; the depth bounds a cycle of odd
 * spellings. */
static int add_alternates(size_t first, unsigned depth, struct strv *stores, struct error *err)
{
	size_t end = stores->len;

	for (size_t i = first; i < end; i++) {
		BUF_AUTO file = BUF_INIT;
		BUF_AUTO text = BUF_INIT;
		BUF_AUTO path = BUF_INIT;

		buf_fmt(&file, "%s/info/alternates", stores->v[i]);
		if (!file_exists(AT_FDCWD, file.data))
			continue;
		if (file_read(AT_FDCWD, file.data, ALTERNATES_MAX, &text, err))
			return -1;
		for (char *line = text.data, *next; line < text.data + text.len; line = next) {
			size_t len = strcspn(line, "\n");

			next = line + len + 1;
			line[len] = '\0';
			alternate_path(stores->v[i], line, &path);
			if (path.len && !strv_has(stores, path.data))
				strv_add(stores, path.data);
		}
	}
	return stores->len > end && depth ? add_alternates(end, depth - 1, stores, err) : 0;
}

int repo_stores(const struct repo *r, struct strv *stores, struct error *err)
{
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO store = BUF_INIT;

	buf_fmt(&path, "%s/objects", r->common_dir.data);
	if (file_canonical(path.data, &store, err))
		return -1;
	strv_add(stores, store.data);
	return add_alternates(0, ALTERNATES_DEPTH, stores, err);
}

/* Formats that git of this host does not know: said by name, with the version. */
static bool is_unknown_format(const char *text)
{
	return strstr(text, "unknown repository extension") ||
	       strstr(text, "Expected git repo version") ||
	       strstr(text, "invalid value for 'extensions.");
}

static int unknown_format(const struct buf *errout, struct error *err)
{
	BUF_AUTO version = BUF_INIT;
	const char *name = strstr(errout->data, "refstorage") ? "refs in the 'reftable' format" :
								NULL;
	const char *word = strstr(errout->data, "extension");
	struct error ignored = ERROR_INIT;

	if (git_version(&version, &ignored))
		buf_str(&version, "of this host");
	if (name)
		error_set(err, ERR_UNSUPPORTED,
			  "the repository keeps its %s, which git %s cannot read", name,
			  version.data);
	else
		error_set(err, ERR_UNSUPPORTED,
			  "the repository has a format that git %s cannot read: %.*s", version.data,
			  (int)strcspn(word ? word : errout->data, "\n"),
			  word ? word : errout->data);
	return error_hint(err, "install a newer git (reftable needs 2.45)");
}

static int check_rev(const char *rev, struct error *err)
{
	if (*rev == '-' || *rev == '^' || !*rev || strchr(rev, '\n'))
		return error_set(err, ERR_USAGE, "'%s' is not a revision", rev);
	if (strstr(rev, ".."))
		return error_set(err, ERR_USAGE, "'%s' is a range; a box starts at one commit",
				 rev);
	return 0;
}

/* "<commit> <tree>" of rev-list; anything else is not one commit. */
static bool parse_commit(const struct buf *text, struct repo_facts *f)
{
	size_t a = strspn(text->data, "0123456789abcdef");
	const char *tree = text->data + a + 1;

	if ((a != 40 && a != 64) || text->data[a] != ' ' || strspn(tree, "0123456789abcdef") != a ||
	    tree[a] != '\n')
		return false;
	buf_reset(&f->commit);
	buf_reset(&f->tree);
	buf_add(&f->commit, text->data, a);
	buf_add(&f->tree, tree, a);
	return true;
}

/* The nearest branch, tag or remote branch by its short name, or "". */
static void nearest_ref(const char *rev, const struct buf *refs, struct buf *out)
{
	static const char *const spaces[] = { "refs/heads/", "refs/tags/", "refs/remotes/" };
	STRV_AUTO names = STRV_INIT;
	const char *near;

	for (const char *line = refs->data; *line; line += strcspn(line, "\n") + 1) {
		const char *ref = strchr(line, ' ');

		for (size_t i = 0; ref && i < ARRAY_SIZE(spaces); i++) {
			if (starts(ref + 1, spaces[i]))
				strv_addf(&names, "%.*s",
					  (int)(strcspn(ref + 1, "\n") - strlen(spaces[i])),
					  ref + 1 + strlen(spaces[i]));
		}
		if (!strchr(line, '\n'))
			break;
	}
	near = suggest_nearest(rev, strv_argv(&names));
	if (near)
		buf_str(out, near);
}

/* The refs as packed lines; "*" before a line marks HEAD's branch. */
static void sort_refs(const struct buf *text, struct repo_facts *f)
{
	buf_reset(&f->packed_refs);
	buf_reset(&f->branch);
	for (const char *line = text->data, *end; (end = strchr(line, '\n')) != NULL;
	     line = end + 1) {
		const char *ref = strstr(line, " refs/heads/");

		if (*line == '*' && ref && ref < end)
			buf_add(&f->branch, ref + 12, (size_t)(end - ref) - 12);
		buf_add(&f->packed_refs, line + 1, (size_t)(end - line));
	}
}

int repo_refs_finish(const char *rev, struct git_job *refs, struct repo_facts *out,
		     struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	int code;

	if (git_finish(refs, &text, &code, err))
		return -1;
	if (code)
		return git_failed(refs->what, code, &refs->errout, err);
	sort_refs(&text, out);
	if (rev && strcmp(rev, "HEAD") != 0 && strcmp(rev, out->branch.data) != 0)
		buf_reset(&out->branch);
	return 0;
}

static const char *const refs_args[] = { "for-each-ref", "--format=%(HEAD)%(objectname) %(refname)",
					 "refs/heads",	 "refs/remotes",
					 "refs/tags",	 NULL };

static int no_such_revision(const struct repo *r, const char *rev, struct repo_facts *f,
			    struct error *err)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO refs = BUF_INIT;
	BUF_AUTO near = BUF_INIT;

	if (!rev || !strcmp(rev, "HEAD")) {
		error_set(err, ERR_REFUSED, "the current branch has no commit yet");
		return error_hint(err, "make a first one: git commit --allow-empty -m start");
	}
	error_set(err, ERR_NOTFOUND, "'%s' does not name a commit of this repository", rev);
	if (!git_want(r, refs_args, NULL, &refs, &ignored)) {
		sort_refs(&refs, f);
		nearest_ref(rev, &f->packed_refs, &near);
	}
	if (near.len)
		return error_hint(err, "did you mean '%s'?", near.data);
	return error_hint(err, "'git branch -a' and 'git tag' list what there is");
}

static int read_commit(const struct repo *r, const char *rev, struct git_job *job,
		       struct repo_facts *f, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	int code;

	if (git_finish(job, &text, &code, err))
		return -1;
	if (code && is_unknown_format(job->errout.data))
		return unknown_format(&job->errout, err);
	if (code && !strstr(job->errout.data, "bad revision"))
		return git_failed(job->what, code, &job->errout, err);
	return parse_commit(&text, f) ? 0 : no_such_revision(r, rev, f, err);
}

static int read_config(const struct repo *r, struct git_job *job, struct repo_facts *f,
		       struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	int code;

	if (git_finish(job, &text, &code, err))
		return -1;
	if (code)
		return git_failed(job->what, code, &job->errout, err);
	sort_config(r, &text, f);
	if (!f->bare)
		return 0;
	error_set(err, ERR_REFUSED, "'%s' is a bare repository; a box needs a work tree",
		  r->git_dir.data);
	return error_hint(err, "run 'git worktree add PATH' here and make the box there");
}

void repo_questions_release(struct repo_questions *q)
{
	git_job_release(&q->commit);
	git_job_release(&q->config);
}

int repo_facts_ask(const struct repo *r, const char *rev, struct repo_questions *q,
		   struct error *err)
{
	const char *const commit_args[] = { "rev-list",
					    "--no-walk",
					    "--no-commit-header",
					    "--format=%H %T",
					    "--end-of-options",
					    rev ? rev : "HEAD",
					    "--",
					    NULL };
	static const char *const config_args[] = { "config", "--list", "-z", NULL };

	if ((rev && check_rev(rev, err)) || git_start(r, commit_args, &q->commit, err))
		return -1;
	return git_start(r, config_args, &q->config, err);
}

int repo_facts_read(const struct repo *r, const char *rev, struct repo_questions *q,
		    struct repo_facts *out, struct error *err)
{
	BUF_AUTO shallow = BUF_INIT;

	if (read_commit(r, rev, &q->commit, out, err))
		return -1;
	buf_fmt(&shallow, "%s/shallow", r->common_dir.data);
	out->shallow = file_exists(AT_FDCWD, shallow.data);
	return read_config(r, &q->config, out, err);
}

int repo_refs_start(const struct repo *r, struct git_job *job, struct error *err)
{
	return git_start(r, refs_args, job, err);
}
