/*
 * scratch: a directory of its own for one test. As a Criterion fixture cannot
 * hand over values, the test opens it and the cleanup attribute removes it.
 */
#ifndef UNIT_SCRATCH_H
#define UNIT_SCRATCH_H

#include <criterion/criterion.h>
#include <fcntl.h>

#include "sys/fd.h"
#include "sys/file.h"

struct scratch {
	char path[64];
	int fd;
};
#define SCRATCH_AUTO __attribute__((cleanup(scratch_remove))) struct scratch

static inline struct scratch scratch_make(void)
{
	struct scratch s = { .path = "/tmp/box-unit-XXXXXX" };

	cr_assert_not_null(mkdtemp(s.path));
	s.fd = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(s.fd, 0);
	return s;
}

static inline void scratch_remove(struct scratch *s)
{
	struct error err = ERROR_INIT;

	fd_close(&s->fd);
	cr_assert_eq(file_remove_tree(AT_FDCWD, s->path, &err), 0, "%s", err.msg);
}

/* A file with that text; for setting a test up. */
static inline void scratch_put(const struct scratch *s, const char *path, const char *text)
{
	struct file_content content = { text, strlen(text), 0600 };
	struct error err = ERROR_INIT;

	cr_assert_eq(file_create(s->fd, path, content, &err), 0, "%s", err.msg);
}

#endif
