#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/num.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/proc.h"

/* Place of the start time among the fields after the command's name; proc(5) calls it 22. */
#define START_TIME_FIELD 20

int proc_start_time(pid_t pid, uint64_t *out, struct error *err)
{
	struct error why = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;
	char path[64];
	char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	/* A process that ends between open and read gives ESRCH. */
	if (file_read(AT_FDCWD, path, 4096, &text, &why) < 0) {
		if (why.sys == ENOENT || why.sys == ESRCH)
			return error_set(err, ERR_NOTFOUND, "there is no process %d", (int)pid);
		*err = why;
		return -1;
	}
	/* The name is the process's own choice and may hold blanks and parentheses. */
	p = strrchr(text.data, ')');
	for (int i = 0; p && i < START_TIME_FIELD; i++)
		p = strchr(p + 1, ' ');
	if (!p)
		return error_set(err, ERR_CORRUPT, "'%s' is too short", path);
	p++;
	p[strcspn(p, " ")] = '\0';
	if (num_u64(p, 0, UINT64_MAX, out, &why) < 0)
		return error_set(err, ERR_CORRUPT, "'%s': %s", path, why.msg);
	return 0;
}

int proc_open(pid_t pid, uint64_t start_time, struct error *err)
{
	FD_AUTO fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct error why = ERROR_INIT;
	uint64_t started = 0;

	/* Opened first, asked then: the descriptor cannot come to mean another process. */
	if (fd < 0 || proc_start_time(pid, &started, &why) < 0 || started != start_time)
		return error_set(err, ERR_NOTFOUND, "process %d has ended", (int)pid);
	return fd_take(&fd);
}
