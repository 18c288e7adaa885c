/*
 * compat: kernel constants and structures newer than Debian 12's headers. The
 * single place for them; what the running kernel knows is probed, never
 * assumed. Source: include/uapi/linux/landlock.h of Linux 6.12.
 */
#ifndef SYS_COMPAT_H
#define SYS_COMPAT_H

#include <stdint.h>
#include <sys/syscall.h>

#define COMPAT_SYS_landlock_create_ruleset SYS_landlock_create_ruleset
#define COMPAT_SYS_landlock_add_rule SYS_landlock_add_rule
#define COMPAT_SYS_landlock_restrict_self SYS_landlock_restrict_self

#define COMPAT_LANDLOCK_CREATE_RULESET_VERSION (1u << 0)
#define COMPAT_LANDLOCK_RULE_PATH_BENEATH 1

/* handled_access_fs, by the ABI that brought them */
#define COMPAT_LANDLOCK_FS_EXECUTE (1ull << 0)
#define COMPAT_LANDLOCK_FS_WRITE_FILE (1ull << 1)
#define COMPAT_LANDLOCK_FS_READ_FILE (1ull << 2)
#define COMPAT_LANDLOCK_FS_READ_DIR (1ull << 3)
#define COMPAT_LANDLOCK_FS_REMOVE_DIR (1ull << 4)
#define COMPAT_LANDLOCK_FS_REMOVE_FILE (1ull << 5)
#define COMPAT_LANDLOCK_FS_MAKE_CHAR (1ull << 6)
#define COMPAT_LANDLOCK_FS_MAKE_DIR (1ull << 7)
#define COMPAT_LANDLOCK_FS_MAKE_REG (1ull << 8)
#define COMPAT_LANDLOCK_FS_MAKE_SOCK (1ull << 9)
#define COMPAT_LANDLOCK_FS_MAKE_FIFO (1ull << 10)
#define COMPAT_LANDLOCK_FS_MAKE_BLOCK (1ull << 11)
#define COMPAT_LANDLOCK_FS_MAKE_SYM (1ull << 12)
#define COMPAT_LANDLOCK_FS_REFER (1ull << 13)	  /* ABI 2 */
#define COMPAT_LANDLOCK_FS_TRUNCATE (1ull << 14)  /* ABI 3 */
#define COMPAT_LANDLOCK_FS_IOCTL_DEV (1ull << 15) /* ABI 5 */

#define COMPAT_LANDLOCK_SCOPE_ABSTRACT_UNIX (1ull << 0) /* ABI 6 */
#define COMPAT_LANDLOCK_SCOPE_SIGNAL (1ull << 1)

struct compat_landlock_ruleset {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* ABI 4 */
	uint64_t scoped;	     /* ABI 6 */
};

struct compat_landlock_path_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

#endif
