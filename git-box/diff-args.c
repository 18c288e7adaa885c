#include "base/base.h"

#include "base/buf.h"
#include "base/suggest.h"
#include "git-box/diff-args.h"

/* In full only: git would take any unique beginning of a longer one, too. */
static const char *const plain[] = {
	"--stat",
	"--numstat",
	"--shortstat",
	"--name-only",
	"--name-status",
	"--summary",
	"--raw",
	"--patch",
	"-p",
	"-u",
	"--no-patch",
	"-s",
	"--patch-with-stat",
	"--patch-with-raw",
	"--compact-summary",
	"--dirstat",
	"--cumulative",
	"--word-diff",
	"--color",
	"--no-color",
	"--color-moved",
	"--ignore-all-space",
	"-w",
	"--ignore-space-change",
	"-b",
	"--ignore-space-at-eol",
	"--ignore-cr-at-eol",
	"--ignore-blank-lines",
	"--find-renames",
	"-M",
	"--find-copies",
	"-C",
	"--find-copies-harder",
	"--no-renames",
	"--irreversible-delete",
	"-D",
	"--break-rewrites",
	"-B",
	"--minimal",
	"--patience",
	"--histogram",
	"--indent-heuristic",
	"--full-index",
	"--abbrev",
	"--binary",
	"-z",
	"-R",
	"--exit-code",
	"--quiet",
	"--check",
	"--no-prefix",
	"--text",
	"-a",
	"--function-context",
	"-W",
	"--pickaxe-regex",
	"--pickaxe-all",
	NULL,
};

/* Followed by their value in the same word. */
static const char *const valued[] = {
	"--stat=",
	"--dirstat=",
	"--word-diff=",
	"--word-diff-regex=",
	"--color=",
	"--color-moved=",
	"--color-moved-ws=",
	"--find-renames=",
	"-M",
	"--find-copies=",
	"-C",
	"--break-rewrites=",
	"-B",
	"-l",
	"--unified=",
	"-U",
	"--inter-hunk-context=",
	"--diff-filter=",
	"--diff-algorithm=",
	"--anchored=",
	"--abbrev=",
	"--src-prefix=",
	"--dst-prefix=",
	"--line-prefix=",
	"--ws-error-highlight=",
	"-S",
	"-G",
	"-I",
	NULL,
};

static const struct {
	const char *option;
	const char *why;
} refused[] = {
	{ "--ext-diff", "it runs a program on what the box wrote" },
	{ "--textconv", "it runs a program on what the box wrote" },
	{ "--output", "it writes a file; redirect the output instead" },
	{ "--no-index", "it reads files of this host" },
	{ "-O", "it reads a file of this host" },
	{ "--submodule", "it looks into directories of this host" },
	{ "--relative", "name a path instead" },
};

static bool starts(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

static bool is_allowed(const char *word)
{
	for (size_t i = 0; plain[i]; i++) {
		if (strcmp(word, plain[i]) == 0)
			return true;
	}
	for (size_t i = 0; valued[i]; i++) {
		if (starts(word, valued[i]) && word[strlen(valued[i])] != '\0')
			return true;
	}
	return false;
}

static int refuse(const char *word, struct error *err)
{
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (starts(word, refused[i].option))
			return error_set(err, ERR_USAGE, "'%s' is not handed to git diff: %s", word,
					 refused[i].why);
	}
	error_set(err, ERR_USAGE, "'%s' is not an option that is handed to git diff", word);
	near = suggest_nearest(word, plain);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err,
			  "a value stands in the same word, as in -U5; a path that starts with "
			  "'-' comes after another '--'");
}

/* As seen from the top; pathspec magic stays what it is. */
static void add_path(const char *word, const char *prefix, struct strv *paths)
{
	if (!*prefix || *word == ':') {
		strv_add(paths, word);
		return;
	}
	BUF_AUTO dir = BUF_INIT;

	buf_str(&dir, prefix);
	for (;; word += strspn(word, "/")) {
		char *slash = strrchr(dir.data, '/');

		if (starts(word, "./") || strcmp(word, ".") == 0) {
			word++;
		} else if (starts(word, "../") || strcmp(word, "..") == 0) {
			buf_truncate(&dir, slash ? (size_t)(slash - dir.data) : 0);
			word += 2;
		} else {
			break;
		}
	}
	if (dir.len > 0 && *word)
		buf_char(&dir, '/');
	buf_str(&dir, word);
	strv_add(paths, dir.len > 0 ? dir.data : ".");
}

int diff_args_sort(const struct strv *words, const char *prefix, struct strv *options,
		   struct strv *paths, struct error *err)
{
	size_t i = 0;

	for (; i < words->len && words->v[i][0] == '-' && strcmp(words->v[i], "--") != 0; i++) {
		if (!is_allowed(words->v[i]))
			return refuse(words->v[i], err);
		strv_add(options, words->v[i]);
	}
	if (i < words->len && strcmp(words->v[i], "--") == 0)
		i++;
	for (; i < words->len; i++)
		add_path(words->v[i], prefix, paths);
	return 0;
}
