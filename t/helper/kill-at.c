/*
 * kill-at: runs a command, and kills one of our processes just before its n-th step.
 *
 *	kill-at REPORT count -- CMD ARG...
 *	kill-at REPORT ROLE N -- CMD ARG...
 *
 * A step is a system call that changes something, hands something over or waits. Every
 * process that comes from CMD is traced and has a role: front (CMD itself), launch (its
 * children before they execute something), monitor, init, spawner, command, mason, git.
 * Nothing but the one process is killed, at the entry of the call, so the call is not made.
 *
 * REPORT gets lines: "ROLE STEPS" for each role, "killed ROLE CALL", "code N" (how CMD ended;
 * 128 + n for a signal), "alive PID ROLE" for whatever outlived the end by
 * KILL_AT_MS milliseconds of the environment (10 000), and is killed then.
 * Exit code: 0 killed (or counted), 1 that step was not reached, 2 we failed, 3 something lived on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES_MAX 1024
#define LINGER_MS "10000"
#define WHOLE_MS 60000
#define OPTIONS                                                                                    \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |  \
	 PTRACE_O_TRACEEXEC)

enum role { FRONT, LAUNCH, MONITOR, INIT, SPAWNER, COMMAND, MASON, GIT, ROLES };
static const char *const role_names[ROLES] = { "front",	  "launch",  "monitor", "init",
					       "spawner", "command", "mason",	"git" };
/* What a child is until it executes something. */
static const enum role child_role[ROLES] = { LAUNCH,  LAUNCH,  INIT,	SPAWNER,
					     COMMAND, COMMAND, COMMAND, GIT };

static const struct step {
	uint64_t nr;
	const char *name;
} steps[] = {
#ifdef SYS_mkdir /* calls that newer architectures do not have */
	{ SYS_mkdir, "mkdir" },
	{ SYS_rmdir, "rmdir" },
	{ SYS_unlink, "unlink" },
	{ SYS_rename, "rename" },
	{ SYS_link, "link" },
	{ SYS_symlink, "symlink" },
	{ SYS_chown, "chown" },
	{ SYS_vfork, "vfork" },
	{ SYS_fork, "fork" },
	{ SYS_poll, "poll" },
#endif
	{ SYS_mkdirat, "mkdirat" },
	{ SYS_unlinkat, "unlinkat" },
	{ SYS_renameat, "renameat" },
	{ SYS_renameat2, "renameat2" },
	{ SYS_linkat, "linkat" },
	{ SYS_symlinkat, "symlinkat" },
	{ SYS_openat, "openat" }, /* only where it creates */
	{ SYS_openat2, "openat2" },
	{ SYS_write, "write" },
	{ SYS_pwrite64, "pwrite64" },
	{ SYS_sendfile, "sendfile" },
	{ SYS_copy_file_range, "copy_file_range" },
	{ SYS_splice, "splice" },
	{ SYS_ftruncate, "ftruncate" },
	{ SYS_fchmod, "fchmod" },
	{ SYS_fchmodat, "fchmodat" },
	{ SYS_fchown, "fchown" },
	{ SYS_fchownat, "fchownat" },
	{ SYS_flock, "flock" },
	{ SYS_fsync, "fsync" },
	{ SYS_fdatasync, "fdatasync" },
	{ SYS_clone, "clone" },
	{ SYS_clone3, "clone3" },
	{ SYS_execve, "execve" },
	{ SYS_execveat, "execveat" },
	{ SYS_exit_group, "exit_group" },
	{ SYS_wait4, "wait4" },
	{ SYS_waitid, "waitid" },
	{ SYS_ppoll, "ppoll" },
	{ SYS_sendmsg, "sendmsg" },
	{ SYS_recvmsg, "recvmsg" },
	{ SYS_pidfd_send_signal, "pidfd_send_signal" },
	{ SYS_mount, "mount" },
	{ SYS_umount2, "umount2" },
	{ SYS_pivot_root, "pivot_root" },
	{ SYS_fsopen, "fsopen" },
	{ SYS_fsmount, "fsmount" },
	{ SYS_open_tree, "open_tree" },
	{ SYS_move_mount, "move_mount" },
	{ SYS_mount_setattr, "mount_setattr" },
	{ SYS_unshare, "unshare" },
	{ SYS_setns, "setns" },
	{ SYS_prctl, "prctl" },
	{ SYS_seccomp, "seccomp" },
	{ SYS_capset, "capset" },
	{ SYS_prlimit64, "prlimit64" },
	{ SYS_landlock_restrict_self, "landlock_restrict_self" },
};

struct process {
	pid_t pid;
	enum role role;
};

struct tracer {
	struct process v[PROCESSES_MAX];
	size_t len;
	pid_t front;
	int front_status;
	bool counting;
	enum role role; /* whose step */
	unsigned long n;
	unsigned long seen[ROLES];
	bool killed;
	uint64_t linger_ms;
	FILE *report;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* A number, or the first word, of a line of /proc/<pid>/status. */
static bool status_field(pid_t pid, const char *field, char *dst, size_t size)
{
	char path[64], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		size_t len = strlen(field);

		found = !strncmp(line, field, len) && line[len] == ':';
		if (found)
			snprintf(dst, size, "%.*s", (int)strcspn(line + len + 2, "\n"),
				 line + len + 2);
	}
	fclose(f);
	return found;
}

static pid_t status_pid(pid_t pid, const char *field)
{
	char text[256];

	return status_field(pid, field, text, sizeof(text)) ? (pid_t)strtol(text, NULL, 10) : -1;
}

static struct process *find(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->v[i].pid == pid)
			return &t->v[i];
	return NULL;
}

static struct process *add(struct tracer *t, pid_t pid, enum role role)
{
	if (t->len == PROCESSES_MAX)
		die("too many processes");
	t->v[t->len] = (struct process){ pid, role };
	return &t->v[t->len++];
}

/* One that has just been born, and is stopped: so its parent is still what it was. */
static struct process *adopt(struct tracer *t, pid_t pid)
{
	pid_t group = status_pid(pid, "Tgid");
	struct process *of = find(t, group == pid ? status_pid(pid, "PPid") : group);

	if (!of)
		return add(t, pid, COMMAND);
	return add(t, pid, group == pid ? child_role[of->role] : of->role);
}

static void on_exec(struct process *p)
{
	char name[64];

	if (p->role == FRONT || !status_field(p->pid, "Name", name, sizeof(name)))
		return;
	if (!strcmp(name, "git-box-monitor"))
		p->role = MONITOR;
	else if (!strcmp(name, "git-box-mason"))
		p->role = MASON;
	else if (!strcmp(name, "git"))
		p->role = GIT;
}

/* The name of the step that the process is about to make, or NULL. */
static const char *step_of(pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return NULL;
	if (info.entry.nr == SYS_openat && !(info.entry.args[2] & O_CREAT))
		return NULL;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].nr == info.entry.nr)
			return steps[i].name;
	return NULL;
}

static void on_call(struct tracer *t, const struct process *p)
{
	const char *name = step_of(p->pid);

	if (!name)
		return;
	t->seen[p->role]++;
	if (t->counting || t->killed || p->role != t->role || t->seen[p->role] != t->n)
		return;
	kill(p->pid, SIGKILL);
	t->killed = true;
	fprintf(t->report, "killed %s %s\n", role_names[p->role], name);
}

static void resume(const struct tracer *t, const struct process *p, int signo)
{
	/* Nobody waits for the others' calls. A launch may become any role. */
	bool calls = t->counting || (!t->killed && p->role == t->role);

	(void)ptrace(calls ? PTRACE_SYSCALL : PTRACE_CONT, p->pid, NULL, (long)signo);
}

static void on_stop(struct tracer *t, pid_t pid, int status)
{
	struct process *p = find(t, pid);
	int signo = WSTOPSIG(status), event = status >> 16;

	if (!p)
		p = adopt(t, pid);
	if (event == PTRACE_EVENT_EXEC)
		on_exec(p);
	else if (!event && signo == (SIGTRAP | 0x80))
		on_call(t, p);
	resume(t, p, event || signo == (SIGTRAP | 0x80) ? 0 : signo);
}

static void on_end(struct tracer *t, pid_t pid, int status)
{
	struct process *p = find(t, pid);

	if (pid == t->front)
		t->front_status = status;
	if (p)
		*p = t->v[--t->len];
}

/* One event, or false when it did not come in time or nobody is left. */
static bool next_event(pid_t *pid, int *status, uint64_t until_ms)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		*pid = waitpid(-1, status, __WALL | WNOHANG);
		if (*pid)
			return *pid > 0;
		uint64_t now = now_ms();
		if (now >= until_ms)
			return false;
		struct timespec left = { (time_t)((until_ms - now) / 1000),
					 (long)((until_ms - now) % 1000) * 1000000 };
		sigtimedwait(&set, NULL, &left);
	}
}

static void follow(struct tracer *t)
{
	uint64_t until = now_ms() + WHOLE_MS;
	bool linger = false;
	pid_t pid;
	int status;

	while (next_event(&pid, &status, until)) {
		if (WIFSTOPPED(status))
			on_stop(t, pid, status);
		else
			on_end(t, pid, status);
		/* From the end of the front on, or from the kill, nothing has long to live. */
		if (!linger && (t->killed || !find(t, t->front))) {
			linger = true;
			until = now_ms() + t->linger_ms;
		}
	}
}

static void run(char **argv, const sigset_t *mask)
{
	raise(SIGSTOP);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static void start(struct tracer *t, char **argv)
{
	sigset_t chld, before;
	int status;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	t->front = fork();
	if (t->front < 0)
		die("fork");
	if (t->front == 0)
		run(argv, &before);
	if (waitpid(t->front, &status, WUNTRACED) != t->front || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SEIZE, t->front, NULL, OPTIONS))
		die("cannot trace");
	add(t, t->front, FRONT);
	kill(t->front, SIGCONT);
}

/* Whoever is left is ours: it is traced by us. */
static size_t end_survivors(struct tracer *t)
{
	size_t left = t->len;
	pid_t pid;
	int status;

	for (size_t i = 0; i < t->len; i++) {
		fprintf(t->report, "alive %d %s\n", (int)t->v[i].pid, role_names[t->v[i].role]);
		kill(t->v[i].pid, SIGKILL);
	}
	while (left && next_event(&pid, &status, now_ms() + t->linger_ms))
		;
	return left;
}

static int report(struct tracer *t)
{
	int s = t->front_status;

	for (int i = 0; t->counting && i < ROLES; i++)
		fprintf(t->report, "%s %lu\n", role_names[i], t->seen[i]);
	fprintf(t->report, "code %d\n", WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s));
	size_t left = end_survivors(t);
	fclose(t->report);
	if (left)
		return 3;
	return t->counting || t->killed ? 0 : 1;
}

static enum role role_named(const char *name)
{
	for (int i = 0; i < ROLES; i++)
		if (!strcmp(name, role_names[i]))
			return (enum role)i;
	fprintf(stderr, "kill-at: no role '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *linger = getenv("KILL_AT_MS");
	struct tracer t = { .n = 0 };
	int at = 3;

	if (argc > 4 && !strcmp(argv[2], "count")) {
		t.counting = true;
	} else if (argc > 5) {
		t.role = role_named(argv[2]);
		t.n = strtoul(argv[at++], NULL, 10);
	} else {
		fputs("usage: kill-at REPORT (count | ROLE N) -- CMD...\n", stderr);
		return 2;
	}
	t.linger_ms = strtoull(linger ? linger : LINGER_MS, NULL, 10);
	t.report = fopen(argv[1], "we");
	if (!t.report || strcmp(argv[at], "--"))
		die(argv[1]);
	start(&t, argv + at + 1);
	follow(&t);
	return report(&t);
}
