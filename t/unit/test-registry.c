#include "base/base.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "box/session.h"
#include "box/session-file.h"
#include "sys/proc.h"
#include "sys/rand.h"
#include "t/unit/place.h"

#define LINE                                     \
	"{\"id\":\"" ID_A "\",\"label\":\"make " \
	"test\",\"monitor\":4711,\"monitor_start\":1,\"started_us\":1}"

/* A box directory with an empty session/. */
static int box_dir(const struct place *p)
{
	struct error err = ERROR_INIT;

	place_box(p, ID_A, ID_A, TIER_PROCESS);
	cr_assert_eq(file_mkdir(p->root.fd, "b/" ID_A "/session", 0700, &err), 0);
	return box_dir_open(&p->root, ID_A, &err);
}

static void put_session(int box_fd, const char *id, const char *text)
{
	struct error err = ERROR_INIT;
	BUF_AUTO path = BUF_INIT;

	buf_fmt(&path, "session/%s", id);
	cr_assert_eq(file_create(box_fd, path.data, place_text(text), &err), 0, "%s", err.msg);
}

static int hold(int box_fd, const char *id)
{
	BUF_AUTO path = BUF_INIT;
	int fd;

	buf_fmt(&path, "session/%s", id);
	fd = openat(box_fd, path.data, O_RDWR | O_CLOEXEC);
	cr_assert_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	return fd;
}

static size_t live_count(int box_fd)
{
	struct session_list live = SESSION_LIST_INIT;
	struct error err = ERROR_INIT;
	size_t len;

	cr_assert_eq(session_list(box_fd, &live, &err), 0, "%s", err.msg);
	len = live.len;
	session_list_release(&live);
	return len;
}

Test(registry, line_comes_back)
{
	struct session_info s, again;
	struct error err = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	cr_assert_eq(session_info_parse(LINE, strlen(LINE), &s, &err), 0, "%s", err.msg);
	cr_expect_eq(s.monitor, 4711);
	session_info_text(&s, &text);
	cr_expect_str_eq(text.data, LINE);
	cr_assert_eq(session_info_parse(text.data, text.len, &again, &err), 0);
	cr_expect_str_eq(again.label.data, "make test");
	buf_release(&s.label);
	buf_release(&again.label);
}

Test(registry, a_monitor_that_is_no_process_is_refused)
{
	static const char *const monitors[] = { "0",	      "1",	  "-1",	   "-4711",
						"2147483648", "\"4711\"", "4711.5" };

	for (size_t i = 0; i < ARRAY_SIZE(monitors); i++) {
		struct error err = ERROR_INIT;
		BUF_AUTO text = BUF_INIT;
		struct session_info s;

		buf_fmt(&text,
			"{\"id\":\"" ID_A "\",\"label\":\"x\",\"monitor\":%s,\"monitor_start\":1,"
			"\"started_us\":1}",
			monitors[i]);
		cr_expect_eq(session_info_parse(text.data, text.len, &s, &err), -1, "%s",
			     monitors[i]);
	}
}

Test(registry, the_lock_is_what_counts)
{
	struct place p = place_make();
	FD_AUTO fd = box_dir(&p);

	put_session(fd, ID_A, LINE);
	int held = hold(fd, ID_A);
	cr_expect_eq(live_count(fd), 1);
	fd_close(&held);
	cr_expect_eq(live_count(fd), 0);
	cr_expect_not(file_exists(fd, "session/" ID_A), "a stale entry was left");
	place_end(&p);
}

Test(registry, a_torn_line_hides_nothing)
{
	struct session_list live = SESSION_LIST_INIT;
	struct place p = place_make();
	struct error err = ERROR_INIT;
	FD_AUTO fd = box_dir(&p);

	put_session(fd, ID_A, "{\"id\":\"" ID_A "\",\"mon");
	FD_AUTO held = hold(fd, ID_A);
	cr_assert_eq(session_list(fd, &live, &err), 0);
	cr_expect_eq(live.len, 1);
	cr_expect_eq(live.v[0].monitor, 0);
	session_list_release(&live);
	place_end(&p);
}

Test(registry, a_line_about_another_session_is_not_believed)
{
	struct session_list live = SESSION_LIST_INIT;
	struct place p = place_make();
	struct error err = ERROR_INIT;
	FD_AUTO fd = box_dir(&p);

	put_session(fd, ID_B, LINE);
	FD_AUTO held = hold(fd, ID_B);
	cr_assert_eq(session_list(fd, &live, &err), 0);
	cr_assert_eq(live.len, 1);
	cr_expect_str_eq(live.v[0].id, ID_B);
	cr_expect_eq(live.v[0].monitor, 0);
	session_list_release(&live);
	place_end(&p);
}

Test(registry, one_that_is_just_starting_is_left)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct place p = place_make();
	FD_AUTO fd = box_dir(&p);

	put_session(fd, ID_A, "");
	cr_expect_eq(live_count(fd), 0);
	cr_expect(file_exists(fd, "session/" ID_A));
	cr_assert_eq(utimensat(fd, "session/" ID_A, old, 0), 0);
	cr_expect_eq(live_count(fd), 0);
	cr_expect_not(file_exists(fd, "session/" ID_A));
	place_end(&p);
}

Test(registry, foreign_files_are_no_sessions)
{
	struct place p = place_make();
	FD_AUTO fd = box_dir(&p);

	put_session(fd, "README", LINE);
	cr_assert_eq(symlinkat("/etc/passwd", fd, "session/" ID_B), 0);
	FD_AUTO held = hold(fd, "README");
	cr_expect_eq(live_count(fd), 0);
	cr_expect(file_exists(fd, "session/README"));
	place_end(&p);
}

/* A child that holds a registered session until it is asked to end. */
static pid_t start_holder(int box_fd, bool stubborn)
{
	struct session_file f = SESSION_FILE_INIT;
	struct error err = ERROR_INIT;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	pid_t pid;

	rand_hex(f.name, sizeof(f.name) - 1);
	cr_assert_eq(session_file_open(&f, box_fd, &err), 0, "%s", err.msg);
	/* Before the fork, so that the child is stubborn from its first moment. */
	sigaction(SIGTERM, stubborn ? &ignore : NULL, &before);
	pid = fork();
	while (pid == 0)
		pause();
	sigaction(SIGTERM, &before, NULL);
	cr_assert_eq(session_file_write(&f, pid, "make test", &err), 0, "%s", err.msg);
	/* The child has the lock too: dropping ours must not end it. */
	close(f.fd);
	close(f.dir_fd);
	return pid;
}

Test(registry, stop_all_ends_what_lives)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	FD_AUTO fd = box_dir(&p);
	pid_t pid = start_holder(fd, false);
	size_t stopped = 0;
	int status;

	cr_expect_eq(live_count(fd), 1);
	cr_expect_eq(session_stop_all(fd, 5000, &stopped, &err), 0, "%s", err.msg);
	cr_expect_eq(stopped, 1);
	cr_expect_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	place_end(&p);
}

Test(registry, stop_all_tells_what_does_not_end)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	FD_AUTO fd = box_dir(&p);
	pid_t pid = start_holder(fd, true);

	cr_expect_eq(session_stop_all(fd, 200, NULL, &err), -1);
	cr_expect_eq(err.kind, ERR_BUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	place_end(&p);
}

/* A process that took over the number of a monitor is not the monitor. */
Test(registry, a_recycled_pid_is_not_signalled)
{
	struct place p = place_make();
	struct error err = ERROR_INIT;
	BUF_AUTO line = BUF_INIT;
	FD_AUTO fd = box_dir(&p);
	pid_t innocent = fork();
	int status;

	if (innocent == 0) {
		for (;;)
			pause();
	}
	buf_fmt(&line,
		"{\"id\":\"" ID_A "\",\"label\":\"x\",\"monitor\":%d,\"monitor_start\":1,\"started_"
		"us\":1}",
		(int)innocent);
	put_session(fd, ID_A, line.data);
	FD_AUTO held = hold(fd, ID_A);
	cr_expect_eq(session_stop_all(fd, 100, NULL, &err), -1);
	cr_expect_eq(waitpid(innocent, &status, WNOHANG), 0, "it was signalled");
	kill(innocent, SIGKILL);
	waitpid(innocent, NULL, 0);
	place_end(&p);
}
