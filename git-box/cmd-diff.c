#include "base/base.h"

#include <unistd.h>

#include "base/exit.h"
#include "box/intake.h"
#include "box/rebase.h"
#include "box/work.h"
#include "cli/msg.h"
#include "git-box/diff-args.h"
#include "git-box/intake-report.h"
#include "git-box/paint.h"
#include "git-box/verbs.h"
#include "store/patch.h"
#include "sys/fd.h"

#define DIFF_SCHEMA 1
#define LOCK_WAIT_MS 2000

struct diff_opts {
	bool json;
	bool quiet, stat, numstat, shortstat, name_only, name_status, word_diff;
	const char *name;
	struct strv rest;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "stat", struct diff_opts, stat, "how many lines of which files"),
	OPT_FLAG(0, "numstat", struct diff_opts, numstat, "the same for programs"),
	OPT_FLAG(0, "shortstat", struct diff_opts, shortstat, "the sum of it"),
	OPT_FLAG(0, "name-only", struct diff_opts, name_only, "the names of changed files"),
	OPT_FLAG(0, "name-status", struct diff_opts, name_status, "and what happened to them"),
	OPT_FLAG(0, "word-diff", struct diff_opts, word_diff, "words instead of lines"),
	OPT_FLAG('q', "quiet", struct diff_opts, quiet,
		 "say nothing: exit 1 where the box changed something, else 0"),
	OPT_FLAG(0, "json", struct diff_opts, json, "print JSON"),
	ARG_ONE("NAME", struct diff_opts, name, COMPLETE_BOX, "the box"),
	ARG_REST_MAYBE("GIT-OPTION", struct diff_opts, rest, "options of git diff, then paths"),
	OPT_END,
};

/* What git is asked for. */
struct request {
	struct strv options;
	struct strv paths;
};

static int sort_words(const struct diff_opts *o, const char *prefix, struct request *out,
		      struct error *err)
{
	const struct {
		bool wanted;
		const char *option;
	} flags[] = { { o->stat, "--stat" },
		      { o->numstat, "--numstat" },
		      { o->shortstat, "--shortstat" },
		      { o->name_only, "--name-only" },
		      { o->name_status, "--name-status" },
		      { o->word_diff, "--word-diff" } };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].wanted)
			strv_add(&out->options, flags[i].option);
	}
	if (diff_args_sort(&o->rest, prefix, &out->options, &out->paths, err) < 0)
		return -1;
	if (o->quiet && (o->json || out->options.len + out->paths.len > 0))
		return error_set(err, ERR_USAGE, "--quiet takes no other options and no paths");
	if (o->json && out->options.len + out->paths.len > 0)
		return error_set(err, ERR_USAGE, "--json shows all of it: no options, no paths");
	return 0;
}

/*
 * The operator's settings (colours, algorithm) count, those of the repository do not, and no driver
 * that any of them names is run: two trees in a repository without attributes.
 */
static void make_args(const struct box *b, const struct intake *in, const struct request *r,
		      struct strv *args)
{
	static const char *const safe[] = { "diff",
					    "--no-ext-diff",
					    "--no-textconv",
					    "--submodule=short",
					    "--ignore-submodules=none",
					    NULL };

	strv_add_all(args, safe);
	strv_add_all(args, strv_argv(&r->options));
	if (isatty(STDOUT_FILENO))
		strv_add(args, "--no-color");
	strv_add(args, b->m.base_tree.data);
	strv_add(args, in->scribe.tree.data);
	strv_add(args, "--");
	strv_add_all(args, strv_argv(&r->paths));
}

static int show(const struct app *app, const struct box *b, const struct intake *in,
		const struct request *r, struct error *err)
{
	static const char *const env[] = { "GIT_LITERAL_PATHSPECS=0", NULL };
	static const int out_fd = STDOUT_FILENO;
	STRV_AUTO args = STRV_INIT;
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO errout = BUF_INIT;
	BUF_AUTO painted = BUF_INIT;
	struct git_cmd cmd = in->q.git;
	bool terminal = isatty(STDOUT_FILENO);
	int code = 0;

	make_args(b, in, r, &args);
	cmd.args = strv_argv(&args);
	cmd.env = env;
	cmd.errout = &errout;
	cmd.out = &text;
	if (!terminal)
		cmd.out_fd = &out_fd;
	if (git_run(&cmd, &code, err) < 0)
		return -1;
	/* 1 and 2 are answers to --exit-code and --check. */
	if (code > 3)
		return git_failed("diff", code, &errout, err);
	paint_diff(text.data, text.len, app->color_out, &painted);
	return fd_write_full(STDOUT_FILENO, painted.data, painted.len, err) < 0 ? -1 : code;
}

static void mode_json(json_t *obj, const char *key, uint32_t mode)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%06o", mode);
	json_object_set_new(obj, key, mode ? json_text(text) : json_null());
}

static json_t *file_json(const struct intake *in, const struct patch_file *f)
{
	const char status[2] = { f->status, '\0' };
	json_t *obj = json_object();

	json_object_set_new(obj, "path", json_text(f->path.data));
	json_object_set_new(obj, "status", json_text(status));
	mode_json(obj, "old_mode", f->old_mode);
	mode_json(obj, "new_mode", f->new_mode);
	json_object_set_new(obj, "binary", json_boolean(f->binary));
	json_object_set_new(obj, "added", json_integer((json_int_t)f->added));
	json_object_set_new(obj, "deleted", json_integer((json_int_t)f->deleted));
	json_object_set_new(obj, "rules", intake_rules(in, f->path.data));
	return obj;
}

static int answer(const struct box *b, const struct intake *in, struct error *err)
{
	JSON_AUTO *obj = json_object();
	PATCH_LIST_AUTO l = PATCH_LIST_INIT;
	json_t *files = json_array();

	json_object_set_new(obj, "files", files);
	if (patch_list(&in->q.git, b->m.base_tree.data, in->scribe.tree.data, &l, err) < 0)
		return -1;
	for (size_t i = 0; i < l.len; i++)
		json_array_append_new(files, file_json(in, &l.v[i]));
	json_object_set_new(obj, "name", json_text(b->m.name.data));
	json_object_set_new(obj, "id", json_text(b->m.id));
	json_object_set_new(obj, "base", json_text(b->m.base_commit.data));
	json_object_set_new(obj, "added", json_integer((json_int_t)l.added));
	json_object_set_new(obj, "deleted", json_integer((json_int_t)l.deleted));
	intake_json(in, obj);
	json_answer(obj, DIFF_SCHEMA);
	return 0;
}

/* Exit code; no objects leave the box for it. */
static int glance(const struct repo *repo, const struct box *b, struct error *err)
{
	SCRIBE_REPORT_AUTO report = SCRIBE_REPORT_INIT;

	if (rebase_check(b, err) < 0 ||
	    work_ops_for(b->m.tier)->take(repo, b, SCRIBE_GLANCE, &report, err) < 0)
		return -1;
	return strcmp(report.tree.data, b->m.base_tree.data) ? EXIT_NO : EXIT_OK;
}

/* Exit code. */
static int diff_box(struct app *app, const struct diff_opts *o, const struct repo *repo,
		    const struct request *r)
{
	struct error err = ERROR_INIT;
	INTAKE_AUTO in = INTAKE_INIT;
	FD_AUTO lock = -1;
	struct box b;
	int code = -1;

	if (box_open(repo, o->name, &b, &err) < 0)
		return msg_fail(app, &err);
	lock = box_lock(&b, false, LOCK_WAIT_MS, &err);
	if (lock >= 0 && o->quiet)
		code = glance(repo, &b, &err);
	else if (lock >= 0 && intake_take(repo, &b, SCRIBE_LIVE, &in, &err) == 0) {
		if (!o->json)
			intake_notes(app, &in);
		code = o->json ? answer(&b, &in, &err) :
		       in.same ? EXIT_OK :
				 show(app, &b, &in, r, &err);
	}
	box_release(&b);
	return code < 0 ? intake_fail(app, &in, &err) : code;
}

static int run(struct app *app, void *opts_void)
{
	const struct diff_opts *o = opts_void;
	struct request r = { .options = STRV_INIT, .paths = STRV_INIT };
	struct error err = ERROR_INIT;
	REPO_AUTO repo = REPO_INIT;
	int code;

	if (repo_discover(&repo, &err) < 0 || sort_words(o, repo.prefix.data, &r, &err) < 0)
		code = msg_fail(app, &err);
	else
		code = diff_box(app, o, &repo, &r);
	strv_release(&r.options);
	strv_release(&r.paths);
	return code;
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "show what a box changed",
	.description = "The files of the box as they are now against the commit from which it was "
		       "made, whether commands run in it or not. Untracked files count, ignored "
		       "ones do not.\n"
		       "\n"
		       "After NAME and -- come options of git diff that choose what is shown and "
		       "how, then paths. Options that run a program on what the box wrote, read "
		       "another file or write one are refused; neither textconv nor external diff "
		       "drivers are run. On a terminal the output is cleaned of control "
		       "characters.",
	.examples = "$ git box diff fix-login\n$ git box diff fix-login --stat\n"
		    "$ git box diff fix-login -- -U10 --diff-filter=M src",
	.opts = opts,
	.opts_size = sizeof(struct diff_opts),
	.run = run,
};
