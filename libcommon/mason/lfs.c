#include "base/base.h"

#include "mason/lfs.h"

/* The next of three: path, attribute, value. */
static const char *next_value(const struct buf *text, size_t *at)
{
	const char *value = NULL;

	for (int i = 0; i < 3; i++) {
		if (*at >= text->len)
			return NULL;
		value = text->data + *at;
		*at += strlen(value) + 1;
	}
	return value;
}

int lfs_attributes(const struct git_cmd *git, const struct buf *paths, struct buf *out,
		   struct error *err)
{
	static const char *const args[] = { "check-attr", "-z", "--stdin", "filter", NULL };
	struct git_cmd cmd = *git;
	BUF_AUTO text = BUF_INIT;
	size_t at = 0;

	if (!paths->len)
		return 0;
	cmd.args = args;
	cmd.in = paths->data;
	cmd.in_len = paths->len;
	cmd.out = &text;
	if (git_must(&cmd, err))
		return -1;
	for (size_t p = 0; p < paths->len; p += strlen(paths->data + p) + 1) {
		const char *value = next_value(&text, &at);

		if (!value)
			return error_set(err, ERR_PEER, "git check-attr gave too few answers");
		buf_char(out, strcmp(value, "lfs") ? 'n' : 'y');
	}
	return 0;
}
