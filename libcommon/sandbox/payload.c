#include "base/base.h"

#include "sandbox/payload.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

static void add_string(struct buf *out, const char *s)
{
	buf_add(out, s, strlen(s) + 1);
}

static uint32_t add_strings(struct buf *out, const char *const *v)
{
	uint32_t n = 0;

	for (; v[n]; n++)
		add_string(out, v[n]);
	return n;
}

static const char *path_of(const char *const *envp)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, "PATH=", 5))
			return *envp + 5;
	return DEFAULT_PATH;
}

/* As execvp: a name with a slash is itself, any other is looked for in PATH; an empty entry is the
 * cwd. */
static uint32_t add_candidates(struct buf *out, const char *name, const char *path)
{
	uint32_t n = 0;

	if (strchr(name, '/') || !*name) {
		add_string(out, name);
		return 1;
	}
	for (const char *end;; path = end + 1) {
		end = strchrnul(path, ':');
		if (end > path) {
			buf_add(out, path, (size_t)(end - path));
			buf_char(out, '/');
		}
		add_string(out, name);
		n++;
		if (!*end)
			return n;
	}
}

int payload_build(const char *const *argv, const char *const *envp, const char *cwd,
		  struct buf *out, struct error *err)
{
	struct payload head = { .magic = PAYLOAD_MAGIC };

	if (!argv[0])
		return error_set(err, ERR_USAGE, "no command given");
	buf_add(out, &head, sizeof(head));
	head.argc = add_strings(out, argv);
	head.envc = add_strings(out, envp);
	head.paths = add_candidates(out, argv[0], path_of(envp));
	if (cwd) {
		/* The last string: command.c finds it behind the candidates. */
		add_string(out, cwd);
		head.cwd = 1;
	}
	if (out->len > PAYLOAD_SIZE_MAX || head.argc + head.envc + head.paths > PAYLOAD_STRINGS_MAX)
		return error_set(err, ERR_LIMIT,
				 "command and environment are too long (%zu bytes, at most %u)",
				 out->len, PAYLOAD_SIZE_MAX);
	head.size = (uint32_t)out->len;
	memcpy(out->data, &head, sizeof(head));
	return 0;
}

bool payload_check(const void *data, size_t size)
{
	struct payload head;
	const char *strings = (const char *)data + sizeof(head);

	if (size <= sizeof(head) || size > PAYLOAD_SIZE_MAX)
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.magic != PAYLOAD_MAGIC || head.size != size || head.cwd > 1 || !head.argc ||
	    !head.paths)
		return false;
	if (head.argc > PAYLOAD_STRINGS_MAX || head.envc > PAYLOAD_STRINGS_MAX ||
	    head.paths > PAYLOAD_STRINGS_MAX)
		return false;
	uint64_t want = (uint64_t)head.argc + head.envc + head.paths + head.cwd, have = 0;
	for (size_t i = 0; i < size - sizeof(head); i++)
		have += strings[i] == '\0';
	return have == want && strings[size - sizeof(head) - 1] == '\0';
}
