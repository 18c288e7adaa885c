#include "base/base.h"

#include "mason/attributes.h"
#include "sys/file.h"

#define ATTRIBUTES_MAX (4u << 20)

bool path_is_gitattributes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, ".gitattributes");
}

bool attributes_mention(int dirfd, const char *path, const char *word)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	return !file_read(dirfd, path, ATTRIBUTES_MAX, &text, &ignored) &&
	       memmem(text.data, text.len, word, strlen(word)) != NULL;
}
