/*
 * markdown: foreign strings in a document, so that they stay what they are.
 */
#ifndef BOX_MARKDOWN_H
#define BOX_MARKDOWN_H

#include "base/buf.h"

/*
 * A code span whose fence is longer than any run of backticks in it; sanitised; '|' is escaped, so
 * it may stand in a table. Appended.
 */
void markdown_code(const char *s, struct buf *out);

/* Running text: sanitised, with what Markdown and HTML would take for their own escaped. Appended.
 */
void markdown_text(const char *s, struct buf *out);

#endif
