/*
 * Which commands live in a box (declared in box/session.h). The lock on a session
 * file is the truth; its text only says what to show and whom to ask to end.
 */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "box/layout.h"
#include "box/session.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "wire/json.h"

#define SESSION_DIR "session"
#define LINE_MAX_BYTES 4096
#define LABEL_MAX 1024
#define YOUNG_US                                                                                   \
	(60 * 1000000LL) /* a free, empty file of that age belongs to nobody who is just starting  \
			  */
#define POLL_MS 10

void session_info_text(const struct session_info *s, struct buf *out)
{
	JSON_AUTO *obj = json_object();

	json_object_set_new(obj, "id", json_text(s->id));
	json_object_set_new(obj, "monitor", json_integer(s->monitor));
	json_object_set_new(obj, "monitor_start", json_integer((json_int_t)s->monitor_start));
	json_object_set_new(obj, "started_us", json_integer(s->started_us));
	json_object_set_new(obj, "label", json_text(s->label.data));
	json_canonical(obj, out);
}

static int parse_numbers(const json_t *obj, struct session_info *s, struct error *err)
{
	uint64_t monitor, started;

	if (json_u64(obj, "monitor", &monitor, err) < 0 ||
	    json_u64(obj, "monitor_start", &s->monitor_start, err) < 0 ||
	    json_u64(obj, "started_us", &started, err) < 0)
		return -1;
	/* 0, 1 and negative numbers name groups, init or everybody to kill(2). */
	if (monitor < 2 || monitor > INT32_MAX || started > INT64_MAX)
		return error_set(err, ERR_CORRUPT, "a number is out of range");
	s->monitor = (pid_t)monitor;
	s->started_us = (int64_t)started;
	return 0;
}

int session_info_parse(const char *text, size_t len, struct session_info *out, struct error *err)
{
	JSON_AUTO *obj = json_parse(text, len, LINE_MAX_BYTES, err);
	struct session_info s = { .label = BUF_INIT };
	const char *id, *label;

	if (!obj || json_str(obj, "id", BOX_ID_LEN, &id, err) < 0 ||
	    json_str(obj, "label", LABEL_MAX, &label, err) < 0 || parse_numbers(obj, &s, err) < 0)
		return -1;
	if (!box_id_valid(id))
		return error_set(err, ERR_CORRUPT, "'id' is not an id");
	memcpy(s.id, id, sizeof(s.id));
	buf_str(&s.label, label);
	*out = s;
	return 0;
}

/* What the file says, as far as it can be believed: a damaged line hides no live command. */
static void describe(int dirfd, const char *id, struct session_info *out)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	*out = (struct session_info){ .label = BUF_INIT };
	if (file_read(dirfd, id, LINE_MAX_BYTES, &text, &ignored) == 0 &&
	    session_info_parse(text.data, text.len, out, &ignored) == 0 && strcmp(out->id, id) == 0)
		return;
	buf_release(&out->label);
	*out = (struct session_info){ .label = BUF_INIT };
	memcpy(out->id, id, sizeof(out->id));
	buf_str(&out->label, "(starting)");
}

/* The file is made before it is locked and written: an empty one is left alone for a while. */
static bool is_stale(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	return st.st_size > 0 || clock_now_us() - (int64_t)st.st_mtim.tv_sec * 1000000 > YOUNG_US;
}

/* True where a monitor holds the file; a stale one is unlinked. */
static bool is_live(int dirfd, const char *id)
{
	FD_AUTO fd = openat(dirfd, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	if (is_stale(fd))
		unlinkat(dirfd, id, 0);
	return false;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static void add(struct session_list *l, struct session_info s)
{
	l->v = xrealloc(l->v, size_mul(l->len + 1, sizeof(*l->v)));
	l->v[l->len++] = s;
}

static int by_start(const void *left, const void *right)
{
	const struct session_info *a = left, *b = right;

	if (a->started_us != b->started_us)
		return a->started_us < b->started_us ? -1 : 1;
	return strcmp(a->id, b->id);
}

int session_list(int box_fd, struct session_list *out, struct error *err)
{
	struct session_list l = SESSION_LIST_INIT;
	FD_AUTO fd = openat(box_fd, SESSION_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir __attribute__((cleanup(dir_close))) = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir && errno != ENOENT)
		return error_sys(err, errno, "cannot read the list of live commands");
	if (dir)
		fd_take(&fd);
	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		struct session_info s;

		if (!box_id_valid(e->d_name) || !is_live(dirfd(dir), e->d_name))
			continue;
		describe(dirfd(dir), e->d_name, &s);
		add(&l, s);
	}
	if (l.len > 1)
		qsort(l.v, l.len, sizeof(*l.v), by_start);
	*out = l;
	return 0;
}

void session_list_release(struct session_list *l)
{
	for (size_t i = 0; i < l->len; i++)
		buf_release(&l->v[i].label);
	free(l->v);
	*l = (struct session_list)SESSION_LIST_INIT;
}

/* By pidfd and start time: a recycled pid is never signalled. True where it was asked. */
static bool ask_to_end(const struct session_info *s)
{
	struct error ignored = ERROR_INIT;
	FD_AUTO fd = s->monitor > 1 ? proc_open(s->monitor, s->monitor_start, &ignored) : -1;

	return fd >= 0 && syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) == 0;
}

/* Asks those of `live` that were not asked before. */
static void ask_new(const struct session_list *live, struct strv *asked)
{
	for (size_t i = 0; i < live->len; i++) {
		if (!strv_has(asked, live->v[i].id) && ask_to_end(&live->v[i]))
			strv_add(asked, live->v[i].id);
	}
}

int session_stop_all(int box_fd, uint64_t wait_ms, size_t *stopped_out, struct error *err)
{
	uint64_t deadline = clock_mono_us() + wait_ms * 1000;
	STRV_AUTO asked = STRV_INIT;

	for (;;) {
		struct session_list live = SESSION_LIST_INIT;
		size_t left;

		if (session_list(box_fd, &live, err) < 0)
			return -1;
		ask_new(&live, &asked);
		left = live.len;
		session_list_release(&live);
		if (left == 0)
			break;
		if (clock_mono_us() >= deadline)
			return error_set(err, ERR_BUSY, "%zu command%s did not end in time", left,
					 left == 1 ? "" : "s");
		poll(NULL, 0, POLL_MS);
	}
	if (stopped_out)
		*stopped_out = asked.len;
	return 0;
}
