/*
 * Symlinks. A target may have ".." only at its start: there the way up is that
 * of real directories, so it can be counted. After a name it would start from
 * wherever that name leads, which another symlink may decide. With every link
 * held to this, following any chain of them stays in the tree.
 */
#include "base/base.h"

#include <ctype.h>

#include "store/dotgit.h"
#include "store/gate-parts.h"

#define TARGET_MAX 4095

static bool is_absolute(const char *target)
{
	return target[0] == '/' || target[0] == '\\' ||
	       (isalpha((unsigned char)target[0]) && target[1] == ':');
}

/* up: directories between the link and the tree's top; separators: what ends a component. */
static enum gate_rule walk(const char *target, size_t up, const char *separators)
{
	bool named = false;

	for (const char *p = target; *p;) {
		size_t len = strcspn(p, separators);
		BUF_AUTO name = BUF_INIT;

		buf_add(&name, p, len);
		p += len + (p[len] != '\0');
		if (len == 0 || strcmp(name.data, ".") == 0)
			continue;
		if (strcmp(name.data, "..") != 0) {
			if (name_is_dotgit(name.data))
				return RULE_LINK_GIT;
			named = true;
			continue;
		}
		if (named)
			return RULE_LINK_WINDS;
		if (up-- == 0)
			return RULE_LINK_ESCAPES;
	}
	return RULE_NONE;
}

enum gate_rule gate_link_rule(const char *path, const char *target, size_t len)
{
	BUF_AUTO text = BUF_INIT;
	enum gate_rule rule;
	size_t up = 0;

	if (len == 0 || len > TARGET_MAX || memchr(target, '\0', len) ||
	    gate_has_control(target, len, false))
		return RULE_LINK_TARGET;
	buf_add(&text, target, len);
	if (is_absolute(text.data))
		return RULE_LINK_ABSOLUTE;
	for (const char *p = path; *p; p++)
		up += *p == '/';
	rule = walk(text.data, up, "/");
	/* And where a backslash is a slash. */
	return rule == RULE_NONE ? walk(text.data, up, "/\\") : rule;
}
