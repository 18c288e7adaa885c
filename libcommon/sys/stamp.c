#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/stamp.h"

#define TODO_MAX (32u << 20) /* bytes of paths: whoever made the tree must not fill our memory */

struct walk {
	int top;
	const struct stamp_sink *sink;
	struct stamp_seen *seen;
	struct buf todo; /* paths of directories, NUL-terminated, back to back */
};

static void put(struct walk *w, const void *data, size_t len)
{
	w->sink->add(w->sink->arg, data, len);
}

static int64_t nanoseconds(struct timespec t)
{
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void put_stat(struct walk *w, const struct stat *st)
{
	const uint64_t signs[] = { st->st_ino,
				   st->st_mode,
				   (uint64_t)st->st_size,
				   ((uint64_t)st->st_uid << 32) | st->st_gid,
				   (uint64_t)nanoseconds(st->st_mtim),
				   (uint64_t)nanoseconds(st->st_ctim) };

	put(w, signs, sizeof(signs));
	if (nanoseconds(st->st_ctim) > w->seen->newest_ns)
		w->seen->newest_ns = nanoseconds(st->st_ctim);
}

static void one(struct walk *w, const char *dir, int dirfd, const char *name)
{
	struct stat st;

	put(w, name, strlen(name) + 1);
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW)) {
		w->seen->whole = false;
		return;
	}
	put_stat(w, &st);
	if (!S_ISDIR(st.st_mode))
		return;
	if (w->todo.len > TODO_MAX) {
		w->seen->whole = false;
		return;
	}
	buf_fmt(&w->todo, "%s/%s", dir, name);
	buf_char(&w->todo, '\0');
}

static void list_all(struct walk *w, const char *dir, DIR *list)
{
	struct dirent *e;

	while ((errno = 0, e = readdir(list)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			one(w, dir, dirfd(list), e->d_name);
	}
	if (errno)
		w->seen->whole = false;
}

static void enter(struct walk *w, const char *dir)
{
	struct error ignored = ERROR_INIT;
	int fd = file_open_beneath(w->top, dir, O_RDONLY | O_DIRECTORY, 0, &ignored);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	/* Also says where one directory ends and the next begins. */
	put(w, dir, strlen(dir) + 1);
	if (!list) {
		fd_close(&fd);
		w->seen->whole = false;
		return;
	}
	list_all(w, dir, list);
	closedir(list);
}

void stamp_tree(int dirfd, const struct stamp_sink *sink, struct stamp_seen *out)
{
	struct walk w = { .top = dirfd, .sink = sink, .seen = out, .todo = BUF_INIT };
	struct stat st;

	*out = (struct stamp_seen){ .whole = !fstat(dirfd, &st) };
	if (out->whole)
		put_stat(&w, &st);
	enter(&w, ".");
	for (size_t at = 0; at < w.todo.len;) {
		BUF_AUTO dir = BUF_INIT; /* todo may move */

		buf_str(&dir, w.todo.data + at);
		at += dir.len + 1;
		enter(&w, dir.data);
	}
	buf_release(&w.todo);
}
