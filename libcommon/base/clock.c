#include "base/base.h"

#include "base/clock.h"

#define US_PER_S 1000000

int64_t clock_now_us(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_REALTIME, &ts) < 0)
		BUG("no wall clock");
	return (int64_t)ts.tv_sec * US_PER_S + ts.tv_nsec / 1000;
}

uint64_t clock_file_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_mono_us(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0)
		BUG("no monotonic clock");
	return (uint64_t)ts.tv_sec * US_PER_S + (uint64_t)ts.tv_nsec / 1000;
}

void clock_text(int64_t us, char dst[CLOCK_TEXT_MAX])
{
	time_t sec = us / US_PER_S;
	int frac = (int)(us % US_PER_S);
	struct tm tm;
	size_t len;

	if (frac < 0) { /* C rounds towards zero; a date before 1970 needs the floor */
		frac += US_PER_S;
		sec--;
	}
	/* The whole range of int64_t is less than 300,000 years: gmtime_r() cannot overflow. */
	gmtime_r(&sec, &tm);
	len = strftime(dst, CLOCK_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(dst + len, CLOCK_TEXT_MAX - len, ".%06dZ", frac);
}

void clock_ago(int64_t us, int64_t now_us, char dst[32])
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = {
		{ 365 * 86400, "year" }, { 30 * 86400, "month" }, { 7 * 86400, "week" },
		{ 86400, "day" },	 { 3600, "hour" },	  { 60, "minute" },
		{ 1, "second" },
	};
	int64_t seconds;

	if (us > now_us) {
		snprintf(dst, 32, "in the future");
		return;
	}
	seconds = now_us / US_PER_S - us / US_PER_S;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		long long n = seconds / units[i].seconds;

		if (n > 0) {
			snprintf(dst, 32, "%lld %s%s ago", n, units[i].name, n == 1 ? "" : "s");
			return;
		}
	}
	snprintf(dst, 32, "just now");
}
