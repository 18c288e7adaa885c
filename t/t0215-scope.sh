#!/bin/sh
test_description='limits: a systemd scope asked for at a manager that is fake, and maybe hostile'
test_lanes=root
. "${0%/*}/test-lib.sh"

# A pure cgroup v2 hierarchy, whatever this machine has, in a mount namespace of the test's own; in it everything runs
# as the ordinary user, whose manager listens at $TRASH/run/systemd/private.
ours () {
	unshare -m sh -c 'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"' sh \
		setpriv --reuid="$TEST_UID" --regid="$TEST_UID" --clear-groups --inh-caps=-all \
		env XDG_RUNTIME_DIR="$TRASH/run" "$@"
}
ours true 2>/dev/null || skip_all 'no cgroup2 can be mounted here'

# The user must reach the programs wherever the tree lies, in root's own HOME too.
as_user test -x "$INST/usr/bin/git-box" || {
	cp -R "$INST" "$TRASH/inst" && chmod 755 "$TRASH"
	PATH=$TRASH/inst/usr/bin:$PATH
}

manager_uid=$TEST_UID

# with_manager MODE CMD...: a fake manager of that mode listens while CMD runs; $TRASH/record holds what it was asked.
with_manager () {
	mode=$1
	shift
	rm -f "$TRASH/run/systemd/private" && : >"$TRASH/record" && chmod 666 "$TRASH/record"
	python3 "$T_DIR/helper/fake-manager.py" "$TRASH/run/systemd/private" "$TRASH/record" "$mode" "$manager_uid" &
	manager=$!
	wait_for 10 'test -S "$TRASH/run/systemd/private"' && "$@"
	with_rc=$?
	kill "$manager"
	wait "$manager" 2>/dev/null
	return "$with_rc"
}

# status has these words instead of a promise.
falls_back () {
	with_manager "$1" ours git-box status b >s && cat s && test_grep -E "^memory .* watched .*$2" s &&
	! grep -E "^processes .*cgroup" s &&
	! LC_ALL=C grep -q "$(printf "\033")" s
}

test_expect_success 'setup' '
	mkdir -p run/systemd && make_repo repo && chmod 755 . && touch record && chown -R "$TEST_UID" repo run "$HOME" "$TMPDIR" &&
	cd repo && ours git-box create b
'
test_expect_success 'without a manager the limits are watched, and status says where it was looked for' '
	cd repo && ours git-box status b >s && cat s && test_grep -F "$TRASH/run/systemd/private" s && test_grep watched s
'
test_expect_success 'the manager is asked for a scope around the monitor, with every limit' '
	cd repo && with_manager good ours git-box run b -- true && cat "$TRASH/record" && python3 - "$TRASH/record" <<-\PY
	import json, re, sys
	calls = [json.loads(line) for line in open(sys.argv[1])]
	assert len(calls) == 1, calls
	c, = calls
	assert c["path"] == "/org/freedesktop/systemd1" and c["interface"] == "org.freedesktop.systemd1.Manager"
	assert c["member"] == "StartTransientUnit" and c["mode"] == "fail" and c["aux"] == []
	assert re.fullmatch(r"git-box-[0-9a-f]{16}\.scope", c["unit"])
	p = c["properties"]
	assert p.pop("Description") and len(p.pop("PIDs")) == 1
	assert p == {"MemoryMax": 4 << 30, "MemorySwapMax": 0, "TasksMax": 257, "CollectMode": "inactive-or-failed"}, p
	PY
'
test_expect_success 'a manager that does not do what it says is not believed' '
	cd repo && falls_back good "did not put the monitor"
'
test_expect_success 'the box runs all the same' '
	cd repo && with_manager silence ours git-box run b -- echo ran >o && test_grep -x ran o &&
	with_manager noise ours git-box run b -- echo ran >o && test_grep -x ran o
'
for mode in truncated truncated-head; do
	test_expect_success "hostile reply: $mode" "cd repo && falls_back $mode 'hung up'"
done
for mode in huge-body huge-fields huge-string huge-signature big-endian twice noise endless-greeting; do
	test_expect_success "hostile reply: $mode" "cd repo && falls_back $mode 'makes no sense'"
done
for mode in silence wrong-serial no-job other-job; do
	test_expect_success "no answer that is meant for us: $mode" "
		cd repo && start=\$(date +%s) && falls_back $mode 'did not answer in time' &&
		test \$((\$(date +%s) - start)) -le 10"
done
test_expect_success 'a refusal is shown, without its escapes' 'cd repo && falls_back refused "refused: Access .*denied"'
test_expect_success 'a failed job is shown, without its escapes' 'cd repo && falls_back failed "could not make a scope: failed"'
test_expect_success 'a manager that does not let us in' 'cd repo && falls_back rejected "does not let us in"'
test_expect_success 'a socket of another user is not asked' '
	cd repo && chmod 777 "$TRASH/run/systemd" && manager_uid=1001 && falls_back refused "belongs to uid 1001" &&
	! grep -q properties "$TRASH/record"
'
test_expect_success 'a path that is too long for a socket' '
	cd repo && long=/$(printf "%0150d" 0) && ours env XDG_RUNTIME_DIR="$long" git-box status b >s && cat s &&
	test_grep "too long" s
'
test_done
