#include "base/base.h"

#include <errno.h>
#include <fcntl.h>

#include "box/escape.h"
#include "box/probe-fix.h"
#include "box/probe-try.h"
#include "box/probe.h"
#include "box/session.h"
#include "sandbox/probe.h"
#include "sandbox/sandbox.h"
#include "sys/file.h"

const char *const probe_state_names[] = { "ok", "degraded", "missing", "untried" };

/* In the order in which a box is built, then what stands for itself. */
enum check {
	CHECK_USERNS,
	CHECK_NETNS,
	CHECK_MOUNT,
	CHECK_OVERLAY,
	CHECK_NESTED,
	CHECK_RLIMIT,
	CHECK_LANDLOCK,
	CHECK_SECCOMP,
	CHECK_EXEC,
	CHECK_CGROUP,
	CHECK_TIOCSTI,
	CHECK_MAX
};
#define CHECK_TRIED (CHECK_EXEC + 1) /* those before are shown by building a box */
_Static_assert(CHECK_MAX <= PROBE_MAX, "every check has a place");

static const struct {
	const char *name;
	bool required;
} rows[CHECK_MAX] = {
	[CHECK_USERNS] = { "userns", true },
	[CHECK_NETNS] = { "netns", true },
	[CHECK_MOUNT] = { "mount", true },
	[CHECK_OVERLAY] = { "overlay", false },
	[CHECK_NESTED] = { "nested-userns", true },
	[CHECK_RLIMIT] = { "rlimit", true },
	[CHECK_LANDLOCK] = { "landlock", true },
	[CHECK_SECCOMP] = { "seccomp", true },
	[CHECK_EXEC] = { "exec", true },
	[CHECK_CGROUP] = { "cgroup", false },
	[CHECK_TIOCSTI] = { "tiocsti", false },
};

/* Which check a step of building belongs to. */
static enum check check_of(const struct fault *f, const struct plan *plan)
{
	switch ((enum fault_step)f->step) {
	case STEP_NETWORK:
	case STEP_LOOPBACK:
		return CHECK_NETNS;
	case STEP_MOUNT:
		return f->index < plan->mounts.len && plan_mounts(plan)[f->index].op == PLAN_OVERLAY
			       ? CHECK_OVERLAY
			       : CHECK_MOUNT;
	case STEP_PRIVATE:
	case STEP_ROOT:
	case STEP_DETACH_OLD:
	case STEP_ROOT_RO:
		return CHECK_MOUNT;
	case STEP_IDS:
	case STEP_USERNS:
	case STEP_USERNS_MAP:
	case STEP_CAPS:
		return CHECK_NESTED;
	case STEP_RLIMIT:
		return CHECK_RLIMIT;
	case STEP_LANDLOCK:
	case STEP_LANDLOCK_RULE:
		return CHECK_LANDLOCK;
	case STEP_NO_NEW_PRIVS:
	case STEP_SECCOMP:
		return CHECK_SECCOMP;
	case STEP_PIPES:
	case STEP_MONITOR:
	case STEP_SPAWNER:
	case STEP_PAYLOAD:
	case STEP_FORK:
		return CHECK_EXEC;
	default:
		return CHECK_USERNS;
	}
}

static const char *fix_for(enum check c)
{
	switch (c) {
	case CHECK_USERNS:
	case CHECK_NETNS:
	case CHECK_NESTED:
		return probe_fix_namespaces();
	case CHECK_MOUNT:
		return probe_fix_mounts();
	case CHECK_OVERLAY:
		return "a kernel of 5.11 or later with overlayfs; until then boxes that show "
		       "toolchains of HOME "
		       "(profile 'agent') are refused";
	case CHECK_LANDLOCK:
		return probe_fix_landlock(0);
	case CHECK_SECCOMP:
		return "a kernel with CONFIG_SECCOMP_FILTER";
	default:
		return "";
	}
}

static void say(struct probe_check *c, enum probe_state state, const char *detail, const char *fix)
{
	c->state = state;
	(void)snprintf(c->detail, sizeof(c->detail), "%.255s", detail);
	(void)snprintf(c->fix, sizeof(c->fix), "%.511s", fix);
}

/* Checks before `end` that nothing was said about are fine. */
static void passed(struct probe *p, enum check end)
{
	for (enum check c = 0; c < end; c++)
		if (p->checks[c].state == PROBE_UNTRIED)
			p->checks[c].state = PROBE_OK;
}

static void judge_exec(struct probe_check *c, const struct frame_ended *e)
{
	char text[256];
	size_t broke = e->end == COMMAND_EXITED && e->code >= ESCAPE_EXIT_BASE
			       ? (size_t)e->code - ESCAPE_EXIT_BASE
			       : escapes_len;

	if (e->end == COMMAND_EXITED && e->code == 0) {
		(void)snprintf(text, sizeof(text), "%zu attempts to get out failed", escapes_len);
		say(c, PROBE_OK, text, "");
	} else if (broke < escapes_len) {
		(void)snprintf(text, sizeof(text), "a box can %s", escapes[broke].what);
		say(c, PROBE_MISSING, text, "please report this: no box is safe here");
	} else if (e->end == COMMAND_CANNOT_EXEC) {
		(void)snprintf(text, sizeof(text), "a program cannot be started inside: %s",
			       strerror(e->sys));
		say(c, PROBE_MISSING, text, probe_fix_namespaces());
	} else {
		(void)snprintf(text, sizeof(text), "the self-test ended with code %d, signal %d",
			       e->code, e->signal);
		say(c, PROBE_MISSING, text, "");
	}
}

/* What one try showed. True where another one without the overlay can show more. */
static bool judge(struct probe *p, const struct probe_try *t)
{
	const struct plan *plan = (const struct plan *)(const void *)t->plan.data;
	struct error why = ERROR_INIT;

	if (t->trial.built) {
		if (plan_compare(plan, t->trial.out.data, &why))
			say(&p->checks[CHECK_MOUNT], PROBE_MISSING, why.msg, fix_for(CHECK_MOUNT));
		passed(p, CHECK_EXEC);
		judge_exec(&p->checks[CHECK_EXEC], &t->trial.ended);
		return false;
	}
	enum check c = check_of(&t->trial.fault, plan);
	sandbox_fault_error(&t->trial.fault, plan, &why);
	passed(p, c);
	say(&p->checks[c], PROBE_MISSING, why.msg, fix_for(c));
	return c == CHECK_OVERLAY;
}

static void look_at_landlock(struct probe *p)
{
	struct probe_check *c = &p->checks[CHECK_LANDLOCK];
	char text[128];

	p->landlock_abi = probe_landlock_abi();
	int sys = errno;
	if (p->landlock_abi >= 2) {
		(void)snprintf(text, sizeof(text), "ABI %d", p->landlock_abi);
		say(c, PROBE_UNTRIED, text, "");
	} else if (p->landlock_abi == 1) {
		say(c, PROBE_DEGRADED,
		    "ABI 1 forbids every rename between directories, so it is left out; "
		    "the mounts are the fence",
		    probe_fix_landlock(0));
	} else {
		(void)snprintf(text, sizeof(text), "%s: left out, the mounts are the fence",
			       strerror(sys));
		say(c, PROBE_DEGRADED, text, probe_fix_landlock(sys));
	}
}

static void look_at_cgroup(struct probe_check *c)
{
	const struct limits_want want = { .memory = 64u << 20, .processes = 16 };
	char why[256] = "";

	if (session_limits_try(&want, why))
		say(c, PROBE_OK, "memory and processes of a box are limited as a whole", "");
	else
		say(c, PROBE_DEGRADED, why,
		    "without it processes are limited by rlimits and memory is watched");
}

static void look_at_tiocsti(struct probe_check *c)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	/* A file that is missing: a kernel before 6.2, where it is always possible. */
	bool off = !file_read(AT_FDCWD, "/proc/sys/dev/tty/legacy_tiocsti", 64, &text, &ignored) &&
		   text.data[0] == '0';
	say(c, PROBE_OK,
	    off ? "typing into a terminal is switched off in the kernel"
		: "the kernel allows typing into a terminal; the filter of a box refuses it",
	    "");
}

static int try_boxes(struct probe *p, const struct probe_site *where, struct error *err)
{
	bool again = true;

	for (bool grant = true; again; grant = false) {
		struct probe_try t;
		int r = probe_try(where, grant, &t, err);

		again = !r && judge(p, &t) && grant;
		buf_release(&t.plan);
		buf_release(&t.trial.out);
		if (r)
			return -1;
	}
	return 0;
}

int probe_run(const char *dir, struct probe *out, struct error *err)
{
	struct probe_site where = { .dir = dir };
	struct probe p = { .len = CHECK_MAX };
	struct error why = ERROR_INIT;

	for (enum check c = 0; c < CHECK_MAX; c++) {
		p.checks[c].name = rows[c].name;
		p.checks[c].required = rows[c].required;
		p.checks[c].state = PROBE_UNTRIED;
	}
	look_at_landlock(&p);
	look_at_cgroup(&p.checks[CHECK_CGROUP]);
	look_at_tiocsti(&p.checks[CHECK_TIOCSTI]);
	if (ids_choose(NULL, &where.ids, &why))
		say(&p.checks[CHECK_USERNS], PROBE_MISSING, why.msg, why.hint);
	else if (try_boxes(&p, &where, err))
		return -1;
	*out = p;
	return 0;
}

bool probe_process_ok(const struct probe *p)
{
	for (size_t i = 0; i < p->len; i++)
		if (p->checks[i].required && p->checks[i].state > PROBE_DEGRADED)
			return false;
	return true;
}
