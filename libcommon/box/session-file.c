#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/clock.h"
#include "box/session-file.h"
#include "box/session.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/proc.h"

int session_file_open(struct session_file *f, int box_fd, struct error *err)
{
	if (box_fd < 0)
		return 0;
	if (file_mkdir_p(box_fd, "session", 0700, err))
		return -1;
	f->dir_fd = file_open_beneath(box_fd, "session", O_RDONLY | O_DIRECTORY, 0, err);
	if (f->dir_fd < 0)
		return -1;
	f->fd = openat(f->dir_fd, f->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0600);
	if (f->fd < 0 || flock(f->fd, LOCK_EX))
		return error_sys(err, errno, "cannot register the command");
	return 0;
}

int session_file_write(struct session_file *f, pid_t monitor, const char *label, struct error *err)
{
	BUF_AUTO text = BUF_INIT;
	struct session_info info = { .monitor = monitor,
				     .started_us = clock_now_us(),
				     .label = BUF_INIT };

	if (f->fd < 0)
		return 0;
	memcpy(info.id, f->name, sizeof(info.id));
	if (proc_start_time(monitor, &info.monitor_start, err))
		return -1;
	buf_str(&info.label, label);
	session_info_text(&info, &text);
	buf_release(&info.label);
	return fd_write_full(f->fd, text.data, text.len, err);
}

void session_file_close(struct session_file *f)
{
	if (f->fd >= 0)
		(void)unlinkat(f->dir_fd, f->name, 0);
	fd_close(&f->fd);
	fd_close(&f->dir_fd);
}
