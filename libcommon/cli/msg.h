/*
 * msg: what we say to people, all on stderr, every line prefixed "git box: ".
 * Every message is one line and passes msg_clean() here, so callers may put
 * foreign strings into it; what is printed on stdout must be cleaned by the
 * caller (cli/table.h does it for cells).
 */
#ifndef CLI_MSG_H
#define CLI_MSG_H

#include "base/buf.h"
#include "base/error.h"
#include "cli/app.h"

/* Reports an error (message, then "hint: ..."), traces it, returns its exit code. */
int msg_fail(const struct app *app, const struct error *err);
void msg_warning(const struct app *app, const char *fmt, ...) PRINTF_LIKE(2, 3);
void msg_note(const struct app *app, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * The display sanitiser for one-line strings: tab, newline, CR become a space;
 * other C0/C1 controls, DEL and bidi controls (U+061C, U+200E/F, U+202A-E,
 * U+2066-9) are dropped; invalid UTF-8 becomes U+FFFD. Appended to out.
 */
void msg_clean(const char *s, size_t len, struct buf *out);

/* The same for text of many lines: newlines and tabs stay; a CR and what else would be dropped is
 * shown as U+FFFD, so that nothing is hidden from who reviews it. Appended to out. */
void msg_clean_block(const char *s, size_t len, struct buf *out);

#endif
