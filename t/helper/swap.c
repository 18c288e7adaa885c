/*
 * swap: what an agent would do against whoever walks its files: directories and files change places
 *with symlinks that lead out, all the time.
 *
 *	swap DIR OUTSIDE READY	until TERM; prints "swaps=N" then
 *
 * In DIR it makes real/ (with a file), bait -> OUTSIDE, file and filebait -> OUTSIDE/secret, and
 *exchanges them by renameat2(RENAME_EXCHANGE). READY is created once it runs.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

/* Both names exist all the time; only what they mean changes. */
static int exchange(const char *a, const char *b)
{
	return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

static void prepare(const char *outside)
{
	char secret[4096];

	snprintf(secret, sizeof(secret), "%s/secret", outside);
	if (mkdir("real", 0755) || mkdir("real/deep", 0755) || symlink(outside, "bait") ||
	    symlink(secret, "filebait"))
		die("prepare");
	put("real/secret", "harmless\n");
	put("real/deep/secret", "harmless\n");
	put("file", "harmless\n");
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_term };
	unsigned long swaps = 0;

	if (argc != 4)
		return 2;
	sigaction(SIGTERM, &act, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* never longer than the test */
	sigaction(SIGALRM, &act, NULL);
	if (chdir(argv[1]))
		die(argv[1]);
	prepare(argv[2]);
	put(argv[3], "ready\n");
	while (!stop) {
		if (!exchange("real", "bait"))
			swaps++;
		if (!exchange("file", "filebait"))
			swaps++;
	}
	printf("swaps=%lu\n", swaps);
	return 0;
}
