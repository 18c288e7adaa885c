#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>

#include "role/watchdog.h"
#include "sys/fd.h"

#define PROCESSES_MAX 4096

struct queue {
	pid_t pids[PROCESSES_MAX];
	size_t len;
};

/* The kernel's own text: decimal numbers separated by blanks. Moves *at; false at the end. */
static bool next_number(const char **at, uint64_t *out)
{
	const char *p = *at;
	uint64_t n = 0;

	while (*p == ' ' || *p == '\n')
		p++;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (uint64_t)(*p - '0');
	*at = p;
	*out = n;
	return true;
}

static size_t read_small(int proc_fd, const char *path, char *dst, size_t size)
{
	FD_AUTO fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, dst, size - 1);
	size_t len = n > 0 ? (size_t)n : 0;
	dst[len] = '\0';
	return len;
}

static uint64_t resident(int proc_fd, pid_t pid)
{
	char path[64], text[128];
	const char *at = text;
	uint64_t size, pages;

	(void)snprintf(path, sizeof(path), "%d/statm", (int)pid);
	if (!read_small(proc_fd, path, text, sizeof(text)))
		return 0;
	if (!next_number(&at, &size) || !next_number(&at, &pages))
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Appends what one thread forked. */
static void add_forked(int task_fd, const char *tid, struct queue *q)
{
	char path[32], text[16384];
	const char *at = text;
	uint64_t child;

	(void)snprintf(path, sizeof(path), "%s/children", tid);
	if (!read_small(task_fd, path, text, sizeof(text)))
		return;
	while (q->len < PROCESSES_MAX && next_number(&at, &child))
		q->pids[q->len++] = (pid_t)child;
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The kernel keeps children by the thread that forked them: leaving one thread out would be a way
 * to hide. */
static void add_children(int proc_fd, pid_t pid, struct queue *q)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "%d/task", (int)pid);
	FD_AUTO fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir __attribute__((cleanup(close_dir))) = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir)
		return;
	fd_take(&fd);
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		if (e->d_name[0] != '.')
			add_forked(dirfd(dir), e->d_name, q);
}

uint64_t watchdog_resident(int proc_fd, pid_t pid)
{
	struct queue q = { .len = 0 };
	uint64_t sum = 0;

	add_children(proc_fd, pid, &q);
	for (size_t i = 0; i < q.len; i++) {
		sum += resident(proc_fd, q.pids[i]);
		add_children(proc_fd, q.pids[i], &q);
	}
	return sum;
}
