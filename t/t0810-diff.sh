#!/bin/sh
test_description='diff: what a box changed, seen from outside'
test_lanes=both
. "${0%/*}/test-lib.sh"

mark=$TRASH/mark

test_expect_success 'setup' '
	make_repo repo && cd repo && mkdir dir && echo 1 >dir/one && echo 2 >dir/two && seq 100 >numbers &&
	printf "*.ign\n" >.gitignore && ln -s dir link && git add . && git commit -q -m more && git box create b
'
test_expect_success 'an untouched box has no difference' '
	cd repo && git box diff b >"$TRASH/out" 2>&1 && ! test -s "$TRASH/out" && git box diff --json b >"$TRASH/json" &&
	test "$(jq -c .files "$TRASH/json" 2>/dev/null || python3 -c "import json;print(json.dumps(json.load(open(\"$TRASH/json\"))[\"files\"]))")" = "[]"
'
test_expect_success 'every kind of change' '
	cd repo && git box run b -- sh -ec "
		rm dir/one && echo new >new && echo x >x.ign && chmod +x README && ln -sfn /etc/passwd link &&
		sed -i s/^50\$/fifty/ numbers && mkdir deep && echo d >deep/er" &&
	git box diff b --name-status >"$TRASH/out" &&
	printf "M\tREADME\nA\tdeep/er\nD\tdir/one\nM\tlink\nA\tnew\nM\tnumbers\n" >"$TRASH/want" && cmp "$TRASH/want" "$TRASH/out" &&
	git box diff b -- -p link | grep "^+/etc/passwd" && ! git box diff b | grep root:
'
test_expect_success 'options and paths of git diff pass through' '
	cd repo && git box diff b --stat | grep "numbers *| *2" && git box diff b --numstat numbers >"$TRASH/out" &&
	printf "1\t1\tnumbers\n" | cmp - "$TRASH/out" && test "$(git box diff b -- -U0 numbers | grep -c "^ ")" = 0 &&
	git box diff b -- --word-diff numbers | grep "{+fifty+}" && git box diff b -- --diff-filter=D --name-only | grep dir/one &&
	test "$(git box diff b --name-only -- dir | cat)" = dir/one && test "$(git box diff b --name-only "n*" | wc -l)" = 2 &&
	cd dir && test "$(git box diff b --name-only -- one | cat)" = dir/one &&
	test "$(git box diff b --name-only ../new | cat)" = new && test_exit 1 git box diff b -- --quiet
'
test_expect_success 'the patch applied to the base gives the tree' '
	git clone -q repo applied && cd repo && git box diff b -- --binary --full-index >"$TRASH/patch" && git box diff --json b >"$TRASH/json" &&
	cd ../applied && git apply --index "$TRASH/patch" && grep "\"tree\": \"$(git write-tree)\"" "$TRASH/json"
'
test_expect_success 'options that run, read or write are refused' '
	cd repo && for o in --ext-diff --textconv "--output=$TRASH/leak" --outp="$TRASH/leak" --no-index -O"$TRASH/want" --submodule=diff \
			--relative --unknown "--ext" -S; do
		test_exit 129 git box diff b -- "$o" 2>"$TRASH/err" && test_grep "not" "$TRASH/err" || return 1
	done && ! test -e "$TRASH/leak"
'
test_expect_success 'JSON' '
	cd repo && git box diff --json b | python3 -c "
import json, sys
j = json.load(sys.stdin)
assert j[\"schema\"] == 1 and j[\"name\"] == \"b\" and j[\"skipped\"][\"special\"] == 0
f = {x[\"path\"]: x for x in j[\"files\"]}
assert f[\"README\"][\"old_mode\"] == \"100644\" and f[\"README\"][\"new_mode\"] == \"100755\"
assert f[\"numbers\"][\"added\"] == 1 and f[\"numbers\"][\"deleted\"] == 1 and f[\"new\"][\"old_mode\"] is None
assert f[\"dir/one\"][\"status\"] == \"D\" and len(f) == 6"
'
test_expect_success 'while a command runs' '
	cd repo && { git box run b -- sh -c "echo live >live; touch started; while ! test -e stop; do sleep 0.05; done" & } &&
	wait_for 10 "git box diff b --name-only | grep started" && git box diff b --name-only | grep live &&
	git box run b -- touch stop && wait
'
test_expect_success 'nothing of it reaches the repository' '
	cd repo && git count-objects -v >"$TRASH/before" && git for-each-ref >>"$TRASH/before" && git box diff b >/dev/null &&
	git count-objects -v >"$TRASH/after" && git for-each-ref >>"$TRASH/after" && cmp "$TRASH/before" "$TRASH/after" &&
	test -z "$(ls .git/box/quarantine)"
'
test_expect_success 'FIFOs, sockets, loops and unreadable files do not stop it' '
	cd repo && git box create odd && git box run odd -- sh -ec "mkfifo fifo && ln -s loop loop && ln -s fifo tofifo && chmod 000 README &&
		python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind(\\\"sock\\\")\" && echo 1 >ok" &&
	timeout 20 git box diff odd --name-status >"$TRASH/out" 2>"$TRASH/err" && printf "A\tloop\nA\tok\nA\ttofifo\n" | cmp - "$TRASH/out" &&
	test_grep "2 FIFOs" "$TRASH/err" && test_grep "owner may not read" "$TRASH/err"
'
test_expect_success 'a FIFO where git looks for rules is named at once, not waited at' '
	cd repo && git box create wait && for f in .gitignore dir/.gitattributes; do
		git box run wait -- sh -ec "echo 1 >1; rm -f $f; mkfifo $f" && test_exit 2 timeout 20 git box diff wait 2>"$TRASH/err" &&
		test_grep -F "$f'"'"' is no regular file" "$TRASH/err" && test_exit 2 timeout 20 git box propose wait &&
		git box run wait -- rm $f || return 1
	done && git box diff wait --name-only | grep 1
'
test_expect_success 'repositories that the box made are named' '
	cd repo && git box create nest && git box run nest -- sh -ec "git init -q sub/r && echo 1 >sub/r/f && git init -q --bare bare.d" &&
	git box diff nest --name-only >"$TRASH/out" 2>"$TRASH/err" && grep sub/r/f "$TRASH/out" && ! grep "sub/r/.git" "$TRASH/out" &&
	test_grep "\"sub/r\" is a repository" "$TRASH/err" && test_grep "\"bare.d\" is a repository" "$TRASH/err"
'

# Drivers of the operator's that a .gitattributes of the box's asks for, and what any file may trigger.
plant='echo "* diff=evil filter=evil merge=evil" >.gitattributes && echo changed >>README'
drivers () {
	git config --file "$1" diff.evil.textconv "touch $mark; cat" &&
	git config --file "$1" diff.evil.command "touch $mark; true" &&
	git config --file "$1" filter.evil.clean "touch $mark; cat" &&
	git config --file "$1" filter.evil.smudge "touch $mark; cat" &&
	git config --file "$1" diff.external "touch $mark; true" && git config --file "$1" core.fsmonitor "touch $mark; false"
}
test_expect_success 'control: drivers of the operator' '
	git clone -q repo ctl && cd ctl && drivers .git/config && rm -f "$mark" && eval "$plant" && { git diff >/dev/null || :; } && test -e "$mark"
'
test_expect_success 'escape: drivers of the operator' '
	cd repo && git box create drv && git box run drv -- sh -ec "$plant" && drivers .git/config && drivers "$HOME/.gitconfig" && rm -f "$mark" &&
	git box diff drv | grep "^+changed" && git box diff drv --stat >/dev/null && git box diff --json drv >/dev/null &&
	git box diff drv -- --word-diff >/dev/null && git box propose drv >/dev/null && git box propose --series drv >/dev/null &&
	git box status drv >/dev/null && git box rm drv && ! test -e "$mark"
'
test_expect_success 'clean up the drivers' '
	printf "[user]\n\tname = A U Thor\n\temail = author@example.com\n" >"$HOME/.gitconfig" &&
	cd repo && git config --remove-section diff.evil && git config --remove-section filter.evil && git config --unset diff.external &&
	git config --unset core.fsmonitor
'
test_expect_success 'a terminal gets no control characters but our colours' '
	cd repo && git box create term && git box run term -- sh -c "printf \"a\\033]0;title\\007\\033[8mhidden\\tb\\n\" >esc" &&
	git box diff term | grep -q "$(printf "\\033]0;title")" &&
	TERM=xterm script -qec "git box diff term" /dev/null </dev/null >"$TRASH/out" &&
	grep "hidden" "$TRASH/out" && ! grep -q "$(printf "\\033]")" "$TRASH/out" && ! grep -q "$(printf "\\033\\[8m")" "$TRASH/out" &&
	grep -q "$(printf "\\033\\[32m+a")" "$TRASH/out"
'
test_expect_success 'the workspace tier' '
	cd repo && git box create ws --isolation=workspace 2>/dev/null && git box run ws -- sh -c "echo w >w" 2>/dev/null &&
	test "$(git box diff ws --name-only)" = w && git -C "$(git box path ws)" diff --cached --quiet
'
test_expect_success 'a box that is not there, and one that is damaged' '
	cd repo && test_exit 3 git box diff nobody && test_exit 129 git box diff
'
test_done
