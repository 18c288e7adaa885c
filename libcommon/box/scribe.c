#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/num.h"
#include "box/lfs.h"
#include "box/mason.h"
#include "box/clean.h"
#include "box/scribe.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/lock.h"

#define LOCK_WAIT_MS 60000
#define PATH_SHOWN 8192 /* quoted, of at most PATH_MAX bytes: longer lines are none of ours */

void scribe_report_release(struct scribe_report *r)
{
	buf_release(&r->tree);
	fd_close(&r->pack_fd);
	strv_release(&r->repositories);
	strv_release(&r->silent);
	strv_release(&r->lfs);
}

/* What follows the label where the line starts with it, or NULL. */
static const char *after(const char *line, const char *label)
{
	size_t len = strlen(label);

	return strncmp(line, label, len) == 0 ? line + len : NULL;
}

/* "<count> <kind>" */
static bool parse_skipped(const char *text, struct scribe_report *out)
{
	const struct {
		const char *kind;
		uint64_t *count;
	} kinds[] = { { " special", &out->special },
		      { " git", &out->dotgit },
		      { " too-long", &out->too_long },
		      { " unreadable", &out->unreadable } };
	struct error ignored = ERROR_INIT;
	size_t digits = strspn(text, "0123456789");
	BUF_AUTO number = BUF_INIT;

	buf_add(&number, text, digits);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(text + digits, kinds[i].kind) == 0)
			return num_u64(number.data, 1, UINT64_MAX, kinds[i].count, &ignored) == 0;
	}
	return false;
}

/* git_quote()'s form, which is printable. */
static bool parse_path(const char *text, struct strv *out)
{
	size_t len = strlen(text);

	if (len < 3 || len > PATH_SHOWN || text[0] != '"' || text[len - 1] != '"')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	}
	strv_add(out, text);
	return true;
}

/* A SHA-256 and a number. */
static bool parse_object(const char *text, struct strv *out)
{
	struct lfs_pointer p;

	if (!lfs_take_parse(text, &p))
		return false;
	strv_add(out, text);
	return true;
}

static bool parse_line(const char *line, size_t hex, struct scribe_report *out, bool *packed)
{
	const char *rest;

	if ((rest = after(line, "tree ")) != NULL) {
		buf_str(&out->tree, rest);
		return out->tree.len == hex && strspn(rest, "0123456789abcdef") == hex;
	}
	if (strcmp(line, "pack") == 0) {
		*packed = true;
		return true;
	}
	if ((rest = after(line, "skipped ")) != NULL)
		return parse_skipped(rest, out);
	if ((rest = after(line, "repository ")) != NULL)
		return parse_path(rest, &out->repositories);
	if ((rest = after(line, "silent ")) != NULL)
		return parse_path(rest, &out->silent);
	if ((rest = after(line, "lfs ")) != NULL)
		return parse_object(rest, &out->lfs);
	return false;
}

int scribe_parse(const struct buf *text, size_t hex, struct scribe_report *out, bool *packed_out,
		 struct error *err)
{
	bool packed = false;

	for (const char *p = text->data, *end; *p; p = end + 1) {
		BUF_AUTO line = BUF_INIT;

		end = strchr(p, '\n');
		if (!end)
			break;
		buf_add(&line, p, (size_t)(end - p));
		if (!parse_line(line.data, hex, out, &packed))
			return error_set(err, ERR_PEER, "the box's scribe said what it must not");
	}
	if (!out->tree.len || text->data[text->len - 1] != '\n' || strlen(text->data) != text->len)
		return error_set(err, ERR_PEER, "the box's scribe gave no tree");
	*packed_out = packed;
	return 0;
}

/* Boxes are made without it, and it belongs to the payload's ids, as the scribe does. */
static int make_snap(const struct box *b, struct error *err)
{
	FD_AUTO fd = -1;

	if (mkdirat(b->fd, "snap", 0700) < 0 && errno != EEXIST)
		return error_sys(err, errno, "cannot make %s/snap", b->path.data);
	fd = openat(b->fd, "snap", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, errno, "cannot open %s/snap", b->path.data);
	if (b->m.uid != geteuid() && fchown(fd, b->m.uid, b->m.gid) < 0)
		return error_sys(err, errno, "cannot give %s/snap to uid %u", b->path.data,
				 b->m.uid);
	return 0;
}

/* The name is the scribe's to fill, with whatever it likes. */
static int open_pack(const struct box *b, struct error *err)
{
	FD_AUTO fd = file_open_beneath(b->fd, "snap/pack", O_RDONLY | O_NONBLOCK, 0, err);
	struct stat st;

	if (fd < 0)
		return error_wrap(err, "the box's scribe left no pack");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(err, ERR_PEER, "the box's scribe left a pack that is no file");
	return fd_take(&fd);
}

static int run(const struct box *b, enum scribe_how how, struct scribe_report *out,
	       struct error *err)
{
	struct lower_box lower;
	BUF_AUTO work = BUF_INIT;
	BUF_AUTO snap = BUF_INIT;
	BUF_AUTO text = BUF_INIT;
	bool packed = false;

	buf_fmt(&work, "%s/work", b->path.data);
	buf_fmt(&snap, "%s/snap", b->path.data);
	box_lowering(b, &lower);
	const char *const argv[] = { MASON_PATH,
				     "snapshot",
				     work.data,
				     snap.data,
				     b->m.base_commit.data,
				     b->m.base_tree.data,
				     how == SCRIBE_FROZEN ? "thorough" :
				     how == SCRIBE_GLANCE ? "glance" :
							    NULL,
				     NULL };

	if (mason_run_scribe(&lower, argv, &text, err) < 0 ||
	    scribe_parse(&text, b->m.base_tree.len, out, &packed, err) < 0)
		return -1;
	if (packed != (how != SCRIBE_GLANCE && strcmp(out->tree.data, b->m.base_tree.data) != 0))
		return error_set(err, ERR_PEER, "the box's scribe contradicts itself");
	out->pack_fd = packed ? open_pack(b, err) : -1;
	return packed && out->pack_fd < 0 ? -1 : 0;
}

static int make_readable(const struct box *b, struct error *err)
{
	struct lower_box lower;
	BUF_AUTO work = BUF_INIT;

	buf_fmt(&work, "%s/work", b->path.data);
	box_lowering(b, &lower);
	const char *const argv[] = { MASON_PATH, "readable", work.data, NULL };

	return mason_run(&lower, argv, NULL, err);
}

/* Nothing but "as the base", with nothing left out that somebody should hear of. */
static bool says_clean(const struct box *b, const struct scribe_report *r)
{
	return !strcmp(r->tree.data, b->m.base_tree.data) && !r->special && !r->dotgit &&
	       !r->too_long && !r->unreadable && !r->repositories.len && !r->silent.len;
}

static int ask(const struct box *b, enum scribe_how how, struct scribe_report *out,
	       struct error *err)
{
	struct scribe_report r = SCRIBE_REPORT_INIT;
	FD_AUTO lock = lock_acquire(b->fd, "snap.lock", LOCK_EXCLUSIVE, LOCK_WAIT_MS, err);
	int rc = lock < 0 || make_snap(b, err) < 0 ? -1 : run(b, how, &r, err);

	if (rc == 0 && how == SCRIBE_FROZEN && r.unreadable > 0) {
		scribe_report_release(&r);
		r = (struct scribe_report)SCRIBE_REPORT_INIT;
		rc = make_readable(b, err) < 0 ? -1 : run(b, how, &r, err);
	}
	if (rc < 0) {
		scribe_report_release(&r);
		return error_wrap(err, "cannot look at the files of box '%s'", b->m.name.data);
	}
	*out = r;
	return 0;
}

int scribe_take(const struct box *b, enum scribe_how how, struct scribe_report *out,
		struct error *err)
{
	struct clean clean;

	if (how == SCRIBE_FROZEN)
		return ask(b, how, out, err);
	clean_look(b, &clean);
	if (clean.known) {
		*out = (struct scribe_report)SCRIBE_REPORT_INIT;
		buf_str(&out->tree, b->m.base_tree.data);
		return 0;
	}
	if (ask(b, how, out, err) < 0)
		return -1;
	if (says_clean(b, out))
		clean_learn(b, &clean);
	return 0;
}
