#include "base/base.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/trace.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "wire/json.h"

static const char *const argv[] = { "git-box", "run",      "-eTOKEN=hush",    "--env=A=hush",
				    "B=hush",  "--cwd=ok", "new\nline\xFF\"", NULL };

struct scene {
	char dir[32];
	struct buf file;
};

static void scene_open(struct scene *s, const char *variable)
{
	snprintf(s->dir, sizeof(s->dir), "/tmp/box-trace.XXXXXX");
	cr_assert_not_null(mkdtemp(s->dir));
	s->file = (struct buf)BUF_INIT;
	buf_fmt(&s->file, "%s/trace", s->dir);
	unsetenv("GIT_TRACE2");
	unsetenv("GIT_TRACE2_PERF");
	unsetenv("GIT_TRACE2_EVENT");
	unsetenv("GIT_TRACE2_PARENT_SID");
	setenv(variable, s->file.data, 1);
}

static void scene_read(struct scene *s, struct buf *out)
{
	struct error err = ERROR_INIT;

	cr_assert_eq(file_read(AT_FDCWD, s->file.data, 1 << 20, out, &err), 0, "%s", err.msg);
	cr_assert_eq(file_remove_tree(AT_FDCWD, s->dir, &err), 0, "%s", err.msg);
	buf_release(&s->file);
}

static void play(void)
{
	struct trace *t = trace_open("git-box", "1.2.3", argv);
	int child;

	cr_assert_not_null(t);
	trace_cmd_name(t, "run");
	trace_region_enter(t, "box", "create");
	trace_region_enter(t, "box", "checkout");
	child = trace_child_start(t, "git", (const char *const[]){ "git", "x", NULL });
	trace_child_exit(t, child, 42, 3);
	trace_region_leave(t, "box", "checkout");
	trace_region_leave(t, "box", "create");
	trace_error(t, "it \"broke\"");
	trace_close(t, 3);
}

static json_t *next_line(const char **at)
{
	struct error err = ERROR_INIT;
	size_t len = strcspn(*at, "\n");
	json_t *event = json_parse(*at, len, 1 << 16, &err);

	cr_assert_not_null(event, "%s: %.*s", err.msg, (int)len, *at);
	*at += len + 1;
	return event;
}

static const char *text_of(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return text ? text : "";
}

static json_int_t number_of(const json_t *event, const char *key)
{
	return json_integer_value(json_object_get(event, key));
}

Test(trace, event_format)
{
	static const char *const order[] = { "version",      "start",        "cmd_name",
					     "region_enter", "region_enter", "child_start",
					     "child_exit",   "region_leave", "region_leave",
					     "error",        "exit",         "atexit" };
	json_t *events[ARRAY_SIZE(order)];
	BUF_AUTO text = BUF_INIT;
	struct scene s;
	const char *at;

	scene_open(&s, "GIT_TRACE2_EVENT");
	setenv("GIT_TRACE2_PARENT_SID", "20200101T000000.000000Z-H1-P1", 1);
	play();
	scene_read(&s, &text);
	at = text.data;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		events[i] = next_line(&at);
		cr_expect_str_eq(text_of(events[i], "event"), order[i]);
		cr_expect_str_eq(text_of(events[i], "thread"), "main");
		cr_expect_eq(strlen(text_of(events[i], "time")), 27);
		cr_expect_eq(
			strncmp(text_of(events[i], "sid"), "20200101T000000.000000Z-H1-P1/2", 31),
			0);
	}
	cr_assert_str_eq(at, "");
	cr_expect_str_eq(text_of(events[0], "evt"), "3");
	cr_expect_str_eq(text_of(events[2], "hierarchy"), "git-box/run");
	cr_expect_eq(number_of(events[4], "nesting"), 2);
	cr_expect_eq(number_of(events[6], "pid"), 42);
	cr_expect(json_is_real(json_object_get(events[6], "t_rel")));
	cr_expect_str_eq(text_of(events[7], "label"), "checkout");
	cr_expect_eq(number_of(events[8], "nesting"), 1);
	cr_expect_str_eq(text_of(events[9], "msg"), "it \"broke\"");
	cr_expect_eq(number_of(events[10], "code"), 3);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		json_decref(events[i]);
}

Test(trace, values_of_variables_are_left_out)
{
	static const char *const formats[] = { "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF",
					       "GIT_TRACE2" };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		BUF_AUTO text = BUF_INIT;
		struct scene s;

		scene_open(&s, formats[i]);
		play();
		scene_read(&s, &text);
		cr_expect_null(strstr(text.data, "hush"), "%s", formats[i]);
		cr_expect(strstr(text.data, "TOKEN=<redacted>"), "%s", formats[i]);
		cr_expect(strstr(text.data, "--cwd=ok"), "%s", formats[i]);
	}
}

Test(trace, normal_and_perf_formats)
{
	BUF_AUTO normal = BUF_INIT;
	BUF_AUTO perf = BUF_INIT;
	struct scene s;

	scene_open(&s, "GIT_TRACE2");
	play();
	scene_read(&s, &normal);
	cr_expect(strstr(normal.data, " version 1.2.3\n"));
	cr_expect(strstr(normal.data, " cmd_name run (git-box/run)\n"));
	cr_expect(strstr(normal.data, " child_exit[0] pid:42 code:3 elapsed:0."));
	cr_expect_null(strstr(normal.data, "region"));
	scene_open(&s, "GIT_TRACE2_PERF");
	play();
	scene_read(&s, &perf);
	cr_expect(strstr(perf.data, "| d0 | main                     | region_enter |     |"));
	cr_expect(strstr(perf.data, "| box          | ..label:checkout\n"));
	cr_expect(strstr(perf.data, "| [ch0] pid:42 code:3\n"));
}

Test(trace, directory_gets_a_file)
{
	struct error err = ERROR_INIT;
	struct scene s;

	scene_open(&s, "GIT_TRACE2_EVENT");
	cr_assert_eq(file_mkdir(AT_FDCWD, s.file.data, 0700, &err), 0);
	play();
	cr_assert_neq(rmdir(s.file.data), 0, "nothing was written");
	cr_assert_eq(file_remove_tree(AT_FDCWD, s.dir, &err), 0);
	buf_release(&s.file);
}

Test(trace, off)
{
	static const char *const values[] = {
		"", "0", "false", "relative", "af_unix:/nowhere", "9", "12", "/nonexistent/dir/file"
	};

	unsetenv("GIT_TRACE2_PERF");
	unsetenv("GIT_TRACE2");
	unsetenv("GIT_TRACE2_EVENT");
	cr_assert_null(trace_open("git-box", "1", argv));
	trace_region_enter(NULL, "a", "b");
	trace_region_leave(NULL, "a", "b");
	trace_child_exit(NULL, trace_child_start(NULL, "git", argv), 1, 0);
	trace_error(NULL, "x");
	trace_close(NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		setenv("GIT_TRACE2_EVENT", values[i], 1);
		cr_expect_null(trace_open("git-box", "1", argv), "%s", values[i]);
	}
}
