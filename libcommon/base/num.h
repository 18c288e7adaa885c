/*
 * num: the only place where text becomes a number. Every function wants the
 * whole string: no blanks, no sign, no trailing text.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/error.h"

/* Decimal in [min, max]. Errors: usage, limit. */
int num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out, struct error *err);

/* Bytes: "4096", "512K", "4g" (K M G T in either case are powers of 1024). Errors: usage, limit. */
int num_size(const char *s, uint64_t *out, struct error *err);

/*
 * Milliseconds from "250ms", "90", "90s", "30m", "2h", "1d" (either case); a bare
 * number is seconds. Errors: usage, limit.
 */
int num_duration_ms(const char *s, uint64_t *out, struct error *err);

/* Human forms, for example "4.0G", "30m" and "1m30s"; dst must hold 32 bytes. */
void num_size_text(uint64_t bytes, char dst[32]);
void num_duration_text(uint64_t ms, char dst[32]);

/* Lower-case hex; dst must hold 2 * len + 1 bytes. */
void num_hex(const void *src, size_t len, char *dst);

#endif
