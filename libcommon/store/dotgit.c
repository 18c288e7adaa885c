#include "base/base.h"

#include <strings.h>

#include "store/dotgit.h"

/* NTFS drops dots and blanks at the end, and what follows ':' names a stream of the same file. */
static bool ends_for_ntfs(const char *rest)
{
	rest += strspn(rest, ". ");
	return *rest == '\0' || *rest == ':' || *rest == '\\';
}

static bool is_ntfs_dotgit(const char *name)
{
	return (!strncasecmp(name, ".git", 4) && ends_for_ntfs(name + 4)) ||
	       (!strncasecmp(name, "git~1", 5) && ends_for_ntfs(name + 5));
}

/* Length of a UTF-8 sequence that HFS+ drops from names: U+200C-F, U+202A-E, U+206A-F, U+FEFF; else
 * 0. */
size_t name_hfs_ignored(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	if (p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf)
		return 3;
	if (p[0] != 0xe2)
		return 0;
	if (p[1] == 0x80 && ((p[2] >= 0x8c && p[2] <= 0x8f) || (p[2] >= 0xaa && p[2] <= 0xae)))
		return 3;
	return p[1] == 0x81 && p[2] >= 0xaa && p[2] <= 0xaf ? 3 : 0;
}

/* Compares the name without ignored code points, at most as many characters as want has. */
static bool hfs_matches(const char *name, const char *want, bool prefix)
{
	for (;;) {
		size_t skip = name_hfs_ignored(name);

		if (skip) {
			name += skip;
			continue;
		}
		if (!*want)
			return prefix || !*name;
		if (!*name || strncasecmp(name, want, 1) != 0)
			return false;
		name++;
		want++;
	}
}

bool name_is_dotgit(const char *name)
{
	if (hfs_matches(name, ".git", false))
		return true;
	for (const char *part = name; part; part = strchr(part, '\\')) {
		part += *part == '\\';
		if (is_ntfs_dotgit(part))
			return true;
	}
	return false;
}

/* A file that git reads, and the beginnings of its short names: NTFS makes one from the name, or
 * from a hash of it where that is taken. */
struct git_file {
	const char *name;
	const char *short_name;
	const char *hash;
};

static const struct git_file modules = { ".gitmodules", "gitmod~", "gi7eb" };
static const struct git_file others[] = { { ".gitattributes", "gitatt~", "gi7d2" },
					  { ".gitignore", "gitign~", "gi250" },
					  { ".mailmap", "mailma~", "maba3" } };

static bool names_file(const char *name, const struct git_file *f)
{
	return hfs_matches(name, f->name, true) ||
	       !strncasecmp(name, f->short_name, strlen(f->short_name)) ||
	       !strncasecmp(name, f->hash, strlen(f->hash));
}

bool name_is_gitmodules(const char *name)
{
	return names_file(name, &modules);
}

bool name_is_git_file(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (names_file(name, &others[i]))
			return true;
	}
	return name_is_gitmodules(name);
}
