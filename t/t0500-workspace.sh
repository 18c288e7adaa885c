#!/bin/sh
test_description='workspace tier: confines nothing, and says so'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'it is never chosen by itself' '
	make_repo repo && cd repo && git box create auto && git box ls | grep auto | grep -q process && git box rm auto
'
test_expect_success 'it says at every use that it confines nothing' '
	cd repo && git box create w --isolation workspace 2>"$TRASH/e1" && cat "$TRASH/e1" &&
	test_grep -i "confine" "$TRASH/e1" && git box run w -- true 2>"$TRASH/e2" && test_grep -i "confine" "$TRASH/e2" &&
	git box status w >"$TRASH/s" 2>&1 && test_grep -i "confine" "$TRASH/s"
'
test_expect_success 'the work tree is detached at the base' '
	cd repo && work=$(git box path w) && test "$(git -C "$work" rev-parse HEAD)" = "$(git rev-parse HEAD)" &&
	{ git -C "$work" symbolic-ref -q HEAD; test $? = 1; } && test -z "$(git branch --list "box*")"
'
test_expect_success 'variables do not leak in the workspace tier' '
	cd repo && SECRET=1 AWS_SECRET_ACCESS_KEY=2 git box run w -- env >"$TRASH/env" 2>/dev/null &&
	! grep -E "SECRET" "$TRASH/env"
'
test_expect_success 'streams, codes and the wall clock as in the other tiers' '
	cd repo && test "$(echo in | git box run --quiet w -- cat)" = in && test_exit 7 git box run w -- sh -c "exit 7" &&
	test_exit 124 git box run --timeout 1s w -- sleep 66.$$ && wait_for 5 "! pgrep -f \"sleep 66[.]$$\""
'
test_expect_success 'rm takes worktree and registration' '
	cd repo && git box rm --force w && test "$(git worktree list | grep -c .)" = 1 && git fsck
'
test_done
