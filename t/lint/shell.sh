#!/bin/sh
# Every shell file of the tree passes shellcheck; every test script is executable and ends with test_done.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
files=$(grep -r -l -m1 --include='*' -E '^#!.*/(ba)?sh' .ci t completion 2>/dev/null | sort -u)

# SC1090/SC1091: test-lib.sh is sourced by a computed path. SC2016, SC2034: test bodies are quoted text that is
# evaluated later and sees the script's variables.
# shellcheck disable=SC2086 # a list of words on purpose
shellcheck -e SC1090,SC1091,SC2016,SC2034 t/test-lib.sh $files || bad=1
for f in t/t[0-9]*.sh; do
	[ -x "$f" ] || { echo "$f:1: is not executable"; bad=1; }
	grep -q '^test_done$' "$f" || { echo "$f:1: has no test_done"; bad=1; }
done
exit $bad
