#include "base/base.h"

#include "base/alloc.h"
#include "base/env.h"
#include "base/num.h"
#include "base/rd.h"
#include "base/strv.h"
#include "store/merge.h"

#define CONFLICTED                                                                    \
	1 /* exit code of merge-tree: the trees are merged, but not without conflicts \
	   */
#define PATH_BYTES_MAX (1u << 16)
#define TEXT_MAX (1u << 20)

/* "LEFT\tRIGHT\n": commits that only ours, and only theirs has. */
static int parse_counts(struct buf *text, enum merge_relation *out, struct error *err)
{
	char *tab = strchr(text->data, '\t');
	struct error ignored = ERROR_INIT;
	uint64_t left, right;

	if (tab) {
		*tab++ = '\0';
		tab[strcspn(tab, "\n")] = '\0';
	}
	if (!tab || num_u64(text->data, 0, UINT64_MAX, &left, &ignored) ||
	    num_u64(tab, 0, UINT64_MAX, &right, &ignored))
		return error_set(err, ERR_CORRUPT, "git counted commits in a form not known");
	if (!right)
		*out = MERGE_CONTAINED;
	else
		*out = left ? MERGE_DIVERGED : MERGE_FORWARD;
	return 0;
}

int merge_relate(const struct git_cmd *git, const char *ours, const char *theirs,
		 enum merge_relation *out, struct error *err)
{
	BUF_AUTO range = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = *git;

	buf_fmt(&range, "%s...%s", ours, theirs);
	const char *const args[] = {
		"rev-list", "--left-right", "--count", range.data, "--", NULL
	};

	cmd.args = args;
	cmd.out = &text;
	return git_must(&cmd, err) || parse_counts(&text, out, err) ? -1 : 0;
}

void merge_result_release(struct merge_result *r)
{
	for (size_t i = 0; i < r->len; i++) {
		buf_release(&r->v[i].path);
		buf_release(&r->v[i].kind);
	}
	free(r->v);
	buf_release(&r->tree);
	*r = (struct merge_result)MERGE_RESULT_INIT;
}

static void add(struct merge_result *r, const char *path, const char *kind)
{
	struct merge_conflict *c;

	/* Room for a power of two. */
	if (!(r->len & (r->len - 1)))
		r->v = xrealloc(r->v, size_mul(r->len ? r->len * 2 : 1, sizeof(*r->v)));
	c = &r->v[r->len++];
	*c = (struct merge_conflict){ .path = BUF_INIT, .kind = BUF_INIT };
	buf_str(&c->path, path);
	buf_str(&c->kind, kind);
}

/* By path; of one path those that say a kind first. */
static int by_path(const void *left, const void *right)
{
	const struct merge_conflict *a = left, *b = right;
	int order = strcmp(a->path.data, b->path.data);

	if (order)
		return order;
	if (!a->kind.len != !b->kind.len)
		return a->kind.len ? -1 : 1;
	return strcmp(a->kind.data, b->kind.data);
}

/* Each path once: it came up to three times with its stages, and once with each message. */
static void unify(struct merge_result *r)
{
	size_t kept = 0;

	if (r->len)
		qsort(r->v, r->len, sizeof(*r->v), by_path);
	for (size_t i = 0; i < r->len; i++) {
		if (kept && !strcmp(r->v[kept - 1].path.data, r->v[i].path.data)) {
			buf_release(&r->v[i].path);
			buf_release(&r->v[i].kind);
			continue;
		}
		r->v[kept++] = r->v[i];
	}
	r->len = kept;
	for (size_t i = 0; i < r->len; i++) {
		if (!r->v[i].kind.len)
			buf_str(&r->v[i].kind, "conflict");
	}
}

/* "CONFLICT (modify/delete)" gives "modify/delete"; nothing where it is no conflict. */
static bool conflict_kind(const char *type, struct buf *out)
{
	static const char label[] = "CONFLICT (";
	const char *start = type + strlen(label);

	if (strncmp(type, label, strlen(label)) != 0)
		return false;
	buf_add(out, start, strcspn(start, ")"));
	return true;
}

/* "<mode> <oid> <stage>\t<path>" each, up to an empty one. */
static bool parse_stages(struct rd *r, struct merge_result *out)
{
	const char *entry;

	while ((entry = rd_cstring(r, PATH_BYTES_MAX)) != NULL && *entry) {
		const char *tab = strchr(entry, '\t');

		if (!tab || !tab[1])
			return false;
		add(out, tab + 1, "");
	}
	return entry != NULL;
}

/* "<count>", count paths, "<type>", "<text>". */
static bool parse_message(struct rd *r, struct merge_result *out)
{
	const char *number = rd_cstring(r, TEXT_MAX);
	struct error ignored = ERROR_INIT;
	STRV_AUTO paths = STRV_INIT;
	BUF_AUTO kind = BUF_INIT;
	const char *type;
	uint64_t n;

	if (!number || num_u64(number, 0, UINT32_MAX, &n, &ignored))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		const char *path = rd_cstring(r, PATH_BYTES_MAX);

		if (!path)
			return false;
		strv_add(&paths, path);
	}
	type = rd_cstring(r, TEXT_MAX);
	if (!type || !rd_cstring(r, TEXT_MAX))
		return false;
	if (!conflict_kind(type, &kind))
		return true;
	for (size_t i = 0; i < paths.len; i++)
		add(out, paths.v[i], kind.data);
	return true;
}

static bool is_oid(const char *s)
{
	size_t len = strlen(s);

	return (len == 40 || len == 64) && strspn(s, "0123456789abcdef") == len;
}

static bool parse(const struct buf *text, struct merge_result *out)
{
	struct rd r = rd_init(text->data, text->len);
	const char *tree = rd_cstring(&r, 64);

	if (!tree || !is_oid(tree))
		return false;
	buf_str(&out->tree, tree);
	if (!parse_stages(&r, out))
		return false;
	while (r.len) {
		if (!parse_message(&r, out))
			return false;
	}
	unify(out);
	return rd_done(&r);
}

int merge_parse(const struct buf *text, struct merge_result *out, struct error *err)
{
	MERGE_RESULT_AUTO r = MERGE_RESULT_INIT;

	if (!parse(text, &r))
		return error_set(err, ERR_CORRUPT, "git merged in a form that is not known");
	*out = r;
	r = (struct merge_result)MERGE_RESULT_INIT;
	return 0;
}

int merge_trees(const struct git_cmd *git, const char *ours, const char *theirs,
		struct merge_result *out, struct error *err)
{
	const char *const args[] = { "merge-tree", "--write-tree", "-z", "--messages",
				     ours,	   theirs,	   NULL };
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct git_cmd cmd = *git;
	int code;

	cmd.args = args;
	cmd.out = &text;
	cmd.errout = &errout;
	if (git_run(&cmd, &code, err))
		return -1;
	if (code != 0 && code != CONFLICTED && git_require(2, 38, err))
		return -1;
	if (code != 0 && code != CONFLICTED)
		return git_failed(args[0], code, &errout, err);
	if (merge_parse(&text, out, err))
		return -1;
	if (code == CONFLICTED && !out->len)
		return error_set(err, ERR_CORRUPT, "git found conflicts and named none");
	return 0;
}

/* What names the operator, and lets a signing program find its agent. */
static const char *const own_env[] = { "GIT_AUTHOR_NAME",
				       "GIT_AUTHOR_EMAIL",
				       "GIT_AUTHOR_DATE",
				       "GIT_COMMITTER_NAME",
				       "GIT_COMMITTER_EMAIL",
				       "GIT_COMMITTER_DATE",
				       "EMAIL" };
static const char *const sign_env[] = { "GNUPGHOME",	   "GPG_TTY",
					"SSH_AUTH_SOCK",   "DBUS_SESSION_BUS_ADDRESS",
					"XDG_RUNTIME_DIR", "DISPLAY",
					"WAYLAND_DISPLAY", "TERM" };

static void pass(const char *const *names, size_t len, struct strv *env)
{
	for (size_t i = 0; i < len; i++) {
		const char *value = env_get(names[i]);

		if (value)
			strv_addf(env, "%s=%s", names[i], value);
	}
}

/* The author of a commit as GIT_AUTHOR_*, which the first of two settings decides. */
static int take_author(const struct git_cmd *git, const char *commit, struct strv *env,
		       struct error *err)
{
	static const char *const names[] = { "NAME", "EMAIL", "DATE" };
	const char *const args[] = {
		"log",	"-1", "-z", "--no-mailmap", "--format=%an%n%ae%n@%ad", "--date=raw",
		commit, "--", NULL
	};
	BUF_AUTO text = BUF_INIT;
	struct git_cmd cmd = *git;
	char *line;

	cmd.args = args;
	cmd.out = &text;
	if (git_must(&cmd, err))
		return -1;
	line = text.data;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strcspn(line, "\n");

		strv_addf(env, "GIT_AUTHOR_%s=%.*s", names[i], (int)len, line);
		line += len + (line[len] == '\n');
	}
	return 0;
}

/* git says this in many lines; ours has to be one. */
static int cannot_commit(bool sign, const struct buf *errout, int code, struct error *err)
{
	if (strstr(errout->data, "tell me who you are") || strstr(errout->data, "ident name")) {
		error_set(err, ERR_REFUSED, "git does not know who you are, so there is no commit");
		return error_hint(err, "git config --global user.name NAME; git config --global "
				       "user.email ADDRESS");
	}
	git_failed("commit-tree", code, errout, err);
	if (sign && strstr(errout->data, "sign")) {
		err->kind = ERR_REFUSED;
		return error_hint(err, "without a signature: git -c commit.gpgSign=false box ...");
	}
	return -1;
}

int merge_write_commit(const struct git_cmd *git, const struct merge_commit *c, struct buf *out,
		       struct error *err)
{
	STRV_AUTO args = STRV_INIT;
	STRV_AUTO env = STRV_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	struct git_cmd cmd = *git;
	int code;

	if (c->author && take_author(git, c->author, &env, err))
		return -1;
	pass(own_env, ARRAY_SIZE(own_env), &env);
	if (c->sign)
		pass(sign_env, ARRAY_SIZE(sign_env), &env);
	strv_add(&args, "commit-tree");
	if (c->sign)
		strv_add(&args, "-S");
	for (size_t i = 0; c->parents[i]; i++) {
		strv_add(&args, "-p");
		strv_add(&args, c->parents[i]);
	}
	strv_add(&args, c->tree);
	cmd.args = strv_argv(&args);
	cmd.env = strv_argv(&env);
	cmd.in = c->message;
	cmd.in_len = strlen(c->message);
	cmd.out = &text;
	cmd.errout = &errout;
	if (git_run(&cmd, &code, err))
		return -1;
	if (code)
		return cannot_commit(c->sign, &errout, code, err);
	buf_truncate(&text, strcspn(text.data, "\n"));
	if (!is_oid(text.data))
		return error_set(err, ERR_CORRUPT, "git named a commit in a form not known");
	buf_str(out, text.data);
	return 0;
}
