#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/utf8.h"
#include "cli/msg.h"
#include "cli/trace.h"

#define EVENT_VERSION "3" /* of git's event format */
#define NESTING_MAX 32    /* deeper regions are sent without a time */

struct target {
	int fd; /* -1: off */
	bool close;
};

struct trace {
	const char *tool;
	struct buf sid;    /* parent's, then ours */
	size_t depth;      /* processes above us that trace */
	uint64_t start_us; /* monotonic, as all times here */
	struct target normal, perf, event;
	uint64_t regions[NESTING_MAX]; /* when each open one began */
	size_t nesting;
	uint64_t *children; /* when each began, by id */
	size_t children_len;
};

/* One event as each format wants it; the texts are ours or cleaned. */
struct event {
	const char *name;
	const char *text;     /* normal format; NULL: does not show it */
	const char *perf;     /* last column of the perf format */
	const char *json;     /* further members, with a leading comma */
	const char *category; /* regions */
	const char *t_rel;    /* "0.000123", or NULL */
	bool t_abs;           /* event format has the time since the start */
};

#define SECONDS_TEXT 32
static void seconds(uint64_t us, char dst[SECONDS_TEXT])
{
	snprintf(dst, SECONDS_TEXT, "%ju.%06ju", (uintmax_t)(us / 1000000),
		 (uintmax_t)(us % 1000000));
}

static void json_string(const char *s, struct buf *out)
{
	size_t len = strlen(s);

	buf_char(out, '"');
	for (size_t at = 0; at < len;) {
		uint32_t cp;
		size_t n = utf8_next(s + at, len - at, &cp);

		if (cp == UTF8_BAD)
			buf_str(out, "\xEF\xBF\xBD");
		else if (cp < 0x20)
			buf_fmt(out, "\\u%04x", (unsigned)cp);
		else if (cp == '"' || cp == '\\')
			buf_fmt(out, "\\%c", (char)cp);
		else
			buf_add(out, s + at, n);
		at += n;
	}
	buf_char(out, '"');
}

/*
 * A word of a command line without what may be a secret: of "NAME=VALUE",
 * "--env=NAME=VALUE" and "-eNAME=VALUE" all after the last name is left out.
 */
static void add_word(const char *word, struct buf *out)
{
	const char *equals = strchr(word, '=');

	if (equals && strncmp(word, "--", 2) == 0)
		equals = strchr(equals + 1, '=');
	if (!equals) {
		buf_str(out, word);
		return;
	}
	buf_add(out, word, (size_t)(equals - word) + 1);
	buf_str(out, "<redacted>");
}

static void json_argv(const char *const *argv, struct buf *out)
{
	buf_str(out, ",\"argv\":[");
	for (size_t i = 0; argv[i]; i++) {
		BUF_AUTO word = BUF_INIT;

		add_word(argv[i], &word);
		if (i)
			buf_char(out, ',');
		json_string(word.data, out);
	}
	buf_char(out, ']');
}

static void text_argv(const char *const *argv, struct buf *out)
{
	for (size_t i = 0; argv[i]; i++) {
		BUF_AUTO word = BUF_INIT;

		add_word(argv[i], &word);
		if (i)
			buf_char(out, ' ');
		msg_clean(word.data, word.len, out);
	}
}

/* A whole line in one write: several processes append to one file. */
static void put(struct target *target, const struct buf *line)
{
	ssize_t n = write(target->fd, line->data, line->len);

	if (n < 0 && errno != EINTR)
		target->fd = -1;
}

static void emit_normal(struct trace *t, const struct event *e, const char *now)
{
	BUF_AUTO line = BUF_INIT;

	if (!e->text)
		return;
	buf_fmt(&line, "%.15s %-33s %s\n", now + 11, t->tool, e->text);
	put(&t->normal, &line);
}

static void emit_perf(struct trace *t, const struct event *e, const char *now)
{
	char t_abs[SECONDS_TEXT];
	BUF_AUTO line = BUF_INIT;

	seconds(clock_mono_us() - t->start_us, t_abs);
	buf_fmt(&line, "%.15s %-28s | d%zu | %-24s | %-12s |     | %9s | %9s | %-12s | ", now + 11,
		t->tool, t->depth, "main", e->name, t_abs, e->t_rel ? e->t_rel : "",
		e->category ? e->category : "");
	for (size_t i = 1; e->category && i < t->nesting; i++)
		buf_str(&line, "..");
	buf_fmt(&line, "%s\n", e->perf);
	put(&t->perf, &line);
}

static void emit_event(struct trace *t, const struct event *e, const char *now)
{
	char t_abs[SECONDS_TEXT];
	BUF_AUTO line = BUF_INIT;

	buf_fmt(&line, "{\"event\":\"%s\",\"sid\":", e->name);
	json_string(t->sid.data, &line);
	buf_fmt(&line, ",\"thread\":\"main\",\"time\":\"%s\"", now);
	if (e->t_abs) {
		seconds(clock_mono_us() - t->start_us, t_abs);
		buf_fmt(&line, ",\"t_abs\":%s", t_abs);
	}
	if (e->t_rel)
		buf_fmt(&line, ",\"t_rel\":%s", e->t_rel);
	buf_fmt(&line, "%s}\n", e->json);
	put(&t->event, &line);
}

static void emit(struct trace *t, const struct event *e)
{
	char now[CLOCK_TEXT_MAX];

	clock_text(clock_now_us(), now);
	if (t->normal.fd >= 0)
		emit_normal(t, e, now);
	if (t->perf.fd >= 0)
		emit_perf(t, e, now);
	if (t->event.fd >= 0)
		emit_event(t, e, now);
}

/* A directory gets one file a process, named by our part of the session id. */
static int open_path(const char *path, const char *own_sid)
{
	BUF_AUTO file = BUF_INIT;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		buf_fmt(&file, "%s/%s", path, own_sid);
		return open(file.data, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
}

static struct target open_target(const char *value, const char *own_sid)
{
	struct target target = { .fd = -1 };

	if (!value)
		return target;
	if (strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0) {
		target.fd = STDERR_FILENO;
	} else if (value[0] >= '2' && value[0] <= '9' && value[1] == '\0') {
		/* One that is not open now would later be a descriptor of our own. */
		if (fcntl(value[0] - '0', F_GETFD) >= 0)
			target.fd = value[0] - '0';
	} else if (value[0] == '/') {
		target.fd = open_path(value, own_sid);
		target.close = true;
	}
	return target;
}

/* "20261130T214519.000001Z-Localhost-P000012ab", as git where it cannot tell the host. */
static void own_sid(struct buf *out)
{
	char now[CLOCK_TEXT_MAX];

	clock_text(clock_now_us(), now);
	for (const char *c = now; *c; c++) {
		if (*c != '-' && *c != ':')
			buf_char(out, *c);
	}
	buf_fmt(out, "-Localhost-P%08x", (unsigned)getpid());
}

static void set_sid(struct trace *t, const char *own)
{
	const char *parent = env_get("GIT_TRACE2_PARENT_SID");

	if (parent)
		buf_fmt(&t->sid, "%s/", parent);
	for (size_t i = 0; i < t->sid.len; i++)
		t->depth += t->sid.data[i] == '/';
	buf_str(&t->sid, own);
}

static void send_version(struct trace *t, const char *version)
{
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	buf_fmt(&text, "version %s", version);
	buf_str(&json, ",\"evt\":\"" EVENT_VERSION "\",\"exe\":");
	json_string(version, &json);
	emit(t, &(struct event){
			.name = "version", .text = text.data, .perf = version, .json = json.data });
}

static void send_start(struct trace *t, const char *const *argv)
{
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	buf_str(&text, "start ");
	text_argv(argv, &text);
	json_argv(argv, &json);
	emit(t, &(struct event){ .name = "start",
				 .text = text.data,
				 .perf = text.data + strlen("start "),
				 .json = json.data,
				 .t_abs = true });
}

struct trace *trace_open(const char *tool, const char *version, const char *const *argv)
{
	const char *normal = env_get("GIT_TRACE2");
	const char *perf = env_get("GIT_TRACE2_PERF");
	const char *event = env_get("GIT_TRACE2_EVENT");
	BUF_AUTO own = BUF_INIT;
	struct trace *t;

	if (!normal && !perf && !event)
		return NULL;
	own_sid(&own);
	t = xcalloc(1, sizeof(*t));
	*t = (struct trace){ .tool = tool, .sid = BUF_INIT, .start_us = clock_mono_us() };
	t->normal = open_target(normal, own.data);
	t->perf = open_target(perf, own.data);
	t->event = open_target(event, own.data);
	if (t->normal.fd < 0 && t->perf.fd < 0 && t->event.fd < 0) {
		free(t);
		return NULL;
	}
	set_sid(t, own.data);
	/* As git does it: what we start appears below us. */
	setenv("GIT_TRACE2_PARENT_SID", t->sid.data, 1);
	send_version(t, version);
	send_start(t, argv);
	return t;
}

static void send_end(struct trace *t, const char *name, int exit_code)
{
	char t_abs[SECONDS_TEXT];
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO perf = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	seconds(clock_mono_us() - t->start_us, t_abs);
	buf_fmt(&text, "%s elapsed:%s code:%d", name, t_abs, exit_code);
	buf_fmt(&perf, "code:%d", exit_code);
	buf_fmt(&json, ",\"code\":%d", exit_code);
	emit(t, &(struct event){ .name = name,
				 .text = text.data,
				 .perf = perf.data,
				 .json = json.data,
				 .t_abs = true });
}

static void close_target(struct target *target)
{
	if (target->close && target->fd >= 0)
		close(target->fd);
}

void trace_close(struct trace *t, int exit_code)
{
	if (!t)
		return;
	send_end(t, "exit", exit_code);
	send_end(t, "atexit", exit_code);
	close_target(&t->normal);
	close_target(&t->perf);
	close_target(&t->event);
	buf_release(&t->sid);
	free(t->children);
	free(t);
}

void trace_cmd_name(struct trace *t, const char *verb)
{
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	if (!t)
		return;
	buf_fmt(&text, "cmd_name %s (%s/%s)", verb, t->tool, verb);
	buf_str(&json, ",\"name\":");
	json_string(verb, &json);
	buf_fmt(&json, ",\"hierarchy\":\"%s/%s\"", t->tool, verb);
	emit(t, &(struct event){ .name = "cmd_name",
				 .text = text.data,
				 .perf = text.data + strlen("cmd_name "),
				 .json = json.data });
}

void trace_error(struct trace *t, const char *msg)
{
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	if (!t)
		return;
	buf_str(&text, "error ");
	msg_clean(msg, strlen(msg), &text);
	buf_str(&json, ",\"msg\":");
	json_string(msg, &json);
	buf_str(&json, ",\"fmt\":");
	json_string(msg, &json);
	emit(t, &(struct event){ .name = "error",
				 .text = text.data,
				 .perf = text.data + strlen("error "),
				 .json = json.data });
}

static void send_region(struct trace *t, struct event *e, const char *label)
{
	BUF_AUTO perf = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	buf_fmt(&perf, "label:%s", label);
	buf_fmt(&json, ",\"nesting\":%zu,\"category\":", t->nesting);
	json_string(e->category, &json);
	buf_str(&json, ",\"label\":");
	json_string(label, &json);
	e->perf = perf.data;
	e->json = json.data;
	emit(t, e);
}

void trace_region_enter(struct trace *t, const char *category, const char *label)
{
	if (!t)
		return;
	if (t->nesting < NESTING_MAX)
		t->regions[t->nesting] = clock_mono_us();
	t->nesting++;
	send_region(t, &(struct event){ .name = "region_enter", .category = category }, label);
}

void trace_region_leave(struct trace *t, const char *category, const char *label)
{
	char t_rel[SECONDS_TEXT];
	bool timed;

	if (!t)
		return;
	if (t->nesting == 0)
		BUG("region '%s' is left but was not entered", label);
	timed = t->nesting <= NESTING_MAX;
	if (timed)
		seconds(clock_mono_us() - t->regions[t->nesting - 1], t_rel);
	send_region(t,
		    &(struct event){ .name = "region_leave",
				     .category = category,
				     .t_rel = timed ? t_rel : NULL },
		    label);
	t->nesting--;
}

int trace_child_start(struct trace *t, const char *child_class, const char *const *argv)
{
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO perf = BUF_INIT;
	BUF_AUTO json = BUF_INIT;
	size_t id;

	if (!t)
		return -1;
	id = t->children_len++;
	t->children = xrealloc(t->children, size_mul(t->children_len, sizeof(*t->children)));
	t->children[id] = clock_mono_us();
	buf_fmt(&text, "child_start[%zu] ", id);
	text_argv(argv, &text);
	buf_fmt(&perf, "[ch%zu] class:%s argv:[", id, child_class);
	text_argv(argv, &perf);
	buf_char(&perf, ']');
	buf_fmt(&json, ",\"child_id\":%zu,\"child_class\":\"%s\",\"use_shell\":false", id,
		child_class);
	json_argv(argv, &json);
	emit(t, &(struct event){ .name = "child_start",
				 .text = text.data,
				 .perf = perf.data,
				 .json = json.data });
	return (int)id;
}

void trace_child_exit(struct trace *t, int child_id, pid_t pid, int code)
{
	char t_rel[SECONDS_TEXT];
	BUF_AUTO text = BUF_INIT;
	BUF_AUTO perf = BUF_INIT;
	BUF_AUTO json = BUF_INIT;

	if (!t || child_id < 0)
		return;
	seconds(clock_mono_us() - t->children[child_id], t_rel);
	buf_fmt(&text, "child_exit[%d] pid:%d code:%d elapsed:%s", child_id, (int)pid, code, t_rel);
	buf_fmt(&perf, "[ch%d] pid:%d code:%d", child_id, (int)pid, code);
	buf_fmt(&json, ",\"child_id\":%d,\"pid\":%d,\"code\":%d", child_id, (int)pid, code);
	emit(t, &(struct event){ .name = "child_exit",
				 .text = text.data,
				 .perf = perf.data,
				 .json = json.data,
				 .t_rel = t_rel });
}
