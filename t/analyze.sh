#!/bin/sh
# clang-tidy (.clang-tidy) and cppcheck over the given sources; the first argument is the folder of generated files.
set -eu
cd "$(dirname "$0")/.."
gen=$1
shift
echo "clang-tidy: $# files"
printf '%s\n' "$@" | GEN=$gen xargs -P2 -n8 sh -c '
	clang-tidy --quiet "$@" -- -std=gnu17 -D_GNU_SOURCE -DBOX_VERSION="\"0\"" -iquote libcommon -iquote . \
		-iquote "$GEN" 2>/dev/null' sh
echo "cppcheck: $# files"
cppcheck --quiet -j2 --std=c11 --library=gnu --include=t/lint/cppcheck.h --enable=warning,performance,portability \
	--inline-suppr --error-exitcode=1 -Ilibcommon -I. -I"$gen" -D_GNU_SOURCE "$@"
