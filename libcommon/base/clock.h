/*
 * clock: the only place that asks what time it is.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/base.h"

int64_t clock_now_us(void);	  /* wall clock, microseconds since the epoch */
uint64_t clock_mono_us(void);	  /* monotonic, microseconds */

/* The coarse wall clock by which the kernel stamps files, nanoseconds since the epoch. */
uint64_t clock_file_ns(void);

/* RFC 3339 in UTC with microseconds, "2026-11-30T21:45:19.000001Z": 27 bytes and NUL. */
#define CLOCK_TEXT_MAX 32
void clock_text(int64_t us, char dst[CLOCK_TEXT_MAX]);

/* "3 minutes ago" style, for people. */
void clock_ago(int64_t us, int64_t now_us, char dst[32]);

#endif
