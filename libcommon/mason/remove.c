#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/strv.h"
#include "mason/mason.h"
#include "sys/fd.h"
#include "sys/file.h"

/* A directory listing of names; dirfd stays open. */
static int list(int dirfd, struct strv *names, struct error *err)
{
	int copy = fd_dup(dirfd, err);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!d) {
		fd_close(&copy);
		return error_sys(err, errno, "cannot list a directory of the box");
	}
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strv_add(names, e->d_name);
	}
	closedir(d);
	return 0;
}

int mason_remove(const char *dir, struct error *err)
{
	STRV_AUTO names = STRV_INIT;
	FD_AUTO fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	/* The box may have taken its own top's bits away; the name is the host's. */
	if (fd < 0 && errno == EACCES && !chmod(dir, 0700))
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s'", dir);
	if (list(fd, &names, err))
		return -1;
	for (size_t i = 0; i < names.len; i++) {
		if (file_remove_tree(fd, names.v[i], err))
			return error_wrap(err, "cannot empty '%s'", dir);
	}
	return 0;
}
