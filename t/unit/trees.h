/*
 * trees: a bare repository of its own for one test, and trees in it that are
 * written entry by entry, raw, so that they may be what git would not write.
 */
#ifndef UNIT_TREES_H
#define UNIT_TREES_H

#include "store/git.h"
#include "t/unit/scratch.h"

struct rig {
	struct scratch s;
	struct buf git_dir;
	struct git_cmd git;
	size_t hex;
	struct buf text; /* of the tree that is being written */
};

static inline void git_in(const struct rig *r, const char *const *args, const struct buf *in,
			  struct buf *out)
{
	struct error err = ERROR_INIT;
	struct git_cmd cmd = r->git;

	cmd.args = args;
	cmd.in = in->data;
	cmd.in_len = in->len;
	cmd.out = out;
	cr_assert_eq(git_must(&cmd, &err), 0, "%s", err.msg);
	while (out->len && out->data[out->len - 1] == '\n')
		buf_truncate(out, out->len - 1);
}

static inline void rig_open(struct rig *r, const char *format)
{
	const char *const args[] = { "init", "-q", "--bare", "--object-format", format, NULL };
	BUF_AUTO none = BUF_INIT;
	BUF_AUTO out = BUF_INIT;

	*r = (struct rig){ .s = scratch_make(), .git_dir = BUF_INIT, .text = BUF_INIT };
	buf_fmt(&r->git_dir, "%s/git", r->s.path);
	r->git = (struct git_cmd){ .git_dir = r->git_dir.data };
	r->hex = strcmp(format, "sha1") == 0 ? 40 : 64;
	git_in(r, args, &none, &out);
}

static inline void rig_close(struct rig *r)
{
	buf_release(&r->git_dir);
	buf_release(&r->text);
	scratch_remove(&r->s);
}
#define RIG_AUTO __attribute__((cleanup(rig_close))) struct rig

static inline void put_blob(const struct rig *r, const char *text, struct buf *oid)
{
	static const char *const args[] = { "hash-object", "-w", "--stdin", NULL };
	BUF_AUTO in = BUF_INIT;

	buf_str(&in, text);
	git_in(r, args, &in, oid);
}

static inline char unhex(const char *s)
{
	static const char digits[] = "0123456789abcdef";

	return (char)((strchr(digits, s[0]) - digits) << 4 | (strchr(digits, s[1]) - digits));
}

static inline void entry(struct rig *r, const char *mode, const char *name, const char *oid)
{
	buf_fmt(&r->text, "%s %s", mode, name);
	buf_char(&r->text, '\0');
	for (size_t i = 0; i < r->hex; i += 2)
		buf_char(&r->text, unhex(oid + i));
}

/* An entry with that content. */
static inline void file(struct rig *r, const char *mode, const char *name, const char *text)
{
	BUF_AUTO oid = BUF_INIT;

	put_blob(r, text, &oid);
	entry(r, mode, name, oid.data);
}

/* What entry() and file() gathered, in the caller's order, as a tree. */
static inline void tree(struct rig *r, struct buf *oid)
{
	static const char *const args[] = { "hash-object", "-w",      "-t", "tree",
					    "--literally", "--stdin", NULL };

	buf_reset(oid);
	git_in(r, args, &r->text, oid);
	buf_reset(&r->text);
}

#endif
