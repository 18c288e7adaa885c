#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "mason/stamp.h"
#include "sys/fd.h"
#include "sys/file.h"

#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u
#define DIRS_MAX (1u << 20) /* then what was seen has to do */

/* Directories that are still to be looked at: paths, NUL-terminated, back to back. */
struct stamp {
	int work_fd;
	struct buf todo;
	size_t dirs;
	uint64_t sum;
};

static uint64_t mix(uint64_t sum, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ p[i]) * FNV_PRIME;
	return sum;
}

/* Addition, so that the order in which a directory is listed does not matter. */
static void add(struct stamp *s, const char *dir, const char *name, const struct stat *st)
{
	uint64_t signs[] = { st->st_ino, st->st_mode, (uint64_t)st->st_ctim.tv_sec,
			     (uint64_t)st->st_ctim.tv_nsec };
	uint64_t one = mix(FNV_START, dir, strlen(dir) + 1);

	one = mix(one, name, strlen(name));
	s->sum += mix(one, signs, sizeof(signs));
}

static void look_at(struct stamp *s, const char *dir, DIR *list)
{
	for (struct dirent *e; (e = readdir(list)) != NULL;) {
		struct stat st;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (fstatat(dirfd(list), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			memset(&st, 0, sizeof(st));
		add(s, dir, e->d_name, &st);
		if (!S_ISDIR(st.st_mode) || s->dirs == DIRS_MAX)
			continue;
		buf_fmt(&s->todo, "%s/%s", dir, e->d_name);
		buf_char(&s->todo, '\0');
		s->dirs++;
	}
}

static void enter(struct stamp *s, const char *dir)
{
	struct error ignored = ERROR_INIT;
	int fd = file_open_beneath(s->work_fd, dir, O_RDONLY | O_DIRECTORY, 0, &ignored);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list) {
		fd_close(&fd);
		s->sum += mix(FNV_START, dir, strlen(dir));
		return;
	}
	look_at(s, dir, list);
	closedir(list);
}

uint64_t stamp_tree(int work_fd)
{
	struct stamp s = { .work_fd = work_fd, .todo = BUF_INIT };

	enter(&s, ".");
	for (size_t at = 0; at < s.todo.len;) {
		BUF_AUTO dir = BUF_INIT; /* todo may move */

		buf_str(&dir, s.todo.data + at);
		at += dir.len + 1;
		enter(&s, dir.data);
	}
	buf_release(&s.todo);
	return s.sum;
}
