#!/bin/sh
# What runs after clone may only make system calls: the objects listed in child-symbols.allow may use the symbols
# listed there, and each other's, and nothing else.
#   object libcommon/sandbox/child.o
#   symbol mount
set -u
cd "$(dirname "$0")/../.." || exit 1
allow=t/lint/child-symbols.allow
objects=$(sed -n 's|^object |build/plain/|p' "$allow")
[ -n "$objects" ] || { echo "$allow: names no object"; exit 1; }
for o in $objects; do
	[ -f "$o" ] || { echo "$o: listed in $allow but not built"; exit 1; }
done

# shellcheck disable=SC2086 # a list of words on purpose
{ sed -n 's/^symbol /allow /p' "$allow"; nm -A $objects; } | awk '
	$1 == "allow"		{ ok[$2] = 1; next }
	$2 == "U"		{ used[$3] = $1; next }
	NF == 3 && $2 ~ /^[A-Z]$/ { ok[$3] = 1 }
	END {
		for (s in used)
			if (!(s in ok)) { print used[s] " uses " s; bad = 1 }
		exit bad
	}'
