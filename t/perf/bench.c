/*
 * bench: times commands in one run, in rotated order, so that drift of the
 * machine spreads over all rows alike and ratios stay meaningful.
 *
 *	bench ROUNDS <rows >samples
 *
 * A row is one line: name TAB directory TAB argv[0] TAB argv[1] ... "%n" within
 * a word becomes the number of the round, so that a row may make something new
 * each time. Round r starts at row r mod rows. Output: name TAB microseconds,
 * one line per measurement, in the order measured; round 0 warms up and is not
 * printed. Standard streams of the commands are /dev/null (stderr stays).
 * A command that fails ends the whole run with exit 1: a quick failure would
 * look like a good time.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROWS_MAX 32
#define WORDS_MAX 64
#define WORD_SIZE 1024

struct row {
	char *line;
	const char *name;
	const char *dir;
	const char *words[WORDS_MAX + 1];
};

/* Splits row->line in place. Returns 0, or -1 where it has too few or too many fields. */
static int row_parse(struct row *row)
{
	char *rest = row->line;
	size_t fields = 0;

	row->line[strcspn(row->line, "\n")] = '\0';
	while (rest != NULL) {
		char *field = strsep(&rest, "\t");

		if (fields == 0)
			row->name = field;
		else if (fields == 1)
			row->dir = field;
		else if (fields < WORDS_MAX + 2)
			row->words[fields - 2] = field;
		else
			return -1;
		fields++;
	}
	return fields >= 3 ? 0 : -1;
}

/* Copies word to out (WORD_SIZE bytes) with "%n" replaced. Returns 0, or -1 where it does not fit.
 */
static int expand(const char *word, unsigned round, char *out)
{
	const char *mark = strstr(word, "%n");
	int len;

	if (mark == NULL)
		len = snprintf(out, WORD_SIZE, "%s", word);
	else
		len = snprintf(out, WORD_SIZE, "%.*s%u%s", (int)(mark - word), word, round,
			       mark + 2);
	return len < WORD_SIZE ? 0 : -1;
}

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* Runs argv with null streams. Returns microseconds from spawn to reaped, or -1. */
static double spawn_timed(char *const argv[])
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	double start, end;
	pid_t pid;
	int status, rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	start = now_us();
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (rc == 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	end = now_us();
	posix_spawn_file_actions_destroy(&actions);
	if (rc != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return -1;
	return end - start;
}

static double row_run(const struct row *row, unsigned round)
{
	static const char too_long[] = "a word is too long";
	char words[WORDS_MAX][WORD_SIZE];
	char *argv[WORDS_MAX + 1] = { NULL };
	double us = -1;

	for (size_t i = 0; row->words[i] != NULL; i++) {
		if (expand(row->words[i], round, words[i]) < 0) {
			fprintf(stderr, "bench: %s: %s\n", row->name, too_long);
			return -1;
		}
		argv[i] = words[i];
	}
	if (chdir(row->dir) == 0)
		us = spawn_timed(argv);
	if (us < 0)
		fprintf(stderr, "bench: %s failed in round %u\n", row->name, round);
	return us;
}

/* Reads the rows of standard input. Returns their number, or 0. */
static size_t rows_read(struct row rows[static ROWS_MAX])
{
	size_t n = 0, size = 0;

	while (n < ROWS_MAX && getline(&rows[n].line, &size, stdin) > 0) {
		if (row_parse(&rows[n]) < 0) {
			fprintf(stderr, "bench: bad row %zu\n", n + 1);
			return 0;
		}
		size = 0;
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct row rows[ROWS_MAX] = { 0 };
	unsigned long rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	size_t n = rows_read(rows);

	if (rounds == 0 || n == 0) {
		fprintf(stderr, "usage: bench ROUNDS <rows\n");
		return 2;
	}
	for (unsigned round = 0; round <= rounds; round++) {
		for (size_t i = 0; i < n; i++) {
			const struct row *row = &rows[(i + round) % n];
			double us = row_run(row, round);

			if (us < 0)
				return 1;
			if (round > 0)
				printf("%s\t%.1f\n", row->name, us);
		}
	}
	for (size_t i = 0; i < n; i++)
		free(rows[i].line);
	return fflush(stdout) == 0 ? 0 : 1;
}
