/*
 * target: what every fuzz target shares. A target must not keep anything from
 * one input to the next, and checks what it claims with MUST(): a parser that
 * accepts garbage without crashing is a finding, too.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) \
	do { \
		if (!(condition)) \
			BUG("claim does not hold: %s", #condition); \
	} while (0)

#endif
