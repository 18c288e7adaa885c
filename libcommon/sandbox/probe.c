#include "base/base.h"

#include <errno.h>

#include "sandbox/probe.h"
#include "sys/compat.h"

int probe_landlock_abi(int *sys_out)
{
	long abi = syscall(COMPAT_SYS_landlock_create_ruleset, NULL, 0,
			   COMPAT_LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 0 && sys_out)
		*sys_out = errno;
	return abi < 0 ? 0 : (int)abi;
}
