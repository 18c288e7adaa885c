/*
 * session-file: one live command's entry in box/b/<id>/session/, so that `ls`,
 * `rm` and `abort` see it. Its flock is the life of the session: the monitor
 * shares it.
 */
#ifndef BOX_SESSION_FILE_H
#define BOX_SESSION_FILE_H

#include <sys/types.h>

#include "base/error.h"

struct session_file {
	int dir_fd;    /* session/ */
	int fd;	       /* the entry, locked; -1: not registered */
	char name[17]; /* 16 hex digits, chosen by the caller */
};
#define SESSION_FILE_INIT                          \
	{                                          \
		.dir_fd = -1, .fd = -1, .name = "" \
	}

/* Makes the entry f->name, locked. box_fd -1: nothing is registered. Errors: sys. */
int session_file_open(struct session_file *f, int box_fd, struct error *err);
/* Writes the line that session_info_parse() reads. Errors: sys. */
int session_file_write(struct session_file *f, pid_t monitor, const char *label, struct error *err);
/* Removes the entry. */
void session_file_close(struct session_file *f);

#endif
