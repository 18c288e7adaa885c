#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/num.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/proc.h"

/* Nobody gives a child more numbered descriptors than this. */
#define FDS_MAX 64

/*
 * What a child gets: by_number[n] is our copy of what becomes its n. Each copy
 * lies above every target, so that no dup2() hits a descriptor that is still needed.
 */
struct fd_map {
	int by_number[FDS_MAX];
	int top; /* highest target */
};
#define FD_MAP_AUTO __attribute__((cleanup(fd_map_release))) struct fd_map

static void fd_map_release(struct fd_map *m)
{
	for (size_t i = 0; i < FDS_MAX; i++)
		fd_close(&m->by_number[i]);
}

static int fd_map_fill(struct fd_map *m, const struct proc_spec *spec, struct error *err)
{
	m->top = 2;
	for (size_t i = 0; i < FDS_MAX; i++)
		m->by_number[i] = -1;
	for (size_t i = 0; i < spec->fds_len; i++) {
		if (spec->fds[i].to < 0 || spec->fds[i].to >= FDS_MAX)
			BUG("descriptor %d for a child", spec->fds[i].to);
		if (spec->fds[i].to > m->top)
			m->top = spec->fds[i].to;
	}
	for (size_t i = 0; i < spec->fds_len; i++) {
		int *slot = &m->by_number[spec->fds[i].to];

		if (*slot >= 0)
			BUG("descriptor %d for a child is given twice", spec->fds[i].to);
		*slot = fcntl(spec->fds[i].from, F_DUPFD_CLOEXEC, m->top + 1);
		if (*slot < 0)
			return error_sys(err, errno, "cannot pass descriptor %d",
					 spec->fds[i].from);
	}
	return 0;
}

/* posix_spawn() and friends return the errno value; 0 is success. */
static int add_actions(posix_spawn_file_actions_t *fa, const struct fd_map *m, const char *cwd)
{
	int rc = 0;

	for (int n = 0; n <= m->top && !rc; n++) {
		if (m->by_number[n] >= 0)
			rc = posix_spawn_file_actions_adddup2(fa, m->by_number[n], n);
		else if (n <= 2)
			rc = posix_spawn_file_actions_addopen(fa, n, "/dev/null",
							      n ? O_WRONLY : O_RDONLY, 0);
		else
			rc = posix_spawn_file_actions_addclose(fa, n);
	}
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(fa, m->top + 1);
	if (!rc && cwd)
		rc = posix_spawn_file_actions_addchdir_np(fa, cwd);
	return rc;
}

static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	rc = posix_spawnattr_setsigmask(attr, &none);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(attr, &all);
	if (!rc)
		rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return rc;
}

/* The prototypes of exec and posix_spawn lack a const for historical reasons only. */
static char *const *unconst(const char *const *v)
{
	return (char *const *)(uintptr_t)v;
}

static int spawn(const struct proc_spec *spec, const struct fd_map *map, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&fa);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = add_actions(&fa, map, spec->cwd);
		if (!rc)
			rc = set_signals(&attr);
		if (!rc)
			rc = posix_spawnp(pid, spec->path, &fa, &attr, unconst(spec->argv),
					  unconst(spec->envp));
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&fa);
	return rc;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Without a pidfd there is nothing to wait on. */
static void end_unwatched(pid_t pid)
{
	kill(pid, SIGTERM);
	for (int ms = 0; ms < PROC_END_MS; ms++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		(void)poll(NULL, 0, 1);
	}
	kill(pid, SIGKILL);
	reap(pid);
}

int proc_spawn(const struct proc_spec *spec, struct proc *out, struct error *err)
{
	FD_MAP_AUTO map;
	pid_t pid;
	int pidfd, rc;

	if (fd_map_fill(&map, spec, err) < 0)
		return -1;
	rc = spawn(spec, &map, &pid);
	if (rc) {
		error_sys(err, rc, "cannot start '%s'", spec->path);
		if (rc == ENOENT || rc == ENOTDIR)
			err->kind = ERR_NOTFOUND;
		return -1;
	}
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0) {
		error_sys(err, errno, "cannot watch '%s'", spec->path);
		end_unwatched(pid);
		return -1;
	}
	out->pid = pid;
	out->pidfd = pidfd;
	return 0;
}

/* Milliseconds for poll() until the deadline (of clock_mono_us); rounded up, -1 is for ever. */
static int poll_ms(uint64_t deadline_us)
{
	uint64_t now = clock_mono_us();
	uint64_t left;

	if (deadline_us == UINT64_MAX)
		return -1;
	left = now < deadline_us ? (deadline_us - now + 999) / 1000 : 0;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

static uint64_t deadline_after(uint64_t timeout_ms)
{
	uint64_t us;

	if (timeout_ms == UINT64_MAX || __builtin_mul_overflow(timeout_ms, 1000, &us) ||
	    __builtin_add_overflow(us, clock_mono_us(), &us))
		return UINT64_MAX;
	return us;
}

static int wait_until(struct proc *p, uint64_t deadline_us, int *status_out, struct error *err)
{
	struct pollfd pfd = { .fd = p->pidfd, .events = POLLIN };
	int status, n;

	do {
		n = poll(&pfd, 1, poll_ms(deadline_us));
		if (n < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot wait for process %d", (int)p->pid);
		if (n == 0 && poll_ms(deadline_us) == 0)
			return error_set(err, ERR_LIMIT, "process %d did not end in time",
					 (int)p->pid);
	} while (n <= 0);
	while (waitpid(p->pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_sys(err, errno, "cannot wait for process %d", (int)p->pid);
	fd_close(&p->pidfd);
	p->pid = -1;
	*status_out = status;
	return 0;
}

int proc_wait(struct proc *p, uint64_t timeout_ms, int *status_out, struct error *err)
{
	return wait_until(p, deadline_after(timeout_ms), status_out, err);
}

void proc_kill(struct proc *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		reap(p->pid);
	}
	fd_close(&p->pidfd);
	p->pid = -1;
}

void proc_end(struct proc *p)
{
	struct error ignored = ERROR_INIT;
	int status;

	if (p->pid > 0) {
		kill(p->pid, SIGTERM);
		(void)proc_wait(p, PROC_END_MS, &status, &ignored);
	}
	proc_kill(p);
}

/* One output of a child on its way into a buffer; fd -1 once it has ended. */
struct stream {
	int fd;
	struct buf *to;
	size_t left; /* bytes still allowed */
};

static int stream_read(struct stream *s, const char *path, struct error *err)
{
	ssize_t n;

	buf_grow(s->to, 65536);
	do
		n = read(s->fd, s->to->data + s->to->len, 65536);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_sys(err, errno, "cannot read the output of '%s'", path);
	if ((size_t)n > s->left)
		return error_set(err, ERR_LIMIT, "'%s' writes too much", path);
	if (n == 0)
		fd_close(&s->fd);
	s->left -= (size_t)n;
	s->to->len += (size_t)n;
	s->to->data[s->to->len] = '\0';
	return 0;
}

static int collect(struct stream s[2], const char *path, uint64_t deadline_us, struct error *err)
{
	while (s[0].fd >= 0 || s[1].fd >= 0) {
		struct pollfd pfd[2] = {
			{ .fd = s[0].fd, .events = POLLIN },
			{ .fd = s[1].fd, .events = POLLIN },
		};
		int n = poll(pfd, 2, poll_ms(deadline_us));

		if (n < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot read the output of '%s'", path);
		if (n == 0 && poll_ms(deadline_us) == 0)
			return error_set(err, ERR_LIMIT, "'%s' did not end in time", path);
		for (int i = 0; i < 2 && n > 0; i++)
			if (pfd[i].revents && stream_read(&s[i], path, err) < 0)
				return -1;
	}
	return 0;
}

/* Descriptors of one proc_run(): ours of the streams, the child's of all three. */
struct plumbing {
	struct stream streams[2];
	int child[3];
};
#define PLUMBING_AUTO __attribute__((cleanup(plumbing_release))) struct plumbing

static void plumbing_release(struct plumbing *pl)
{
	for (int i = 0; i < 2; i++)
		fd_close(&pl->streams[i].fd);
	for (int i = 0; i < 3; i++)
		fd_close(&pl->child[i]);
}

/*
 * The input is a sealed memory file: nothing to feed, nothing to deadlock on,
 * and no SIGPIPE where the child does not read it.
 */
static int plumb(struct plumbing *pl, const struct proc_capture *cap, struct error *err)
{
	struct buf *const to[2] = { cap->out, cap->errout };

	if (cap->in) {
		pl->child[0] = fd_sealed("input", cap->in, cap->in_len, err);
		if (pl->child[0] < 0)
			return -1;
	}
	for (int i = 0; i < 2; i++) {
		int pair[2];

		if (!to[i])
			continue;
		if (fd_pipe(pair, err) < 0)
			return -1;
		pl->streams[i] = (struct stream){ .fd = pair[0], .to = to[i], .left = cap->max };
		pl->child[i + 1] = pair[1];
	}
	return 0;
}

static int spawn_plumbed(const struct proc_spec *spec, struct plumbing *pl, struct proc *p,
			 struct error *err)
{
	struct proc_spec own = *spec;
	struct proc_fd *fds = xcalloc(size_add(spec->fds_len, 3), sizeof(*fds));
	int rc;

	own.fds = fds;
	for (size_t i = 0; i < spec->fds_len; i++)
		fds[i] = spec->fds[i];
	for (int i = 0; i < 3; i++) {
		if (pl->child[i] >= 0)
			fds[own.fds_len++] = (struct proc_fd){ .from = pl->child[i], .to = i };
	}
	rc = proc_spawn(&own, p, err);
	free(fds);
	for (int i = 0; i < 3; i++)
		fd_close(&pl->child[i]);
	return rc;
}

int proc_run(const struct proc_spec *spec, struct proc_capture *cap, int *status_out,
	     struct error *err)
{
	PLUMBING_AUTO pl = { .streams = { { .fd = -1 }, { .fd = -1 } }, .child = { -1, -1, -1 } };
	uint64_t deadline = deadline_after(cap->timeout_ms);
	struct proc p = PROC_INIT;

	if (plumb(&pl, cap, err) < 0 || spawn_plumbed(spec, &pl, &p, err) < 0)
		return -1;
	if (collect(pl.streams, spec->path, deadline, err) < 0 ||
	    wait_until(&p, deadline, status_out, err) < 0) {
		proc_end(&p);
		return -1;
	}
	return 0;
}
