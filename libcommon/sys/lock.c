#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "sys/fd.h"
#include "sys/lock.h"

/* flock() cannot wait with a deadline without a signal, so it is asked again and again. */
#define PAUSE_FIRST_US 500
#define PAUSE_MAX_US 20000

static int operation(enum lock_mode mode)
{
	return (mode == LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB;
}

/* 1: locked; 0: somebody holds it; -1: error. */
static int try_lock(int fd, enum lock_mode mode, const char *name, struct error *err)
{
	while (flock(fd, operation(mode)) < 0) {
		if (errno == EWOULDBLOCK)
			return 0;
		if (errno != EINTR)
			return error_sys(err, errno, "cannot lock '%s'", name);
	}
	return 1;
}

/* A lock on a file that has lost its name excludes nobody who comes later. */
static bool still_named(int dirfd, const char *name, int fd)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* 1 with *out owned by the caller, 0: busy, -1: error. */
static int open_and_try(int dirfd, const char *name, enum lock_mode mode, int *out,
			struct error *err)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	FD_AUTO fd = openat(dirfd, name, flags, 0600);
	int got;

	if (fd < 0)
		return error_sys(err, errno, "cannot open lock '%s'", name);
	got = try_lock(fd, mode, name, err);
	if (got <= 0)
		return got;
	if (!still_named(dirfd, name, fd))
		return 0;
	*out = fd_take(&fd);
	return 1;
}

int lock_acquire(int dirfd, const char *name, enum lock_mode mode, uint64_t wait_ms,
		 struct error *err)
{
	uint64_t start = clock_mono_us();
	unsigned int pause = PAUSE_FIRST_US;
	int fd = -1;

	for (;;) {
		int got = open_and_try(dirfd, name, mode, &fd, err);

		if (got != 0)
			return got > 0 ? fd : -1;
		if ((clock_mono_us() - start) / 1000 >= wait_ms)
			return error_set(err, ERR_BUSY, "'%s' is locked by another process", name);
		usleep(pause);
		pause = 2 * pause < PAUSE_MAX_US ? 2 * pause : PAUSE_MAX_US;
	}
}

bool lock_is_held(int dirfd, const char *name, enum lock_mode mode)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && try_lock(fd, mode, name, &ignored) == 0;
}
