#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/num.h"
#include "sandbox/scope.h"
#include "sys/fd.h"
#include "wire/dbus.h"

#define DEADLINE_US 2000000
#define LINE_MAX_LEN 1024 /* of the handshake */
#define CHUNK 4096
#define SERIAL 1 /* of our only call */
#define SHOWN_MAX 120

/* A connection to the manager. */
struct manager {
	int fd;
	uint64_t deadline_us;
	struct buf in;
	size_t used; /* bytes of `in` that the last message took */
};

void scope_socket(struct buf *out)
{
	const char *dir = env_get("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		buf_str(out, "/run/systemd/private");
	else if (dir)
		buf_fmt(out, "%s/systemd/private", dir);
	else /* cron, su, ssh with a command: the manager may run all the same */
		buf_fmt(out, "/run/user/%u/systemd/private", geteuid());
}

/* A peer that is neither we nor root could only lie to us. */
static int check_peer(int fd, struct error *err)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return error_sys(err, errno, "cannot ask who the service manager is");
	if (cred.uid != 0 && cred.uid != geteuid())
		return error_set(err, ERR_PEER, "the service manager's socket belongs to uid %u",
				 cred.uid);
	return 0;
}

static int connect_to(const char *path, struct manager *m, struct error *err)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(path);

	if (len >= sizeof(addr.sun_path))
		return error_set(err, ERR_UNSUPPORTED,
				 "the path of the service manager's socket is too long");
	memcpy(addr.sun_path, path, len);
	m->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (m->fd < 0)
		return error_sys(err, errno, "cannot make a socket");
	/* A full backlog is EAGAIN: a manager that busy is no help to us. */
	if (connect(m->fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return error_set(
			err, ERR_UNSUPPORTED, "no systemd manager answers at %s: %s%s", path,
			strerror(errno),
			geteuid() ? " (a login session or 'loginctl enable-linger' starts one)" :
				    "");
	return check_peer(m->fd, err);
}

/* Until the socket is ready for `events`, or the deadline. */
static int wait_ready(const struct manager *m, short events, struct error *err)
{
	for (;;) {
		uint64_t now = clock_mono_us();
		struct pollfd p = { .fd = m->fd, .events = events };
		if (now >= m->deadline_us)
			return error_set(err, ERR_LIMIT,
					 "the service manager did not answer in time");
		int r = poll(&p, 1, (int)((m->deadline_us - now) / 1000) + 1);
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot wait for the service manager");
	}
}

static int send_all(const struct manager *m, const struct buf *data, struct error *err)
{
	size_t done = 0;

	while (done < data->len) {
		if (wait_ready(m, POLLOUT, err))
			return -1;
		ssize_t n = send(m->fd, data->data + done, data->len - done, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return error_sys(err, errno, "cannot write to the service manager");
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int receive_some(struct manager *m, struct error *err)
{
	char chunk[CHUNK];

	if (wait_ready(m, POLLIN, err))
		return -1;
	ssize_t n = recv(m->fd, chunk, sizeof(chunk), 0);
	if (n == 0)
		return error_set(err, ERR_PEER, "the service manager hung up");
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		return error_sys(err, errno, "cannot read from the service manager");
	if (n > 0)
		buf_add(&m->in, chunk, (size_t)n);
	return 0;
}

static void forget(struct manager *m, size_t len)
{
	memmove(m->in.data, m->in.data + len, m->in.len - len);
	buf_truncate(&m->in, m->in.len - len);
}

/* SASL EXTERNAL: the kernel says who we are, the number only repeats it. */
static int introduce(struct manager *m, struct error *err)
{
	BUF_AUTO hello = BUF_INIT;
	char uid[16], hex[2 * sizeof(uid) + 1];
	const char *end;

	(void)snprintf(uid, sizeof(uid), "%u", geteuid());
	num_hex(uid, strlen(uid), hex);
	buf_char(&hello, '\0');
	buf_fmt(&hello, "AUTH EXTERNAL %s\r\n", hex);
	if (send_all(m, &hello, err))
		return -1;
	while (!(end = memmem(m->in.data, m->in.len, "\r\n", 2))) {
		if (m->in.len > LINE_MAX_LEN)
			return error_set(err, ERR_PEER,
					 "the service manager's greeting makes no sense");
		if (receive_some(m, err))
			return -1;
	}
	if (m->in.len < 3 || memcmp(m->in.data, "OK ", 3) != 0)
		return error_set(err, ERR_PEER, "the service manager does not let us in");
	forget(m, (size_t)(end - m->in.data) + 2);
	return 0;
}

/* One (sv) of the properties, up to its value. */
static void begin_property(struct buf *b, const char *name, const char *type)
{
	dbus_align(b, 8);
	dbus_put_string(b, name);
	dbus_put_signature(b, type);
}

static void put_number(struct buf *b, const char *name, uint64_t value)
{
	begin_property(b, name, "t");
	dbus_put_u64(b, value);
}

static void put_text(struct buf *b, const char *name, const char *value)
{
	begin_property(b, name, "s");
	dbus_put_string(b, value);
}

/* Arguments of StartTransientUnit: name, mode, properties, no auxiliary units. */
static void put_arguments(const struct scope_want *want, struct buf *b)
{
	dbus_put_string(b, want->unit);
	dbus_put_string(b, "fail");
	struct dbus_array properties = dbus_array_begin(b, 8);
	put_text(b, "Description", "a git box command");
	/* Else a scope in which something ran out of memory would stay, as failed. */
	put_text(b, "CollectMode", "inactive-or-failed");
	begin_property(b, "PIDs", "au");
	struct dbus_array pids = dbus_array_begin(b, 4);
	dbus_put_u32(b, (uint32_t)want->pid);
	dbus_array_end(b, pids);
	if (want->memory) {
		put_number(b, "MemoryMax", want->memory);
		put_number(b, "MemorySwapMax", 0);
	}
	if (want->processes)
		put_number(b, "TasksMax", want->processes);
	dbus_array_end(b, properties);
	dbus_array_end(b, dbus_array_begin(b, 8));
}

static int send_call(struct manager *m, const struct scope_want *want, struct error *err)
{
	static const struct dbus_call call = {
		.serial = SERIAL,
		.path = "/org/freedesktop/systemd1",
		.interface = "org.freedesktop.systemd1.Manager",
		.member = "StartTransientUnit",
		.signature = "ssa(sv)a(sa(sv))",
	};
	BUF_AUTO body = BUF_INIT, out = BUF_INIT;

	put_arguments(want, &body);
	buf_str(&out, "BEGIN\r\n");
	dbus_put_call(&out, &call, &body);
	return send_all(m, &out, err);
}

static int nonsense(struct error *err)
{
	return error_set(err, ERR_PEER, "the service manager's answer makes no sense");
}

/* Until at least len bytes are there. */
static int receive(struct manager *m, size_t len, struct error *err)
{
	while (m->in.len < len)
		if (receive_some(m, err))
			return -1;
	return 0;
}

/* *out borrows from m until the next call. */
static int next_message(struct manager *m, struct dbus_message *out, struct error *err)
{
	forget(m, m->used);
	m->used = 0;
	if (receive(m, DBUS_FIXED, err))
		return -1;
	size_t size = dbus_size((const unsigned char *)m->in.data);
	if (!size)
		return nonsense(err);
	if (receive(m, size, err))
		return -1;
	if (dbus_parse((const unsigned char *)m->in.data, size, out))
		return nonsense(err);
	m->used = size;
	return 0;
}

/* What the manager says goes to a terminal in the end: plain characters, not many. */
static void show(const char *text, char out[SHOWN_MAX])
{
	size_t n = 0;

	for (; text && *text && n < SHOWN_MAX - 1; text++)
		out[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
	out[n] = '\0';
}

static int refused(struct dbus_message *m, struct error *err)
{
	char text[SHOWN_MAX];

	show(m->signature[0] == 's' ? dbus_get_string(&m->body) : m->error_name, text);
	return error_set(err, ERR_PEER, "the service manager refused: %s", text);
}

/* 1: our job went well; 0: another one; -1. */
static int job_removed(struct dbus_message *m, const char *job, struct error *err)
{
	char text[SHOWN_MAX];

	if (strcmp(m->signature, "uoss") != 0)
		return nonsense(err);
	(void)dbus_get_u32(&m->body);
	const char *path = dbus_get_string(&m->body);
	(void)dbus_get_string(&m->body); /* unit */
	const char *result = dbus_get_string(&m->body);
	if (!path || !result)
		return nonsense(err);
	if (strcmp(path, job) != 0)
		return 0;
	if (!strcmp(result, "done"))
		return 1;
	show(result, text);
	return error_set(err, ERR_PEER, "the service manager could not make a scope: %s", text);
}

/* A private connection gets every signal unasked; the job is known from the reply on. */
static int wait_job(struct manager *m, struct error *err)
{
	BUF_AUTO job = BUF_INIT;

	for (;;) {
		struct dbus_message msg = { .member = "" };
		if (next_message(m, &msg, err))
			return -1;
		if (msg.type == DBUS_ERROR && msg.reply_serial == SERIAL)
			return refused(&msg, err);
		if (msg.type == DBUS_RETURN && msg.reply_serial == SERIAL) {
			const char *path = strcmp(msg.signature, "o") ? NULL :
									dbus_get_string(&msg.body);
			if (!path || job.len)
				return nonsense(err);
			buf_str(&job, path);
		} else if (msg.type == DBUS_SIGNAL && job.len &&
			   !strcmp(msg.member, "JobRemoved")) {
			int r = job_removed(&msg, job.data, err);
			if (r)
				return r < 0 ? -1 : 0;
		}
	}
}

int scope_start(const char *socket_path, const struct scope_want *want, struct error *err)
{
	struct manager m = { .fd = -1,
			     .deadline_us = clock_mono_us() + DEADLINE_US,
			     .in = BUF_INIT };
	int r = connect_to(socket_path, &m, err);

	if (!r)
		r = introduce(&m, err);
	if (!r)
		r = send_call(&m, want, err);
	if (!r)
		r = wait_job(&m, err);
	fd_close(&m.fd);
	buf_release(&m.in);
	return r;
}
