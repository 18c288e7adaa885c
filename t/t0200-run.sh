#!/bin/sh
test_description='run: streams, codes, signals, surroundings'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' 'make_box_repo repo b'

test_expect_success 'streams are separate and live, stdin arrives' '
	cd repo && printf "a\nb\n" | git box run b -- sh -c "cat; echo err >&2" >"$TRASH/o" 2>"$TRASH/e" &&
	printf "a\nb\n" | cmp - "$TRASH/o" && echo err | cmp - "$TRASH/e"
'
test_expect_success 'streams can be opened by name' '
	cd repo && echo in | git box run b -- sh -c "cat /dev/stdin; echo e >/dev/stderr; echo o >/dev/stdout" \
		>"$TRASH/o" 2>"$TRASH/e" && printf "in\no\n" | cmp - "$TRASH/o" && echo e | cmp - "$TRASH/e"
'
test_expect_success 'binary bytes pass unchanged' '
	cd repo && head -c 3000000 /dev/urandom >"$TRASH/bytes" &&
	git box run b -- cat <"$TRASH/bytes" >"$TRASH/back" && cmp "$TRASH/bytes" "$TRASH/back"
'
test_expect_success 'a reader that goes away does not hang the run' '
	cd repo && { timeout 20 git box run b -- yes 2>/dev/null; echo $? >"$TRASH/code"; } | head -n 1 >/dev/null &&
	test "$(cat "$TRASH/code")" != 124
'
test_expect_success 'exit codes pass through, also through git' '
	cd repo && test_exit 3 git-box run b -- sh -c "exit 3" && test_exit 3 git box run b -- sh -c "exit 3" &&
	test_exit 143 git box run b -- sh -c "kill -TERM \$\$"
'
test_expect_success 'scripts, missing programs and directories' '
	cd repo && git box run b -- ./test.sh && test_exit 127 git box run b -- no-such-program 2>/dev/null &&
	test_exit 126 git box run b -- / 2>/dev/null && test_exit 126 git box run b -- ./README 2>/dev/null
'
test_expect_success 'a program that the box does not see: the message says where to look' '
	cd repo && test_exit 127 git box run b -- no-such-program 2>"$TRASH/e" &&
	test_grep "^git box: cannot run .no-such-program. in box .b.: No such file" "$TRASH/e" &&
	test_grep "^git box: hint: .git box status b. .*--profile agent" "$TRASH/e" &&
	test_exit 125 git box run --cwd nowhere b -- true 2>"$TRASH/e" && test_grep "^git box: hint: --cwd" "$TRASH/e"
'
test_expect_success 'a command that looks like an option' '
	cd repo && test_exit 127 git box run b -- --bind / / 2>/dev/null
'
test_expect_success 'the same subdirectory, or another one by --cwd' '
	cd repo/src && test "$(git box run b -- pwd)" = "$TRASH/repo/src" &&
	test "$(git box run --cwd "$TRASH/repo" b -- pwd)" = "$TRASH/repo"
'
test_expect_success 'much output does not block' '
	cd repo && git box run b -- sh -c "head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2" \
		>"$TRASH/o" 2>"$TRASH/e" && test "$(stat -c %s "$TRASH/o")" = 5000000 &&
	test "$(stat -c %s "$TRASH/e")" = 5000000
'
test_expect_success 'the wall clock ends the command and its grandchildren' '
	cd repo && start=$(date +%s) &&
	test_exit 124 git box run --timeout 1s b -- sh -c "(trap \"\" TERM HUP; sleep 61.$$) & sleep 61.$$" &&
	test $(($(date +%s) - start)) -lt 20 && wait_for 5 "! pgrep -f \"sleep 61[.]$$\""
'
test_expect_success 'an interrupt ends everything' '
	cd repo && { git-box run b -- sh -c "sleep 62.$$ & sleep 62.$$" & } && front=$! &&
	wait_for 5 "pgrep -f \"sleep 62[.]$$\"" && kill -TERM $front && { wait $front; test $? = 143; } &&
	wait_for 5 "! pgrep -f \"sleep 62[.]$$\""
'
test_expect_success 'kill -9 of the front ends everything' '
	cd repo && { git-box run b -- sh -c "sleep 63.$$ & sleep 63.$$" & } && front=$! &&
	wait_for 5 "pgrep -f \"sleep 63[.]$$\"" && kill -KILL $front && { wait $front; test $? = 137; } &&
	wait_for 5 "! pgrep -f \"sleep 63[.]$$\"" && git box run b -- true
'
test_expect_success 'kill -9 of the monitor ends everything' '
	cd repo && { git-box run b -- sh -c "sleep 64.$$ & sleep 64.$$" & } && front=$! &&
	wait_for 5 "pgrep -f \"sleep 64[.]$$\"" &&
	monitors=$(pgrep -P $front) && test -n "$monitors" && kill -KILL $monitors &&
	{ wait $front; test $? != 0; } && wait_for 5 "! pgrep -f \"sleep 64[.]$$\"" && git box run b -- true
'
test_expect_success 'only listed variables enter' '
	cd repo && SECRET=1 AWS_SECRET_ACCESS_KEY=2 LD_PRELOAD=/x GIT_ASKPASS=/y GIT_DIR_X=1 TZ=UTC \
		git box run b -- env >"$TRASH/env" 2>/dev/null && ! grep -E "SECRET|LD_PRELOAD|ASKPASS|GIT_DIR" "$TRASH/env" &&
	test_grep ^TZ=UTC "$TRASH/env" && test_grep "^HOME=$HOME\$" "$TRASH/env" &&
	git box run --env A=b=c b -- env >"$TRASH/env" && test_grep ^A=b=c "$TRASH/env"
'
test_expect_success 'our own processes start with an empty environment' '
	cd repo && { SECRET_OF_TEST=1 git-box run b -- sleep 65.$$ & } && front=$! &&
	wait_for 5 "pgrep -P $front" && monitors=$(pgrep -P $front) &&
	for pid in $monitors; do
		# an undumpable one shows its environment to root alone
		! tr "\0" "\n" <"/proc/$pid/environ" 2>/dev/null | grep SECRET_OF_TEST || return 1
	done &&
	kill -TERM $front && { wait $front || :; }
'
test_expect_success 'TMPDIR works whatever the operator has' '
	cd repo && for t in /nonexistent "$HOME/t" ""; do
		TMPDIR=$t git box run b -- sh -c "d=\$(mktemp -d) && test -n \"\$d\" && touch \$d/x && rm -r \$d" || return 1
	done && git box run b -- sh -c "rm -rf /tmp/* 2>/dev/null; mktemp -d" >/dev/null
'
test_expect_success '/tmp stays while commands come and go' '
	cd repo && git box run b -- touch /tmp/mine && git box run b -- test -f /tmp/mine && ! test -e /tmp/mine
'
test_expect_success 'semaphores and shared memory are private' '
	cd repo && git box run b -- python3 -c "
import multiprocessing as m; m.Semaphore()
open(\"/dev/shm/box-test-$$\", \"w\").write(\"x\")" && ! test -e "/dev/shm/box-test-$$"
'
test_expect_success "sockets between the box's own processes" '
	cd repo && git box run b -- python3 -c "
import socket
for path in (\"s\", \"/tmp/s\", \"\0abstract\"):
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
    c = socket.socket(socket.AF_UNIX); c.connect(path)"
'
test_expect_success "terminals of the box's own" '
	cd repo && git box run b -- python3 -c "
import pty, os
master, slave = pty.openpty()
assert os.ttyname(slave).startswith(\"/dev/pts/\")"
'
test_expect_success 'programs behind alternatives' '
	cd repo && test "$(git box run b -- /bin/sh -c "command -v awk >/dev/null && awk \"BEGIN{print 1}\"")" = 1
'
test_expect_success 'git works inside: commit, branch, stash, rebase, gc' '
	cd repo && git box run b -- sh -ec "
		echo x >n && git add n && git commit -q -m t && test \"\$(git log -1 --format=%s)\" = t
		git checkout -q -b side HEAD~1 && echo y >m && git add m && git commit -q -m s
		git rebase -q box/b && echo z >>m && git stash -q && git stash pop -q && git checkout -q m
		git gc -q && git fsck" && test -z "$(git branch --list side)" && git fsck
'
test_expect_success 'HOME of the operator is untouched' '
	find "$HOME" | sort >before && (cd repo && git box run b -- sh -c "touch ~/.new ~/.bashrc; mkdir -p ~/.cache/x") &&
	find "$HOME" | sort >after && cmp before after && (cd repo && git box run b -- test -e "$HOME/.new")
'
test_expect_success 'no file in shared directories' '
	(cd repo && traced -o "$TRASH/trace" -e trace=openat,open,creat,mkdir,mkdirat,rename,symlink \
		git-box run b -- true) &&
	test_grep manifest trace &&
	! grep -E "\"/(tmp|var/tmp|dev/shm)/[^\"]*\".*(O_CREAT|mkdir)" trace | grep -v -F "$TRASH"
'
test_expect_success '--rm makes a box for one command' '
	cd repo && test_exit 5 git box run --rm -- sh -c "pwd; exit 5" >"$TRASH/o" &&
	test_grep -x "$TRASH/repo" "$TRASH/o" && test "$(git box ls --json | grep -c "\"name\"")" = 1
'
test_expect_success 'gc removes the box of a --rm whose front was killed, and no younger one' '
	cd repo && { git-box run --rm -- sleep 60 & } && front=$! &&
	wait_for 5 "git box ls | grep -q running" && kill -9 "$front" && { wait "$front" || :; } &&
	wait_for 5 "! git box ls | grep -q running" && git box gc && git box ls -q | grep -x "run-.*" >left &&
	id=$(cat "$(git rev-parse --git-common-dir)/box/name/$(cat left)") &&
	m="$(git rev-parse --git-common-dir)/box/b/$id/manifest.json" &&
	sed -i "s/\"created_us\":[0-9]*/\"created_us\":1/" "$m" && git box gc --dry-run | grep run- && git box gc &&
	rm left && test "$(git box ls -q)" = b
'
test_expect_success 'gc removes the lock that a killed git left on a pin' '
	cd repo && d="$(git rev-parse --git-common-dir)/refs/box/base" && mkdir -p "$d" &&
	touch "$d/0123456789abcdef.lock" && git box gc && test -e "$d/0123456789abcdef.lock" &&
	touch -d "2 hours ago" "$d/0123456789abcdef.lock" && git box gc && test ! -e "$d/0123456789abcdef.lock"
'
test_expect_success '--json tells the result apart from the output' '
	cd repo && { git box run --json b -- sh -c "echo out; exit 4" >"$TRASH/o" 2>"$TRASH/e"; test $? = 4; } &&
	cat "$TRASH/o" "$TRASH/e" | grep -q "\"exit"
'
test_expect_success '--json tells the kind of a failure of ours' '
	cd repo && test_exit 125 git box run --json nobox -- true >"$TRASH/o" 2>"$TRASH/e" &&
	python3 -c "import json, sys; j = json.load(sys.stdin)
assert (j[\"end\"], j[\"exit_code\"], j[\"kind\"], j[\"box\"]) == (\"failed\", 125, \"notfound\", \"nobox\"), j
assert j[\"argv\"] == [\"true\"] and \"nobox\" in j[\"error\"]" <"$TRASH/o" && test_grep "no box .nobox." "$TRASH/e"
'
test_expect_success '16 boxes of one repository, 50 commits each, at once' '
	cd repo && for i in $(seq 16); do git box create "many$i" || return 1; done &&
	for i in $(seq 16); do
		{ git box run "many$i" -- sh -ec "
			for n in \$(seq 50); do echo \$n >f\$n; git add f\$n; git commit -q -m \$n; done
			git fsck --strict >/dev/null" || echo "$i" >>"$TRASH/failed"; } &
	done && wait && ! test -e "$TRASH/failed" && git fsck --strict &&
	for i in $(seq 16); do
		test "$(git box run "many$i" -- git rev-list --count HEAD)" = 51 && git box rm --force "many$i" || return 1
	done && git fsck --strict
'
test_done
