/*
 * attributes: whether files of gitattributes(5) are worth asking git about.
 */
#ifndef MASON_ATTRIBUTES_H
#define MASON_ATTRIBUTES_H

#include "base/base.h"

bool path_is_gitattributes(const char *path);

/* Whether word is in that file, so that it may give something an attribute of that name or value.
 */
bool attributes_mention(int dirfd, const char *path, const char *word);

#endif
