#include "base/base.h"

#include <errno.h>
#include <sys/resource.h>

#include "sandbox/sandbox.h"

struct step_text {
	const char *what;
	const char *eperm_fix; /* usual cause and fix where the kernel says EPERM, EACCES, ENOSPC or
				  EINVAL */
};

#define USERNS_FIX                                                                                \
	"unprivileged user namespaces are restricted here: on Ubuntu 24.04 install the AppArmor " \
	"profile or set kernel.apparmor_restrict_unprivileged_userns=0; in Docker run with "      \
	"--security-opt seccomp=unconfined; see 'git box probe'"

static const struct step_text steps[STEP_MAX] = {
	[STEP_NONE] = { "nothing", NULL },
	[STEP_CLONE] = { "making namespaces", USERNS_FIX },
	[STEP_ID_MAP] = { "writing the id maps", USERNS_FIX },
	[STEP_PIPES] = { "making the pipes of the command", NULL },
	[STEP_MONITOR] = { "running the monitor, or confining it by Landlock and seccomp", NULL },
	[STEP_PRIVATE] = { "making mounts private", USERNS_FIX },
	[STEP_ROOT] = { "entering the new root", USERNS_FIX },
	[STEP_MOUNT] = { "mount", NULL },
	[STEP_NETWORK] = { "making the network namespace", USERNS_FIX },
	[STEP_LOOPBACK] = { "bringing the loopback interface up", USERNS_FIX },
	[STEP_HOSTNAME] = { "setting the host name", USERNS_FIX },
	[STEP_USERNS_MAX] = { "forbidding further user namespaces", NULL },
	[STEP_DETACH_OLD] = { "leaving the old root", NULL },
	[STEP_ROOT_RO] = { "making the new root read-only", NULL },
	[STEP_AUDIT] = { "checking what is mounted against the plan", NULL },
	[STEP_SPAWNER] = { "starting the spawner", NULL },
	[STEP_IDS] = { "changing to the payload's uid", NULL },
	[STEP_USERNS] = { "entering the second user namespace",
			  "nested user namespaces are restricted here; see 'git box probe'" },
	[STEP_USERNS_MAP] = { "writing the second id maps", NULL },
	[STEP_CAPS] = { "dropping capabilities", NULL },
	[STEP_RLIMIT] = { "setting a resource limit", NULL },
	[STEP_NO_NEW_PRIVS] = { "setting no_new_privs", NULL },
	[STEP_LANDLOCK] = { "enforcing Landlock", NULL },
	[STEP_LANDLOCK_RULE] = { "Landlock rule", NULL },
	[STEP_SECCOMP] = { "loading the seccomp filter", NULL },
	[STEP_PAYLOAD] = { "reading the command", NULL },
	[STEP_FORK] = { "starting the command", NULL },
};

static void subject(const struct fault *f, const struct plan *plan, struct buf *out)
{
	bool mount = f->step == STEP_MOUNT || f->step == STEP_AUDIT;

	if (mount && plan && f->index < plan->mounts.len) {
		buf_fmt(out, " %u: ", f->index);
		plan_mount_text(plan, &plan_mounts(plan)[f->index], out);
	} else if (f->step == STEP_LANDLOCK_RULE && plan && f->index < plan->rules.len) {
		buf_fmt(out, " for %s", plan_str(plan, plan_rules(plan)[f->index].path));
	} else if (f->step == STEP_RLIMIT && plan && f->index < plan->rlimits.len) {
		buf_fmt(out, " (resource %u)", plan_rlimits(plan)[f->index].resource);
	}
}

static bool is_refusal(int sys)
{
	return sys == EPERM || sys == EACCES || sys == ENOSPC || sys == ENOSYS || sys == EUSERS;
}

int sandbox_fault_error(const struct fault *f, const struct plan *plan, struct error *err)
{
	BUF_AUTO what = BUF_INIT;
	const struct step_text *text = &steps[f->step < STEP_MAX ? f->step : STEP_NONE];

	subject(f, plan, &what);
	error_sys(err, f->sys, "cannot confine: %s%s", text->what, what.data);
	if (text->eperm_fix && is_refusal(f->sys)) {
		err->kind = ERR_UNSUPPORTED;
		error_hint(err, "%s", text->eperm_fix);
	}
	return -1;
}
