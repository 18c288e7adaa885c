#!/bin/bash
# One operator's tests in the guest: lane.sh root|user|bare. Run as that operator.
lane=$1
TRASH=$(mktemp -d /var/tmp/vm.XXXXXX)
. /vm/guest-lib.sh
cd "$TRASH" || exit 1

check 'setup' 'make_repo repo'
cd repo || exit 1
check 'probe says what works' '
	git-box probe >"$TRASH/o"; cat "$TRASH/o"
	grep -q -E "^cgroup +ok" "$TRASH/o"; grep -q "process tier: works" "$TRASH/o"'
if [ "$lane" = bare ]; then
	check 'probe says that Landlock is missing, and how to get it' '
		git-box probe >"$TRASH/o"; grep -E "^landlock +degraded" "$TRASH/o"; grep -E "^landlock: .*lsm=" "$TRASH/o"'
else
	check 'probe knows the old Landlock' 'git-box probe >"$TRASH/o"; grep -E "^landlock +ok +ABI 2" "$TRASH/o"'
fi
check 'create and run' 'git-box create b --isolation process; git-box run b -- cat README | grep -x "a sample"'
check 'limits of the test' 'set_limits . b 134217728 64; git-box run b -- true'
limits_hold
renames_work
echo secret >"$TRASH/secret"
check 'a file beside the repository is not in the box' '
	test -r "$TRASH/secret"; git-box run b -- sh -c "! cat "$TRASH/secret" && echo DENIED" | grep -x DENIED'
check 'rm' 'git-box rm --force b; test -z "$(ls .git/box/b)"'
cd / && rm -rf "$TRASH"
echo "lane $lane ended"
