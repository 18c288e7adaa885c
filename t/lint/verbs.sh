#!/bin/sh
# Every verb is in the table, in the manual (with a description and every option), in completion and in a test.
set -u
cd "$(dirname "$0")/../.." || exit 1
box=build/plain/bin/git-box
bad=0
[ -x "$box" ] || { echo "verbs: $box is not built"; exit 1; }
man=$("$box" --man) || exit 1
spec=$("$box" --json-spec) || exit 1

for f in git-box/cmd-*.c; do
	verb=${f#git-box/cmd-}
	verb=${verb%.c}
	"$box" "$verb" -h >/dev/null || { echo "$f:1: '$verb -h' fails"; bad=1; }
	printf '%s\n' "$man" | grep -q "git box $verb" || { echo "$f:1: $verb is not in the manual"; bad=1; }
	printf '%s\n' "$spec" | grep -q "\"$verb\"" || { echo "$f:1: $verb is not in --json-spec"; bad=1; }
	grep -q '\.description' "$f" || { echo "$f:1: $verb has no description"; bad=1; }
	grep -q -E "git[- ]box (--?[^ ]+ )*$verb\b" t/t[0-9]*.sh || { echo "$f:1: no test runs $verb"; bad=1; }
done
exit $bad
