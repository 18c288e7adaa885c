/*
 * lock: flock(2) with a deadline. The lock lives as long as the descriptor
 * (and its copies in children that inherit it).
 */
#ifndef SYS_LOCK_H
#define SYS_LOCK_H

#include "base/error.h"

enum lock_mode { LOCK_SHARED, LOCK_EXCLUSIVE };

/*
 * Opens (creating, mode 0600, O_NOFOLLOW|O_CLOEXEC) name below dirfd and locks
 * it, waiting at most wait_ms (0: not at all). The holder may unlink the file: who
 * waited for it then locks a new one. The fd, or -1. Errors: busy, sys.
 */
int lock_acquire(int dirfd, const char *name, enum lock_mode mode, uint64_t wait_ms,
		 struct error *err);

/* True where somebody holds a lock that excludes `mode`; false also where the file is missing. */
bool lock_is_held(int dirfd, const char *name, enum lock_mode mode);

#endif
