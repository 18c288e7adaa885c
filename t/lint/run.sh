#!/bin/sh
# Runs every lint beside it; says which failed. Each lint prints its findings as file:line: text and exits 1.
set -u
cd "$(dirname "$0")/../.." || exit 1
failed=
for lint in t/lint/*.sh; do
	[ "$lint" = t/lint/run.sh ] && continue
	"$lint" || failed="$failed ${lint##*/}"
done
[ -z "$failed" ] && echo "lint: all clean" && exit 0
echo "lint: failed:$failed" >&2
exit 1
