/*
 * fswatch: says which files of a whole file system are changed, by fanotify(7), so that a test can
 *show that nothing outside the places it allows was.
 *
 *	fswatch MOUNT READY ALLOWED...	until TERM; needs root
 *
 * Prints one line "EVENTS PATH" for each change (content, attributes, names made, removed or moved)
 *of something that does not lie below an ALLOWED directory, "lost" where the kernel dropped events,
 *"seen=N" at the end: changes of any place, so that a watch that saw nothing at all is found out.
 *READY is created once it watches.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EVENTS                                                                               \
	(FAN_MODIFY | FAN_ATTRIB | FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO | \
	 FAN_ONDIR)

static volatile sig_atomic_t stop;

static void on_term(int signo)
{
	(void)signo;
	stop = 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (path[len] == '/' || path[len] == '\0');
}

static int is_allowed(const char *path, char **allowed)
{
	for (; *allowed; allowed++)
		if (is_below(path, *allowed))
			return 1;
	return 0;
}

/* The directory of the event before, which is most often that of the next one, too; forgotten with
 * each batch. */
struct last {
	const struct file_handle *handle;
	char path[4096];
	ssize_t len;
};

static int same_handle(const struct file_handle *a, const struct file_handle *b)
{
	return a && a->handle_bytes == b->handle_bytes && a->handle_type == b->handle_type &&
	       !memcmp(a->f_handle, b->f_handle, a->handle_bytes);
}

static void find_dir(int mount, struct file_handle *handle, struct last *dir)
{
	char self[64];
	int fd;

	if (same_handle(dir->handle, handle))
		return;
	dir->handle = handle;
	dir->len = -1;
	fd = open_by_handle_at(mount, handle, O_PATH);
	if (fd < 0)
		return;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	dir->len = readlink(self, dir->path, sizeof(dir->path));
	close(fd);
}

/* The directory and name of an event; "" where it was gone before we looked. */
static void path_of(int mount, const struct fanotify_event_metadata *event, struct last *dir,
		    char *out, size_t size)
{
	const struct fanotify_event_info_fid *info = (const void *)(event + 1);
	struct file_handle *handle = (void *)(uintptr_t)info->handle;

	find_dir(mount, handle, dir);
	*out = '\0';
	if (dir->len >= 0)
		snprintf(out, size, "%.*s/%s", (int)dir->len, dir->path,
			 (const char *)handle->f_handle + handle->handle_bytes);
}

/* Number of events. */
static unsigned long take(int fan, int mount, char **allowed)
{
	static char bytes[1 << 18] __attribute__((aligned(8)));
	const struct fanotify_event_metadata *e = (const void *)bytes;
	ssize_t len = read(fan, bytes, sizeof(bytes));
	struct last dir = { .handle = NULL, .len = -1 };
	unsigned long n = 0;

	if (len < 0 && errno != EAGAIN && errno != EINTR)
		die("read");
	for (; len > 0 && FAN_EVENT_OK(e, len); e = FAN_EVENT_NEXT(e, len), n++) {
		char path[8192];

		if (e->mask & FAN_Q_OVERFLOW) {
			puts("lost");
			continue;
		}
		path_of(mount, e, &dir, path, sizeof(path));
		if (*path && !strstr(path, " (deleted)") && !is_allowed(path, allowed))
			printf("%llx %s\n", (unsigned long long)e->mask, path);
	}
	return n;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_term };
	unsigned long seen = 0;
	int fan, mount, ready;

	if (argc < 4)
		return 2;
	sigaction(SIGTERM, &act, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* never longer than the test */
	fan = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_DFID_NAME | FAN_UNLIMITED_QUEUE |
				    FAN_NONBLOCK | FAN_CLOEXEC,
			    O_RDONLY | O_CLOEXEC);
	mount = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fan < 0 || mount < 0 ||
	    fanotify_mark(fan, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, EVENTS, AT_FDCWD, argv[1]))
		die("fanotify");
	ready = open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	close(ready);
	while (!stop) {
		struct pollfd p = { .fd = fan, .events = POLLIN };

		if (poll(&p, 1, -1) > 0)
			seen += take(fan, mount, argv + 3);
	}
	for (unsigned long more; (more = take(fan, mount, argv + 3)) > 0;)
		seen += more;
	printf("seen=%lu\n", seen);
	return 0;
}
