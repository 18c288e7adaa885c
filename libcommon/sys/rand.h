/*
 * rand: unguessable names (getrandom).
 */
#ifndef SYS_RAND_H
#define SYS_RAND_H

#include "base/error.h"

/* `digits` lower-case hex digits and NUL into dst. */
void rand_hex(char *dst, size_t digits);

#endif
