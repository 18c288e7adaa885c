#!/bin/sh
test_description='escapes: what host uid 0 would open'
test_lanes=root
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' '
	make_box_repo repo b && (cd repo && git box run b -- true)
'
escape_probe 'core_pattern' repo b 'exec 3>>/proc/sys/kernel/core_pattern'
escape_probe 'the host name setting' repo b 'exec 3>>/proc/sys/kernel/hostname'
escape_probe 'chmod of a device' repo b 'chmod 666 /dev/null'
escape_probe 'the shadow file' repo b 'head -c1 /etc/shadow'

test_expect_success 'the payload of root runs under an unprivileged uid' '
	(cd repo && git box run b -- sh -c "echo uid \$(id -u); sleep 3" >"$TRASH/out" &
	echo $! >"$TRASH/pid") &&
	wait_for 5 "grep -q uid out" &&
	! grep -x "uid 0" out &&
	found= &&
	for p in $(pgrep -x sleep); do
		grep -q "$TRASH/repo" "/proc/$p/mountinfo" 2>/dev/null || continue
		found=$(sed -n "s/^Uid:\t\([0-9]*\).*/\1/p" "/proc/$p/status")
	done &&
	echo "host uid $found" && test -n "$found" && test "$found" != 0
'
test_expect_success 'the uid can be chosen' '
	cd repo && git config box.uid 54321 && git box create own && git box run own -- id -u >"$TRASH/out" &&
	test_grep -x 54321 "$TRASH/out" && git config --unset box.uid
'
test_expect_success 'the records stay those of root' '
	test "$(stat -c %u:%a repo/.git/box)" = 0:700 &&
	for d in repo/.git/box/b/*; do
		test "$(stat -c %u "$d")" = 0 && test "$(stat -c %u "$d/manifest.json")" = 0 &&
		test "$(stat -c %u "$d/work")" != 0 || return 1
	done
'
wait
test_done
