/* git-box-monitor: see role/monitor.h. */
#include "base/base.h"

#include "role/monitor.h"

int main(void)
{
	return monitor_main();
}
