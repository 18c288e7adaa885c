/*
 * filter: the seccomp programs, made at build time by filter-gen.c (through
 * libseccomp) and carried as data: loading a ready program costs half of
 * building one at run time.
 */
#ifndef SANDBOX_FILTER_H
#define SANDBOX_FILTER_H

#include <linux/filter.h>
#include <stddef.h>

enum filter {
	FILTER_PAYLOAD, /* commands of a box: allow by default, EPERM for what no program needs and
			   attacks do */
	FILTER_MASON,	/* the same without any socket */
	FILTER_MONITOR, /* allow-list of the monitor after it started a session */
	FILTER_MAX
};

/* Borrowed, static. *len_out: instructions. */
const struct sock_filter *filter_program(enum filter which, size_t *len_out);

#endif
