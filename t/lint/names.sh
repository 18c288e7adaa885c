#!/bin/sh
# Names of earlier systems stay out of the tree.
set -u
cd "$(dirname "$0")/../.." || exit 1
git grep -n -i -E 'h[5]i([^a-z]|$)' -- . && exit 1
exit 0
