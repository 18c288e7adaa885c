#!/bin/sh
# Every header compiles alone and is guarded; every .c starts from base.h.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
variant=${VARIANT:-plain}

for h in $(find libcommon git-box -name '*.h' | sort); do
	case $h in
	# the poison headers are meant to be the last include
	libcommon/sandbox/poison.h) continue ;;
	esac
	printf '#include "%s"\n' "${h#libcommon/}" |
		gcc -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Ilibcommon -I. -I"build/$variant/gen" \
			-x c - || { echo "$h:1: does not compile alone"; bad=1; }
	guard=$(echo "$h" | sed 's|^libcommon/||; s|[/.-]|_|g' | tr '[:lower:]' '[:upper:]')
	grep -q "^#ifndef $guard\$" "$h" || { echo "$h:1: guard is not $guard"; bad=1; }
done
for c in $(find libcommon git-box -name '*.c' ! -name filter-gen.c | sort); do
	first=$(grep -m1 '^#include' "$c")
	[ "$first" = '#include "base/base.h"' ] || { echo "$c:1: first include is not base/base.h"; bad=1; }
done
exit $bad
