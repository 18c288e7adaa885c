#include "base/base.h"

#include "box/inside.h"
#include "box/left.h"

#define ANSWER_MAX (1u << 20)

/* Parents come first in the list, and their state covers that of what lies in them. */
static bool is_nested(const struct strv *all, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		size_t len = strlen(all->v[j]);

		if (!strncmp(all->v[i], all->v[j], len) && all->v[i][len] == '/')
			return true;
	}
	return false;
}

int left_in_submodules(const struct box *b, struct strv *out, struct error *err)
{
	const struct strv *all = &b->m.submodules;
	STRV_AUTO args = STRV_INIT;
	BUF_AUTO text = BUF_INIT;

	if (!all->len)
		return 0;
	/* From the base to the files, by way of what is staged; untracked files count. */
	const char *const start[] = {
		"--literal-pathspecs",	    "diff-index",	   "-z", "--name-only",
		"--ignore-submodules=none", b->m.base_commit.data, "--", NULL
	};

	strv_add_all(&args, start);
	for (size_t i = 0; i < all->len; i++) {
		if (!is_nested(all, i))
			strv_add(&args, all->v[i]);
	}
	const struct inside_question q = { .label = "comparing submodules",
					   .args = strv_argv(&args),
					   .max = ANSWER_MAX };

	if (inside_ask(b, &q, &text, err) < 0)
		return -1;
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1) {
		if (strv_has(all, text.data + at) && !strv_has(out, text.data + at))
			strv_add(out, text.data + at);
	}
	return 0;
}
