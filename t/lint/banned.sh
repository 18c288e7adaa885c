#!/bin/sh
# What the poison pragma cannot say: banned words, and calls that belong to one module.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
# C text without comments and strings, with file:line in front.
strip () {
	for f; do
		gcc -fpreprocessed -dD -E -P -w "$f" 2>/dev/null | sed 's/"\(\\.\|[^"\\]\)*"/""/g' | sed "s|^|$f: |"
	done
}
# ban WHAT PATTERN ALLOWED-FILES-PATTERN
ban () {
	hits=$(printf '%s\n' "$text" | grep -v -E "^($3):" | grep -E "^[^ ]+: .*$2") || return 0
	printf '%s\n' "$hits" | sed "s|^|$1: |"
	bad=1
}
# shellcheck disable=SC2046 # a list of words on purpose
text=$(strip $(find libcommon git-box -name '*.c' ! -name filter-gen.c | sort))

ban 'goto' '\bgoto\b' -
ban 'environment outside base/env' '\b(secure_)?getenv *\(' 'libcommon/base/env\.c'
ban 'wall clock outside base/clock' '\b(time|gettimeofday|clock_gettime) *\(' 'libcommon/base/clock\.c'
ban 'dup without CLOEXEC' '[^a-z_0-9]dup *\(' -
ban 'signal()' '[^a-z_0-9]signal *\(' -
ban 'threads' '\bpthread_create\b' -
ban 'printing from library code' '[^a-z_0-9](printf|puts|fprintf|vfprintf|perror|fputs|putchar) *\(' \
	'libcommon/(cli/[a-z-]*|base/(alloc|base))\.c|git-box/[a-z-]*\.c'
ban 'exit from library code' '[^a-z_0-9]exit *\(' 'libcommon/(cli/[a-z-]*|base/(alloc|base))\.c|git-box/[a-z-]*\.c'

grep -r -n -E --include='*.[ch]' '\b(TODO|FIXME|XXX|HACK)\b' libcommon git-box t && bad=1
# conditional compilation has one home; header guards and fault injection are the exceptions
grep -r -n -E --include='*.[ch]' --exclude=compat.h '^#[[:space:]]*(if|ifdef|ifndef)\b' libcommon git-box |
	grep -v -E '#ifndef [A-Z0-9_]+_H$|BOX_INJECT' && { echo 'conditional compilation outside sys/compat.h'; bad=1; }
exit $bad
