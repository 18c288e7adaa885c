#!/bin/sh
test_description='probe, doctor, and hosts that lack something'
test_lanes=both
. "${0%/*}/test-lib.sh"

deny=$HELPER_DIR/deny
# Runs argv where no further user namespace can be made.
no_userns () {
	unshare -U --map-user="$(id -u)" --keep-caps sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh "$@"
}
# The base of a bundle that rm kept is pinned as long as the bundle.
nothing_left () {
	! ls repo/.git/box/b/* 2>/dev/null && ! ls repo/.git/box/name/* 2>/dev/null &&
	git -C repo for-each-ref --format="%(refname:lstrip=3)" refs/box >refs &&
	while read -r id; do test -e "repo/.git/box/removed/$id.bundle" || return 1; done <refs &&
	test "$(git -C repo worktree list | grep -c .)" = 1
}

test_expect_success 'probe says what works here' '
	make_repo repo && cd repo && git box probe >"$TRASH/o" && cat "$TRASH/o" && test_grep process "$TRASH/o" &&
	git box probe --json | python3 -m json.tool >/dev/null && git box capabilities >/dev/null
'
# Without its walls every attempt of the self-test works: for root all, for others those that need no root.
test_expect_success 'control: the attempts of the self-test' '
	echo x >outside && cat >listen.py <<-\EOF &&
	import os, socket, subprocess, sys
	a, b, c = [socket.socket(f) for f in (socket.AF_UNIX, socket.AF_UNIX, socket.AF_INET)]
	a.bind("sock"); b.bind("\0" + "box-test-%d" % os.getpid()); c.bind(("127.0.0.1", 0))
	for s in (a, b, c):
	    s.listen()
	sys.exit(subprocess.call(sys.argv[1:] + [os.path.abspath("outside"), os.path.abspath("sock"),
	    "box-test-%d" % os.getpid(), str(c.getsockname()[1])], stdout=subprocess.DEVNULL))
	EOF
	prober=$INST/usr/libexec/git-box/git-box-probe &&
	if [ "$(id -u)" = 0 ]; then
		{ unshare -m --propagation private python3 listen.py "$prober" 2>names; test $? = 10; } &&
		for name in core-pattern dev-null shadow mount; do test_grep -x "$name" names || return 1; done
	else
		{ python3 listen.py "$prober" 2>names; test $? = 13; }
	fi &&
	for name in file socket abstract-socket port user-namespace; do test_grep -x "$name" names || return 1; done
'
test_expect_success 'doctor finds nothing wrong in a fresh repository' '
	cd repo && git box create d && { git box doctor >"$TRASH/o" 2>&1; test $? -le 1; } && cat "$TRASH/o" &&
	test_grep safe.bareRepository "$TRASH/o" && git box rm d
'
test_expect_success 'an explicit tier that this host lacks is refused, naming what is missing' '
	cd repo && { git box create x --isolation microvm 2>"$TRASH/e"; test $? = 2; } && cat "$TRASH/e" &&
	test_grep microvm "$TRASH/e" && { git box create x --isolation nonsense 2>"$TRASH/e"; test $? = 129; }
'
test_expect_success 'a refused create leaves nothing' 'nothing_left'
test_expect_success 'user namespaces that cannot be used fail the self-test' '
	(cd repo && { no_userns git-box probe >"$TRASH/o" 2>&1; test $? = 1; }) && cat o &&
	test_grep -i -E "user.?n(ame)?s" o && test_grep -E "sysctl|AppArmor|max_user_namespaces|map-auto" o &&
	(cd repo && { no_userns git-box create x --isolation process 2>"$TRASH/e"; test $? = 2; }) && cat e && nothing_left
'
test_expect_success 'mounts that are refused, as in a container' '
	(cd repo && { "$deny" mounts=13 -- git-box probe >"$TRASH/o" 2>&1; test $? = 1; }) && cat o && test_grep -i mount o &&
	(cd repo && { "$deny" mounts=13 -- git-box create x --isolation process 2>"$TRASH/e"; test $? = 2; }) && cat e &&
	test_grep -i mount e && nothing_left
'
test_expect_success 'Landlock is found by system call' '
	(cd repo && unshare -Urm sh -c "mount -t tmpfs none /sys/kernel/security 2>/dev/null; git-box probe" >"$TRASH/o" 2>&1 || :) &&
	(cd repo && traced -e trace=openat,landlock_create_ruleset -o "$TRASH/trace" git-box probe >/dev/null) &&
	test_grep landlock_create_ruleset trace && ! grep -F /sys/kernel/security trace
'
test_expect_success 'no Landlock is said' '
	(cd repo && { "$deny" landlock=38 -- git-box probe >"$TRASH/o" 2>&1 || :; }) && cat o && test_grep -i landlock o &&
	grep -i landlock o | grep -i -q -E "missing|not|none|without|degraded"
'
test_expect_success 'an old Landlock is named' '
	(cd repo && { "$deny" landlock-abi=1 -- git-box probe >"$TRASH/o" 2>&1 || :; }) && cat o &&
	grep -i landlock o | grep -q 1 &&
	(cd repo && "$deny" landlock-abi=1 -- git-box create old && "$deny" landlock-abi=1 -- git-box run old -- sh -c "
		mkdir -p d && echo x >f && mv f d/f" && "$deny" landlock-abi=1 -- git-box status old >"$TRASH/o" && git-box rm --force old) &&
	test_grep -i landlock o
'
test_expect_success 'a Landlock rule that cannot be enforced fails the run' '
	(cd repo && git-box create p && test_exit 125 "$deny" landlock-rule=22 -- git-box run p -- touch ran 2>"$TRASH/e") &&
	cat e && test_grep -i -E "landlock|confin" e && (cd repo && ! test -e "$(git-box path p)/ran" && git-box rm p)
'
test_expect_success 'another place of installation gives the same answer' '
	cp -R "$INST/usr" "$TRASH/elsewhere" && cd repo && git-box probe --json >"$TRASH/a" &&
	"$TRASH/elsewhere/bin/git-box" probe --json >"$TRASH/b" && cmp "$TRASH/a" "$TRASH/b" &&
	"$TRASH/elsewhere/bin/git-box" run --rm -- true
'
test_expect_success 'a missing helper is named' '
	rm "$TRASH/elsewhere/libexec/git-box/git-box-monitor" && cd repo &&
	{ "$TRASH/elsewhere/bin/git-box" run --rm -- true 2>"$TRASH/e"; test $? = 125; } && test_grep git-box-monitor "$TRASH/e" &&
	cd .. && nothing_left
'
test_expect_success 'inside another box' '
	cp -R "$INST/usr" repo/.inst && (cd repo && git add -f .inst && git commit -qm inst && git box create outer &&
		{ git box run outer -- .inst/bin/git-box create inner --isolation process 2>"$TRASH/e"; test $? = 2; } &&
		cat "$TRASH/e" && test_grep -i -E "user.?n(ame)?s|inside a box" "$TRASH/e" && git box rm --force outer)
'
test_expect_success 'a setuid copy refuses to run' '
	if [ "$(id -u)" = 0 ]; then
		cp -R "$INST/usr" "$TRASH/suid" && chmod 755 "$TRASH" && chmod 4755 "$TRASH/suid/bin/git-box" &&
		{ as_user "$TRASH/suid/bin/git-box" probe >o 2>&1; test $? != 0; } && cat o && test_grep -i setuid o
	fi
'
test_done
