/*
 * poison: included last by every file whose code runs between clone and exec.
 * There the process is a copy of the monitor with unknown heap and stdio
 * state, so nothing but system calls is allowed; t/lint/child-symbols.sh
 * checks the objects as well.
 */
#ifndef SANDBOX_POISON_H
#define SANDBOX_POISON_H

#pragma GCC poison malloc calloc realloc free printf fprintf snprintf vsnprintf
#pragma GCC poison perror strerror exit setenv fopen fdopen fclose syslog
#pragma GCC poison xmalloc xcalloc xstrdup error_set error_sys

#endif
