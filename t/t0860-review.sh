#!/bin/sh
test_description='review: what a box proposes, and taking it hunk by hunk'
test_lanes=both
. "${0%/*}/test-lib.sh"

# Twenty numbered lines, with two changes far from each other.
lines () { seq 20; }
changed () { seq 20 | sed "s/^2\$/two/; s/^19\$/nineteen/"; }

test_expect_success 'setup' '
	make_repo repo && cd repo && printf "/err\n/out\n/j\n" >.git/info/exclude && lines >lines && echo gone >gone && printf "a\0b" >bin && mkdir d && echo 1 >d/f &&
	git add -A && git commit -q -m more && git box create b && changed >lines.new && cp lines.new "$TRASH/changed" && rm lines.new &&
	git box run b -- sh -ec "seq 20 | sed \"s/^2\$/two/; s/^19\$/nineteen/\" >lines; rm gone; printf \"a\\0c\" >bin; chmod +x README; echo all: >Makefile
		printf \"\\033]0;evil\\007 x\\r\\nbidi \\342\\200\\256 y\\n\" >esc; rm -r d; ln -s README d" && git box propose -m all b
'
test_expect_success 'flagged files come first, and everything is there' '
	cd repo && git box review b >out && cat -v out && head -1 out | grep "^box b: proposal [0-9a-f]* from [0-9a-f]* main, 8 files" &&
	grep -n "^diff --git" out | head -3 && sed -n "/^diff --git/p" out >order && head -1 order | grep Makefile && test "$(wc -l <order)" = 8 && rm order &&
	sed -n "2,8p" out | grep "^  Makefile: .*(.*)" && test_grep "^-gone" out && test_grep "^+two" out && test_grep "a binary file, not shown" out && ! grep "literal" out &&
	test_grep "new mode 100755" out
'
test_expect_success 'control: the proposal holds what a terminal would obey' '
	cd repo && git diff main box/b >raw && grep -q "$(printf "\033]0;evil")" raw && grep -q "$(printf "\342\200\256")" raw && rm raw
'
test_expect_success 'escape: the review sends nothing to the terminal that the box wrote for it' '
	cd repo && git box review b >out && ! grep -q "$(printf "\033")" out && ! grep -q "$(printf "\342\200\256")" out && ! grep -q "$(printf "\r")" out && rm out &&
	GIT_PAGER=cat TERM=xterm script -qec "git box review b" "$TRASH/typed" </dev/null >/dev/null && ! grep -q "$(printf "\033]")" "$TRASH/typed" &&
	! grep -q "$(printf "\342\200\256")" "$TRASH/typed" && grep -q "$(printf "\033\[32m+two")" "$TRASH/typed" &&
	{ TERM=xterm script -qec "yes n | git box review --hunks b" "$TRASH/typed" </dev/null >/dev/null || :; } && grep "take this hunk" "$TRASH/typed" && ! grep -q "$(printf "\033]")" "$TRASH/typed"
'
test_expect_success 'the pager is chosen as git does' '
	cd repo && on_terminal () { script -qec "git box review b" /dev/null </dev/null >/dev/null; } && p="cat >\"$TRASH/paged\"; echo" && TERM=xterm && export TERM &&
	for how in "GIT_PAGER=$p-1" "PAGER=$p-2"; do
		rm -f "$TRASH/paged" && (export "$how" && on_terminal) && grep "^.*proposal" "$TRASH/paged" || return 1
	done && git config core.pager "cat >\"$TRASH/paged3\"; printf %s \"\$LESS\" >\"$TRASH/less\"" && PAGER=false on_terminal && grep proposal "$TRASH/paged3" &&
	test "$(cat "$TRASH/less")" = FRX && rm "$TRASH/paged3" && GIT_PAGER=cat on_terminal && ! test -e "$TRASH/paged3" && git box review b >out && ! test -e "$TRASH/paged3" &&
	PAGER=true GIT_PAGER=false on_terminal && git config --unset core.pager && PAGER="head -1 >/dev/null" on_terminal
'
test_expect_success 'JSON' '
	cd repo && git box review --json b >j && python3 -c "
import json; j = json.load(open(\"j\"))
assert j[\"schema\"] == 1 and j[\"name\"] == \"b\" and j[\"files_changed\"] == 8 and j[\"base_branch\"] == \"main\", j
f = {x[\"path\"]: x for x in j[\"files\"]}
assert f[\"Makefile\"][\"flagged\"] is True and f[\"lines\"][\"flagged\"] is False and f[\"bin\"][\"binary\"] and f[\"gone\"][\"status\"] == \"D\", f
assert any(x[\"path\"] == \"Makefile\" for x in j[\"flags\"]) and j[\"flagged\"] == len(j[\"flags\"]), j" &&
	test_exit 129 git box review --json --hunks b && test_exit 129 git box review -m x b
'
test_expect_success 'a box that has proposed nothing proposes first' '
	cd repo && git box create n && test_exit 1 git box review n 2>err && test_grep "nothing" err && git box run n -- sh -c "echo 1 >one" &&
	git box review n >out 2>err && test_grep "proposed box" err && test_grep "^+1" out && git rev-parse -q --verify box/n && git box rm -f n
'
# pick BOX ANSWERS: one answer a line
# shellcheck disable=SC2086 # answers are words
pick () { printf "%s\n" $2 | git box review --hunks "$1" >out; }
test_expect_success 'all taken is the proposal again' '
	cd repo && before=$(git rev-parse "box/b") && pick b "a a a a a a a a a" && cat -v out && test "$(git rev-parse box/b)" = "$before" && test_grep "file 8/8" out
'
test_expect_success 'nothing taken changes nothing' '
	cd repo && before=$(git rev-parse "box/b") && test_exit 1 pick b q && test_exit 1 pick b "n n n n n n n n n n n" && test_exit 1 git box review --hunks b </dev/null &&
	test "$(git rev-parse box/b)" = "$before"
'
test_expect_success 'single hunks, modes, new and removed files' '
	cd repo && id=$(cat .git/box/name/b) &&
	cat >answers.py <<-\EOT &&
	import re, subprocess, sys
	want = dict(w.split("=") for w in sys.argv[2:])	# path=answers
	p = subprocess.Popen(["git", "box", "review", "--hunks", "-m", "picked", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	text = b""
	while True:
	    c = p.stdout.read(1)
	    if not c:
	        break
	    text += c
	    if text.endswith(b"[y,n,a,d,q,?]? "):
	        path = re.search(rb"(?:take this hunk|take this file|take the change of mode) of (.*) \[y,n,a,d,q,\?\]\? $", text.split(b"\n")[-1]).group(1).decode()
	        answers = want.get(path, "")
	        p.stdin.write((answers[:1] or "n").encode() + b"\n"); p.stdin.flush()
	        want[path] = answers[1:]
	sys.exit(p.wait())
	EOT
	git box propose -m all b && python3 answers.py b lines=ny README=y gone=y esc=n && rm answers.py &&
	seq 20 | sed "s/^19\$/nineteen/" >want && git show box/b:lines | cmp - want && git ls-tree box/b README | grep ^100755 &&
	test "$(git diff --name-only main box/b | tr "\n" " ")" = "README gone lines " && test "$(git log -1 --format=%s box/b)" = picked &&
	test "$(git rev-parse box/b^)" = "$(git rev-parse main)" && test "$(git log -1 --format=%an box/b)" = b && git log -1 --format=%B box/b | grep "^Box: b $id" &&
	python3 -c "
import json; m = json.load(open(\".git/box/b/$id/manifest.json\")); print(m); assert m[\"proposal\"] == \"$(git rev-parse box/b)\" and m[\"state\"] == \"proposed\"" &&
	git fsck --strict && git box run b -- test -e esc
'
test_expect_success 'a selection of a selection, and the whole again' '
	cd repo && pick b "y q" && test "$(git diff --name-only main box/b)" = README && git box propose -m all b && test "$(git diff --name-only main box/b | wc -l)" = 8
'
test_expect_success 'a change of type is taken as one' '
	cd repo && git box create t && git box run t -- sh -c "rm README && ln -s lines README && echo x >x" && git box propose -m t t && pick t "y n" &&
	git ls-tree box/t README | grep ^120000 && test "$(git diff --name-only main box/t)" = README
'
test_expect_success 'what does not stand alone is refused' '
	cd repo && git box create df && git box run df -- sh -c "rm README && mkdir README && echo x >README/x" && git box propose -m t df && before=$(git rev-parse box/df) &&
	test_exit 2 pick df "n y" 2>err && test_grep "stand alone" err && test "$(git rev-parse box/df)" = "$before" && pick df "y y" && pick df "y n" &&
	test "$(git ls-tree box/df README)" = ""
'
test_expect_success 'help, and words that are no answer' '
	cd repo && printf "?\nyes\n\nq\n" >answers && test_exit 1 git box review --hunks b <answers >out && rm answers && test "$(grep -c "take this and all that follows" out)" = 3
'
test_expect_success 'another proposal meanwhile wins' '
	cd repo && mkfifo "$TRASH/answers" && { git box review --hunks b <"$TRASH/answers" >out 2>err & } && pid=$! && exec 7>"$TRASH/answers" &&
	wait_for 10 "grep \"file 1/8\" out" && git box run b -- sh -c "echo more >more" && git box propose -m more b && tip=$(git rev-parse box/b) &&
	printf "y\nq\n" >&7 && exec 7>&- && test_exit 4 wait $pid && test_grep "meanwhile" err && test "$(git rev-parse box/b)" = "$tip" && rm "$TRASH/answers"
'
test_expect_success 'not while commands run' '
	cd repo && { git-box run b -- sleep 5 & } && pid=$! && wait_for 5 "git box ls --json | grep running" && test_exit 4 pick b "y q" 2>err && kill $pid && { wait $pid || :; }
'
test_expect_success 'nothing is left' '
	cd repo && ! ls .git/box/quarantine/* 2>/dev/null && git fsck --strict
'
test_done
