/* watchdog: memory of all descendants, however they were forked. */
#include "base/base.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "role/watchdog.h"
#include "sys/fd.h"
#include "t/unit/scratch.h"

#define BLOCK (32u << 20)

/* Who forks the process that holds the memory. */
enum shape { SELF, CHILD, GRANDCHILD, THREAD, THREAD_OF_CHILD };

struct job {
	enum shape shape;
	int ready; /* one byte once the memory is there */
};

/* Holds BLOCK resident bytes of its own until it is killed. */
__attribute__((noreturn)) static void hold(int ready)
{
	void *p = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	memset(p, 1, BLOCK);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void *fork_and_hold(void *arg)
{
	const struct job *job = arg;

	if (fork() == 0)
		hold(job->ready);
	for (;;)
		pause();
}

/* The process whose descendants are looked at. */
__attribute__((noreturn)) static void root(struct job *job)
{
	pthread_t thread;

	if (job->shape == SELF)
		hold(job->ready);
	if ((job->shape == GRANDCHILD || job->shape == THREAD_OF_CHILD) && fork())
		for (;;)
			pause();
	if (job->shape == THREAD || job->shape == THREAD_OF_CHILD) {
		if (pthread_create(&thread, NULL, fork_and_hold, job))
			_exit(1);
	} else if (fork() == 0) {
		hold(job->ready);
	}
	for (;;)
		pause();
}

/* Bytes that the watchdog sees below a root of that shape. */
static uint64_t measure(enum shape shape)
{
	FD_AUTO proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct error err = ERROR_INIT;
	struct job job = { .shape = shape };
	int ready[2];
	char byte;

	cr_assert_eq(fd_pipe(ready, &err), 0);
	job.ready = ready[1];
	pid_t pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		/* A group of its own, so that all of it can be ended. */
		setpgid(0, 0);
		root(&job);
	}
	setpgid(pid, pid);
	close(ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 1, "shape %d never got its memory", (int)shape);
	uint64_t seen = watchdog_resident(proc, pid);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	return seen;
}

Test(watchdog, sees_every_descendant)
{
	static const struct {
		enum shape shape;
		bool seen;
	} rows[] = {
		{ SELF, false }, /* init itself is ours */
		{ CHILD, true },
		{ GRANDCHILD, true },
		{ THREAD, true },
		{ THREAD_OF_CHILD, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t seen = measure(rows[i].shape);

		cr_expect_eq(seen >= BLOCK, rows[i].seen, "shape %d: %ju bytes", (int)rows[i].shape,
			     (uintmax_t)seen);
	}
}

Test(watchdog, nobody_is_zero)
{
	FD_AUTO proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	cr_expect_eq(watchdog_resident(proc, pid), 0, "a process that is gone");
	cr_expect_eq(watchdog_resident(proc, -1), 0);
	cr_expect_eq(watchdog_resident(-1, 1), 0, "no /proc at all");
}

/* The kernel's text, as it would never be: what cannot be read counts nothing and stops nothing. */
Test(watchdog, strange_text)
{
	static const struct {
		const char *children, *statm;
		uint64_t pages;
	} rows[] = {
		{ "7 ", "100 5 1 1 0 1 0\n", 5 },
		{ "7 7 ", "100 5", 10 },
		{ "", "100 5", 0 },
		{ "7", "", 0 },
		{ "7", "100", 0 },
		{ "7", "x 5", 0 },
		{ "7", "100 -5", 0 },
		{ "-7", "100 5", 0 },
		{ "x 7", "100 5", 0 },
		{ "8 7", "100 5", 5 }, /* 8 is gone already */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		SCRATCH_AUTO s = scratch_make();
		struct error err = ERROR_INIT;

		cr_assert_eq(file_mkdir_p(s.fd, "1/task/1", 0700, &err), 0, "%s", err.msg);
		cr_assert_eq(file_mkdir_p(s.fd, "7", 0700, &err), 0, "%s", err.msg);
		scratch_put(&s, "1/task/1/children", rows[i].children);
		scratch_put(&s, "7/statm", rows[i].statm);
		cr_expect_eq(watchdog_resident(s.fd, 1),
			     rows[i].pages * (uint64_t)sysconf(_SC_PAGESIZE), "row %zu", i);
	}
}
