#!/bin/sh
test_description='get and put: single files out of and into a box'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' '
	make_box_repo repo b && cd repo && mkdir out && ln -s "$HOME" home-link && ln -s README here-link &&
	echo SECRET >"$HOME/secret" && mkfifo fifo && printf "a\0b\377\r\n" >bin && printf 1 >"$HOME/tool" && chmod +x "$HOME/tool" &&
	mkdir sub && git box run b -- sh -ec "
		mkdir -p d/e && printf \"x\\0y\\377\\r\\n\" >d/bin && : >d/empty && echo tool >d/tool && chmod 6755 d/tool && echo 2 >d/e/f &&
		ln -s /etc/passwd link && ln -s d dlink && ln -s \"$HOME/secret\" d/out && mkfifo pipe && mkdir .GIT && echo x >.GIT/config &&
		printf \"\\033]0;title\\007red\\rblue\\n\" >esc && echo c >\"\$(printf \"a\\033[31mb\")\" && python3 -c \"
import socket; socket.socket(socket.AF_UNIX).bind(\\\"sock\\\")\""
'
test_expect_success 'get copies bytes, to a directory, to a name, to here' '
	cd repo && git box get b d/bin out && git box get b d/bin out/new && git box get b d/empty && test -f empty && ! test -s empty &&
	printf "x\0y\377\r\n" | cmp - out/bin && cmp out/bin out/new && rm empty &&
	test_exit 4 git box get b d/bin d/e/f README out/ 2>err && test_grep "there already" err && ! test -e out/f && git box get -f b d/bin d/e/f README out/ &&
	cmp README out/README && test "$(cat out/f)" = 2 && ! ls -A out | grep tmp
'
test_expect_success 'get to stdout and as JSON' '
	cd repo && git box get b d/bin - >x && cmp x out/bin && git box get b d/e/f d/e/f - >x && printf "2\n2\n" | cmp - x &&
	git box get --json -f b d/tool d/bin out >x && python3 -c "
import json; j = json.load(open(\"x\")); assert j[\"schema\"] == 1 and j[\"box\"] == \"b\", j
f = j[\"files\"]; assert f[0] == {\"path\": \"d/tool\", \"file\": \"out/tool\", \"bytes\": 5, \"mode\": \"100755\"}, f
assert f[1][\"mode\"] == \"100644\" and f[1][\"bytes\"] == 6" && test_exit 129 git box get --json b d/bin -
'
test_expect_success 'a path means the same as outside' '
	cd repo/sub && git box get b ../d/e/f here && test "$(cat here)" = 2 && git box get b "$TRASH/repo/d/e/f" there && cmp here there &&
	rm here there && test_exit 2 git box get b ../../x 2>err && test_grep "outside" err && test_exit 2 git box get b /etc/passwd &&
	test_exit 2 git box get b "$TRASH/repo-evil/x" && test_exit 2 git box get b .. && test_exit 129 git box get b ""
'
test_expect_success 'the mode is not taken over, but for the executable bit' '
	cd repo && rm -f out/tool && git box get b d/tool out && test "$(stat -c %a out/tool)" = 755 && test "$(stat -c %a out/bin)" = 644 &&
	(umask 077 && git box get b d/tool out/private) && test "$(stat -c %a out/private)" = 700
'
test_expect_success 'what is missing, and what is no file' '
	cd repo && test_exit 3 git box get b nowhere out && test_exit 3 git box get b d/nowhere/x out && test_exit 2 git box get b d out &&
	test_exit 3 git box get b d/bin missing/ && test_exit 3 git box get b d/bin d/empty missing && test_exit 3 git box get nobox x &&
	test_exit 129 git box get b d/bin d/../d/bin out && test_exit 2 git box get --max 3 b d/bin out/big 2>err && test_grep "limit" err && ! test -e out/big
'
test_expect_success 'control: symlinks, FIFOs and git files can be read by who follows them' '
	cd repo && git box run b -- sh -c "cat link dlink/bin .GIT/config >/dev/null && test -p pipe && test -S sock"
'
test_expect_success 'escape: get follows nothing that the box planted and waits for nothing' '
	cd repo && for p in link dlink/bin d/out pipe sock .GIT/config d/../link; do
		test_exit 2 timeout 10 git box get b "$p" out/planted || return 1
	done && ! test -e out/planted && ! grep -r SECRET out
'
test_expect_success 'control: the shell writes through the links' '
	cd repo && echo 1 >home-link/c && test -e "$HOME/c" && rm "$HOME/c"
'
test_expect_success 'escape: get writes through no link of the repository' '
	cd repo && for d in home-link home-link/ home-link/x "$TRASH/repo/home-link/x" here-link; do
		test_exit 2 git box get -f b d/bin "$d" || return 1
	done && ln -s "$HOME/secret" out/link && test_exit 2 git box get -f b d/bin out/link && test "$(cat "$HOME/secret")" = SECRET &&
	test_grep sample README && mkdir out/two && ln -s "$HOME/secret" out/two/bin && test_exit 4 git box get b d/bin out/two &&
	test "$(cat "$HOME/secret")" = SECRET && git box get -f b d/bin out/two && ! test -L out/two/bin && cmp out/two/bin out/bin &&
	test "$(cat "$HOME/secret")" = SECRET
'
test_expect_success 'escape: get does not write into the git directory' '
	cd repo && test_exit 2 git box get -f b d/tool .git/hooks/ && test_exit 2 git box get -f b d/tool .git/hooks/post-checkout &&
	test_exit 2 git box get -f b d/tool "$TRASH/repo/.git/box" && ! test -e .git/hooks/tool
'
test_expect_success 'get works while commands run, put does not' '
	cd repo && { git box run b -- sh -c "touch started; i=0; while ! test -e stop && test \$i -lt 200; do i=\$((i + 1)); sleep 0.1; done" & } && pid=$! &&
	wait_for 10 "git box get -f b started out" && git box get b d/bin - | cmp - out/bin && test_exit 4 git box put b bin 2>err &&
	test_grep "in use" err && test_grep "abort" err && touch stop && git box run b -- touch stop && wait $pid && git box put b bin && git box run b -- rm bin
'
test_expect_success 'put copies bytes, and the executable bit' '
	cd repo && git box put b bin && git box get b bin - | cmp - bin && chmod +x bin && git box put b "$HOME/tool" bin d/e &&
	git box run b -- sh -c "test -x d/e/tool && test -x d/e/bin && ! test -x bin && test -w bin" && cd sub &&
	test_exit 3 git box put b ../bin && git box run b -- mkdir sub && git box put --json b ../bin >x && git box get b bin - | cmp - ../bin && test_grep "sub/bin" x
'
test_expect_success 'put replaces only with --force, and then whole' '
	cd repo && echo new >bin && test_exit 4 git box put b bin 2>err && test_grep "force" err && git box put -f b bin &&
	test "$(git box get b bin -)" = new && test_exit 3 git box put -f b bin d/e/tool && test_exit 3 git box put b bin nodir &&
	git box run b -- mkdir d/e/bin2 && cp bin bin2 && test_exit 4 git box put -f b bin2 d/e
'
test_expect_success 'put: all or nothing where a check fails' '
	cd repo && echo 1 >n1 && echo 2 >README2 && test_exit 4 git box put b n1 README . && test_exit 3 git box get b n1 out &&
	test_exit 129 git box put b n1 ./n1 . && test_exit 3 git box put b n1 nothere . && test_exit 3 git box get b n1 out
'
test_expect_success 'escape: put follows nothing in the box' '
	cd repo && cp bin out-bin && for d in dlink link ../x .GIT .git d/out; do
		git box put -f b out-bin "$d"; test $? = 2 || test $? = 3 || return 1
	done && git box run b -- sh -c "test ! -e d/out-bin" && ! test -e "$HOME/out-bin" && mkdir new && cp bin new/link &&
	test_exit 4 git box put b new/link . && git box put -f b new/link . && git box run b -- sh -c "test ! -L link && grep new link && ! grep new /etc/passwd" && ! test -e .git/out-bin
'
test_expect_success 'names that the gate lets out of no box do not get in or out singly either' '
	cd repo && for n in "$(printf "a\377")" "$(printf "new\nline")" "git~1" ".git " "$(printf "\342\200\256x")"; do
		echo 1 >"$n" && test_exit 2 git box put b "$n" . && rm "$n" && git box run b -- touch "./$n" && test_exit 2 git box get b "$n" out || return 1
	done
'
test_expect_success 'escape: put reads through no link of the repository, and waits for no FIFO' '
	cd repo && for f in home-link/secret here-link fifo; do test_exit 2 timeout 10 git box put -f b "$f" . || return 1; done &&
	test_exit 2 git box put b out . && git box run b -- sh -c "! grep -r SECRET ."
'
test_expect_success 'a terminal gets no control sequence, a pipe gets the bytes' '
	cd repo && script -qec "git box get b esc -" /dev/null >typed </dev/null && ! grep -q "$(printf "\033]0")" typed &&
	test_grep "not shown as it is" typed && test_grep red typed && git box get b esc - >x && grep -q "$(printf "\033]0")" x &&
	test_exit 3 git box get b "$(printf "a\033[31mb")" nowhere/ 2>err &&
	test_exit 2 git box get b "$(printf "a\033[31mb")" out 2>>err && test_grep "control" err && ! grep -q "$(printf "\033")" err
'
test_expect_success 'a large file' '
	cd repo && head -c 20000000 /dev/urandom >big && git box put b big d && git box get b d/big - | cmp - big && rm big
'
test_expect_success 'the tier that confines nothing' '
	cd repo && git box create --isolation workspace w && git box put w n1 src && git box get w src/n1 - | cmp - n1 &&
	git box run w -- ln -s /etc/passwd link && test_exit 2 git box get w link - && test_exit 3 git box get w none -
'
swap='import os, time
end = time.time() + 20
while not os.path.exists("stop") and time.time() < end:
	os.rename("swapped", "dir"); os.symlink("/etc", "swapped"); os.unlink("swapped"); os.rename("dir", "swapped")
	os.unlink("swapped/passwd"); os.symlink("/etc/passwd", "swapped/passwd"); os.unlink("swapped/passwd"); open("swapped/passwd", "w").write("mine")'
test_expect_success 'control: who follows reads the other file sooner or later' '
	mkdir race && cd race && mkdir swapped && printf mine >swapped/passwd && { python3 -c "$swap" & } && pid=$! &&
	wait_for 20 "for i in \$(seq 200); do grep root swapped/passwd && break; done" && touch stop && wait $pid
'
test_expect_success 'escape: a race of directories and symlinks' '
	cd repo && git box run b -- sh -c "rm -f stop; mkdir swapped && printf mine >swapped/passwd" && { git-box run b -- python3 -c "$swap" & } && pid=$! &&
	: >got && n=0 && while test $n -lt 150; do git-box get b swapped/passwd - >>got 2>>err.race || :; n=$((n + 1)); done &&
	kill $pid && { wait $pid || :; } && ! grep root got && grep mine got && ! grep root err.race
'
test_expect_success 'nothing is left in the box directories' '
	cd repo && ! find .git/box -name "*.tmp" | grep . && git box rm -f b w
'
test_done
