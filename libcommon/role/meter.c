#include "base/base.h"

#include <fcntl.h>

#include "base/num.h"
#include "role/meter.h"

void meter_open(int cgroup, struct meter *out)
{
	*out = (struct meter)METER_INIT;
	if (cgroup < 0)
		return;
	out->events_fd = openat(cgroup, "memory.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	out->peak_fd = openat(cgroup, "memory.peak", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	/* Only a file that was read once tells of changes. */
	(void)meter_oom_kills(out);
}

/* The number after `key` ("" for a file that is nothing but one), or 0. */
static uint64_t read_number(int fd, const char *key)
{
	struct error ignored = ERROR_INIT;
	char text[1024];
	uint64_t n;
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return 0;
	text[len] = '\0';
	char *at = strstr(text, key);
	if (!at)
		return 0;
	at += strlen(key);
	at[strcspn(at, "\n")] = '\0';
	return num_u64(at, 0, UINT64_MAX, &n, &ignored) ? 0 : n;
}

uint64_t meter_oom_kills(const struct meter *m)
{
	return read_number(m->events_fd, "oom_kill ");
}

uint64_t meter_peak(const struct meter *m)
{
	return read_number(m->peak_fd, "");
}
