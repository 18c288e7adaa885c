/*
 * Calls that have a safer helper here; using one is a compile error.
 *
 *   strcpy strcat sprintf vsprintf strncpy strncat   base/buf.h
 *   strtok strtol atoi and friends                   base/num.h
 *   dup system popen signal                          sys/fd.h, sys/proc.h
 *   getenv time                                      base/env.h, base/clock.h
 *
 * System headers that declare these must be included before the poison takes
 * effect, hence the includes.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok
#pragma GCC poison atoi atol atoll strtol strtoul strtoll strtoull
#pragma GCC poison system popen mktemp tmpnam tempnam gets

#endif
