/*
 * fd: owning a descriptor, and whole reads and writes. Everything here is
 * close-on-exec.
 */
#ifndef SYS_FD_H
#define SYS_FD_H

#include "base/error.h"

#define FD_AUTO __attribute__((cleanup(fd_close))) int

void fd_close(int *fd); /* closes where >= 0 and sets -1; keeps errno */
int fd_take(int *fd);	/* returns *fd and sets it to -1: passes ownership on */

/* All fail with sys. */
int fd_dup(int fd, struct error *err);		 /* a copy above 2; the new fd, or -1 */
int fd_pipe(int out[2], struct error *err);	 /* out[0] reads, out[1] writes */
int fd_socketpair(int type, int out[2], struct error *err); /* AF_UNIX */

/* Whole writes and reads, retried on EINTR. fd_read_full fails (peer) on an early end. */
int fd_write_full(int fd, const void *data, size_t len, struct error *err);
int fd_read_full(int fd, void *dst, size_t len, struct error *err);

/* Exactly len bytes, from the one's position to the other's. Errors: peer (an early end), sys. */
int fd_copy(int from, int to, uint64_t len, struct error *err);

/* Sets or clears O_NONBLOCK. */
int fd_nonblock(int fd, bool on, struct error *err);

/* Sealed memfd holding data (F_SEAL_WRITE|GROW|SHRINK|SEAL), offset 0. The fd, or -1. */
int fd_sealed(const char *name, const void *data, size_t len, struct error *err);

#endif
