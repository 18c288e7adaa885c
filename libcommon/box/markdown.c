#include "base/base.h"

#include "box/markdown.h"
#include "cli/msg.h"

static size_t longest_run(const char *s, char c)
{
	size_t longest = 0;

	for (size_t run = 0; *s; s++) {
		run = *s == c ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

void markdown_code(const char *s, struct buf *out)
{
	BUF_AUTO clean = BUF_INIT;
	size_t fence;

	msg_clean(s, strlen(s), &clean);
	fence = longest_run(clean.data, '`') + 1;
	buf_pad(out, '`', fence);
	/* A blank on both sides is no part of the span, and keeps backticks off the fence. */
	buf_char(out, ' ');
	for (const char *p = clean.data; *p; p++) {
		if (*p == '|')
			buf_char(out, '\\');
		buf_char(out, *p);
	}
	buf_char(out, ' ');
	buf_pad(out, '`', fence);
}

void markdown_text(const char *s, struct buf *out)
{
	BUF_AUTO clean = BUF_INIT;

	msg_clean(s, strlen(s), &clean);
	for (const char *p = clean.data; *p; p++) {
		if (strchr("\\`*_{}[]<>()#+-.!|&~@:", *p))
			buf_char(out, '\\');
		buf_char(out, *p);
	}
}
