#!/bin/sh
# No mutable state outside a function's frame: no object of the programs may have a symbol in .data or .bss.
# Constant tables of pointers lie in .data.rel.ro and are fine.
set -u
cd "$(dirname "$0")/../.." || exit 1
objects=$(find build/plain/libcommon build/plain/git-box -name '*.o' 2>/dev/null | sort)
[ -n "$objects" ] || { echo 'statics: build/plain has no objects'; exit 1; }

# shellcheck disable=SC2086 # a list of words on purpose
objdump -t $objects | awk '
	/file format/ { file = $1; sub(/^build\/plain\//, "", file); sub(/:$/, "", file) }
	/ O / && ($0 ~ /[ \t](\.data|\.bss|\.tdata|\.tbss|\.data\.rel|\.data\.rel\.local|\*COM\*)\t/) {
		print file ": mutable " $NF; bad = 1
	}
	END { exit bad }'
