/*
 * words: what can be typed where a box, a profile, a tier or a revision is
 * wanted, for shell completion.
 */
#ifndef GIT_BOX_WORDS_H
#define GIT_BOX_WORDS_H

#include "cli/app.h"

/* As app.words: adds nothing where there is no repository or no answer. */
void complete_from_repository(enum opt_complete kind, struct strv *out);

#endif
