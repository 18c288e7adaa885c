#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/inside.h"
#include "sandbox/payload.h"
#include "sandbox/poison.h"

static NORETURN void report(int fd, enum command_end end, int err)
{
	struct command_failure f = { .end = end, .sys = err };

	if (write(fd, &f, sizeof(f)) < 0)
		_exit(1);
	_exit(127);
}

static const struct payload *map_payload(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	if (st.st_size < (off_t)sizeof(struct payload) || st.st_size > (off_t)PAYLOAD_SIZE_MAX) {
		errno = E2BIG;
		return NULL;
	}
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!payload_check(p, (size_t)st.st_size)) {
		errno = EINVAL;
		return NULL;
	}
	return p;
}

/* Pointers to n consecutive strings from *at, which moves past them; NULL-terminated. */
static const char **pointers(const char **at, uint32_t n)
{
	size_t size = ((size_t)n + 1) * sizeof(char *);
	const char **v = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);

	if (v == MAP_FAILED)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		v[i] = *at;
		*at += strlen(*at) + 1;
	}
	return v;
}

/*
 * As execvp: tries each candidate; EACCES is remembered, since a later one may
 * work. A script without "#!" is left to the caller's shell: ENOEXEC.
 */
static int try_candidates(const char *const *paths, const char **argv, const char **envp)
{
	int err = ENOENT;

	for (; *paths; paths++) {
		execve(*paths, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
		if (errno == EACCES)
			err = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR)
			return errno;
	}
	return err;
}

static int take_stdio(const int stdio[3])
{
	for (int i = 0; i < 3; i++)
		if (dup2(stdio[i], i) < 0)
			return -1;
	return 0;
}

void inside_command(const struct plan *p, int payload_fd, const int stdio[3], int report_fd)
{
	sigset_t none;
	const struct payload *load = map_payload(payload_fd);

	if (!load)
		report(report_fd, COMMAND_CANNOT_EXEC, errno);
	const char *at = (const char *)(load + 1);
	const char **argv = pointers(&at, load->argc);
	const char **envp = pointers(&at, load->envc);
	const char **paths = pointers(&at, load->paths);
	if (!argv || !envp || !paths)
		report(report_fd, COMMAND_CANNOT_EXEC, errno);

	setsid();
	umask(022);
	if (take_stdio(stdio))
		report(report_fd, COMMAND_CANNOT_EXEC, errno);
	/* The report pipe is close-on-exec like everything else above 2. */
	if (chdir(load->cwd ? at : plan_str(p, p->cwd)))
		report(report_fd, COMMAND_CANNOT_ENTER, errno);
	/* Dispositions are the defaults: the monitor was started with them and sets none. */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	report(report_fd, COMMAND_CANNOT_EXEC, try_candidates(paths, argv, envp));
}
