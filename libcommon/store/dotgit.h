/*
 * dotgit: which file names git, on any file system, would take for its own.
 */
#ifndef STORE_DOTGIT_H
#define STORE_DOTGIT_H

#include "base/base.h"

/*
 * True where name (one path component) is ".git" for some git: in any case, with NTFS's trailing
 * dots, blanks, streams and short name, with code points that HFS+ ignores, or after a backslash.
 */
bool name_is_dotgit(const char *name);

/* True where name may be taken for ".gitmodules", which git refuses as a symlink; errs towards
 * true. */
bool name_is_gitmodules(const char *name);

/* Likewise for .gitmodules, .gitattributes, .gitignore and .mailmap. */
bool name_is_git_file(const char *name);

/* Bytes at s (NUL-terminated) that are a code point which HFS+ drops from names; 0 where none. */
size_t name_hfs_ignored(const char *s);

#endif
