/*
 * stamp: whether a work tree stands still. A snapshot that failed while it did
 * not is nobody's fault but its files'.
 */
#ifndef MASON_STAMP_H
#define MASON_STAMP_H

#include <stdint.h>

/*
 * A sum over the names, kinds and change times of everything below work_fd, symlinks not followed;
 * what cannot be looked at counts by that. Two that are equal do not prove that nothing happened in
 * between; two that differ prove that something did.
 */
uint64_t stamp_tree(int work_fd);

#endif
