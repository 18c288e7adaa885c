#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/strv.h"
#include "mason/mason.h"
#include "mason/walk.h"
#include "store/dotgit.h"
#include "sys/fd.h"
#include "sys/file.h"

/* One entry: gets the bits that its owner needs, and is queued where it is a directory. */
static void visit(int dirfd, const char *dir, const char *name, struct strv *dirs)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) || name_is_dotgit(name))
		return;
	if (!stat_readable(&st) &&
	    fchmodat(dirfd, name, (st.st_mode & 07777) | (S_ISDIR(st.st_mode) ? 0700 : 0400), 0)) {
		/* The next snapshot counts it again. */
	}
	if (S_ISDIR(st.st_mode))
		strv_addf(dirs, "%s%s%s", dir, *dir ? "/" : "", name);
}

static void list(int work_fd, const char *dir, struct strv *dirs)
{
	struct error ignored = ERROR_INIT;
	int fd = file_open_beneath(work_fd, *dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK,
				   0, &ignored);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		fd_close(&fd);
		return;
	}
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			visit(dirfd(d), dir, e->d_name, dirs);
	}
	closedir(d);
}

int mason_make_readable(const char *work, struct error *err)
{
	STRV_AUTO dirs = STRV_INIT;
	FD_AUTO fd = open(work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s'", work);
	strv_add(&dirs, "");
	for (size_t i = 0; i < dirs.len; i++)
		list(fd, dirs.v[i], &dirs);
	return 0;
}
