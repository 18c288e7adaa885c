#include "base/base.h"

#include "sandbox/probe.h"
#include "sys/compat.h"

int probe_landlock_abi(void)
{
	long abi = syscall(COMPAT_SYS_landlock_create_ruleset, NULL, 0,
			   COMPAT_LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}
