#!/bin/sh
# Installs the named Debian packages where one is missing; a no-op that takes milliseconds where all are there.
set -eu

missing=
for p; do
	# "installed" must be the third word: removed packages keep an entry
	dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q ' installed$' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || {
		echo "deps: missing:$missing; become root and run: apt-get install$missing" >&2
		exit 1
	}
	as_root=sudo
fi
echo "deps: installing$missing"
$as_root apt-get -qq update
# shellcheck disable=SC2086 # a list of words on purpose
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $missing >/dev/null
