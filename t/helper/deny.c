/*
 * deny: runs a command on a host that lacks something.
 *
 *	deny NAME=ERRNO... -- CMD ARG...	those system calls fail so
 *	deny landlock-abi=N -- CMD ARG...	the kernel claims Landlock ABI N
 *
 * NAME: mounts (all of the mount calls), landlock, landlock-rule. ERRNO is a number.
 * The Landlock version is answered by a seccomp listener, for which deny stays
 * as parent; exit codes pass through.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE_MAX 128
#define NR_LANDLOCK_CREATE 444
#define NR_LANDLOCK_ADD 445

static const struct call {
	const char *name;
	uint32_t nr;
} calls[] = {
	{ "mounts", SYS_mount },
	{ "mounts", SYS_fsopen },
	{ "mounts", SYS_open_tree },
	{ "mounts", SYS_move_mount },
	{ "mounts", SYS_mount_setattr },
	{ "landlock", NR_LANDLOCK_CREATE },
	{ "landlock-rule", NR_LANDLOCK_ADD },
};

struct program {
	struct sock_filter code[CODE_MAX];
	size_t len;
};

static void emit(struct program *p, struct sock_filter insn)
{
	if (p->len == CODE_MAX)
		abort();
	p->code[p->len++] = insn;
}

static void emit_answer(struct program *p, uint32_t nr, uint32_t answer)
{
	emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1));
	emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
}

/* "NAME=ERRNO". Returns how many calls that were. */
static size_t emit_word(struct program *p, const char *word)
{
	const char *eq = strchr(word, '=');
	size_t found = 0;

	for (size_t i = 0; eq != NULL && i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strlen(calls[i].name) != (size_t)(eq - word) ||
		    strncmp(calls[i].name, word, (size_t)(eq - word)))
			continue;
		emit_answer(p, calls[i].nr, SECCOMP_RET_ERRNO | (uint32_t)atoi(eq + 1));
		found++;
	}
	return found;
}

/* Answers every question for the version with abi, lets the rest pass, until the child is gone. */
static void serve(int listener, int abi, int child)
{
	struct pollfd pfd[2] = { { .fd = listener, .events = POLLIN },
				 { .fd = child, .events = POLLIN } };
	struct seccomp_notif req;

	while (poll(pfd, 2, -1) > 0 && !(pfd[1].revents & POLLIN)) {
		struct seccomp_notif_resp resp = { 0 };

		memset(&req, 0, sizeof(req));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &req) < 0)
			continue;
		resp.id = req.id;
		if (req.data.args[2] == 1 /* LANDLOCK_CREATE_RULESET_VERSION */)
			resp.val = abi;
		else
			resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	}
}

static int run(struct program *p, int abi, char **argv)
{
	struct sock_fprog prog = { .len = (unsigned short)p->len, .filter = p->code };
	unsigned flags = abi >= 0 ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
	int status, listener;
	pid_t pid;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 125;
	/* the filter binds us too, which does no harm: we call none of these */
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	if (listener < 0) {
		perror("deny: seccomp");
		return 125;
	}
	pid = fork();
	if (pid == 0) {
		if (abi >= 0)
			close(listener);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid > 0 && abi >= 0)
		serve(listener, abi, (int)syscall(SYS_pidfd_open, pid, 0));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct program p = { .len = 0 };
	int abi = -1;
	int i = 1;

	emit(&p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr)));
	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "landlock-abi=", 13) == 0) {
			abi = atoi(argv[i] + 13);
			emit_answer(&p, NR_LANDLOCK_CREATE, SECCOMP_RET_USER_NOTIF);
		} else if (emit_word(&p, argv[i]) == 0) {
			fprintf(stderr, "deny: cannot deny '%s'\n", argv[i]);
			return 125;
		}
	}
	emit(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	if (i + 1 >= argc)
		return 125;
	return run(&p, abi, argv + i + 1);
}
