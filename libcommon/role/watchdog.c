#include "base/base.h"

#include <fcntl.h>

#include "role/watchdog.h"
#include "sys/fd.h"

#define PROCESSES_MAX 4096

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

/* Appends the children of pid to the queue. */
static size_t add_children(int proc_fd, pid_t pid, pid_t *queue, size_t len)
{
	char path[64], text[16384];
	const char *at = text;
	uint64_t child;

	(void)snprintf(path, sizeof(path), "%d/task/%d/children", (int)pid, (int)pid);
	if (!read_small(proc_fd, path, text, sizeof(text)))
		return len;
	while (len < PROCESSES_MAX && next_number(&at, &child))
		queue[len++] = (pid_t)child;
	return len;
}

uint64_t watchdog_resident(int proc_fd, pid_t pid)
{
	pid_t queue[PROCESSES_MAX];
	size_t len = 0;
	uint64_t sum = 0;

	len = add_children(proc_fd, pid, queue, len);
	for (size_t i = 0; i < len; i++) {
		sum += resident(proc_fd, queue[i]);
		len = add_children(proc_fd, queue[i], queue, len);
	}
	return sum;
}
