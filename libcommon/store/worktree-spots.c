#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/worktree-spots.h"
#include "sys/fd.h"

static bool is_removed(const struct change_list *changes, const char *path)
{
	const struct change *c = changes_find(changes, path);

	return c && c->old_mode && c->status != 'M';
}

enum place { PLACE_FREE, PLACE_FILE, PLACE_DIR };

static int look(int top_fd, const char *path, enum place *out, struct error *err)
{
	struct stat st;

	if (!fstatat(top_fd, path, &st, AT_SYMLINK_NOFOLLOW))
		*out = S_ISDIR(st.st_mode) ? PLACE_DIR : PLACE_FILE;
	else if (errno == ENOENT || errno == ENOTDIR)
		*out = PLACE_FREE;
	else
		return error_sys(err, errno, "cannot look at '%s'", path);
	return 0;
}

/* The first part of path that is no directory: its parents in order, then itself. */
static int look_down(int top_fd, const char *path, struct buf *part, enum place *out,
		     struct error *err)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		buf_reset(part);
		buf_add(part, path, (size_t)(slash - path));
		if (look(top_fd, part->data, out, err))
			return -1;
		if (*out != PLACE_DIR)
			return 0;
	}
	buf_reset(part);
	buf_str(part, path);
	return look(top_fd, path, out, err);
}

bool spots_has_file(int top_fd, const char *path)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO part = BUF_INIT;
	enum place place;

	return !look_down(top_fd, path, &part, &place, &ignored) && place == PLACE_FILE &&
	       part.len == strlen(path);
}

static int list(int top_fd, const char *path, struct strv *names, struct error *err)
{
	int fd = openat(top_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		error_sys(err, errno, "cannot list '%s'", path);
		fd_close(&fd);
		return -1;
	}
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strv_add(names, e->d_name);
	}
	closedir(d);
	return 0;
}

/* Files below a directory that changes does not remove. Directories wait in a list, so depth costs
 * no stack. */
static int find_kept(int top_fd, const char *dir, const struct change_list *changes,
		     struct strv *kept, struct error *err)
{
	STRV_AUTO dirs = STRV_INIT;

	strv_add(&dirs, dir);
	for (size_t i = 0; i < dirs.len; i++) {
		STRV_AUTO names = STRV_INIT;

		if (list(top_fd, dirs.v[i], &names, err))
			return -1;
		for (size_t k = 0; k < names.len; k++) {
			BUF_AUTO path = BUF_INIT;
			enum place place;

			buf_fmt(&path, "%s/%s", dirs.v[i], names.v[k]);
			if (look(top_fd, path.data, &place, err))
				return -1;
			if (place == PLACE_DIR)
				strv_add(&dirs, path.data);
			else if (place == PLACE_FILE && !is_removed(changes, path.data))
				strv_add(kept, path.data);
		}
	}
	return 0;
}

static int find_one(int top_fd, const struct change *c, const struct change_list *changes,
		    struct spots *out, struct error *err)
{
	BUF_AUTO part = BUF_INIT;
	enum place place;

	if (look_down(top_fd, c->path, &part, &place, err))
		return -1;
	if (place == PLACE_DIR)
		return find_kept(top_fd, c->path, changes, &out->blocked, err);
	if (place == PLACE_FREE)
		return 0;
	if (part.len == strlen(c->path))
		out->present++;
	else if (!is_removed(changes, part.data))
		strv_add(&out->blocked, part.data);
	return 0;
}

int spots_find(int top_fd, const struct change_list *changes, struct spots *out, struct error *err)
{
	for (size_t i = 0; i < changes->len; i++) {
		const struct change *c = &changes->v[i];

		if (c->status == 'A' && c->new_mode != 0160000 &&
		    find_one(top_fd, c, changes, out, err))
			return -1;
	}
	return 0;
}
