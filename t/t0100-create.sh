#!/bin/sh
test_description='create, ls, status, path, rm, abort, gc'
test_lanes=both
. "${0%/*}/test-lib.sh"

# The files of root's boxes belong to another uid, which git mistrusts.
git config --global --add safe.directory "*"

test_expect_success 'setup' 'make_repo repo'

test_expect_success 'create makes a box at HEAD, path finds it, ls lists it' '
	cd repo && git box create one &&
	test -f "$(git box path one)/README" &&
	test "$(git -C "$(git box path one)" rev-parse HEAD)" = "$(git rev-parse HEAD)" &&
	git box ls >"$TRASH/ls" && test_grep one "$TRASH/ls" && test_grep process "$TRASH/ls" &&
	git box >"$TRASH/bare" && test_grep one "$TRASH/bare"
'
test_expect_success 'the repository sees nothing but a pinned base' '
	cd repo && test -z "$(git status --porcelain)" && test -z "$(git branch --list "box*")" &&
	git for-each-ref --format="%(refname)" refs/box/base | grep -c . >"$TRASH/n" && test "$(cat "$TRASH/n")" = 1
'
test_expect_success 'two boxes of one name: the second is refused' '
	cd repo && { git box create one 2>"$TRASH/err"; test $? = 4; } && test_grep one "$TRASH/err"
'
test_expect_success 'two creates of one name at once: one wins' '
	cd repo && for i in 1 2 3 4; do
		{ git box create race >/dev/null 2>&1; echo $? >>"$TRASH/codes"; } &
	done && wait &&
	test "$(grep -c -x 0 "$TRASH/codes")" = 1 && test "$(grep -c -x 4 "$TRASH/codes")" = 3 &&
	git box run race -- true && git box rm race && test "$(git box ls | grep -c race)" = 0
'
test_expect_success 'names that are refused' '
	cd repo && for name in a/b a..b ledger.git x.lock .hidden "a b" "" "$(printf "a\nb")" "$(printf %065d 1)"; do
		git box create "$name" >"$TRASH/o" 2>&1
		code=$?
		test $code = 129 || { echo "name [$name]: exit $code"; cat "$TRASH/o"; return 1; }
	done &&
	test_exit 129 git box create -x 2>/dev/null && test_exit 129 git box create -- -x 2>/dev/null &&
	test "$(git box ls --json | grep -c "\"name\"")" -le 1
'
test_expect_success '--from takes a revision, and only a revision' '
	cd repo && echo two >two && git add two && git commit -q -m two &&
	git box create old --from HEAD~1 && ! test -e "$(git box path old)/two" &&
	{ git box create none --from no-such-rev 2>"$TRASH/err"; test $? = 3; } && test_grep no-such-rev "$TRASH/err" &&
	{ git box create none --from --output=x 2>/dev/null; test $? != 0; } && ! test -e x &&
	git box rm old
'
test_expect_success 'status shows what create was told' '
	cd repo && git box create told --profile agent --isolation process --from HEAD~1 &&
	git box status told >"$TRASH/status" && test_grep agent "$TRASH/status" && test_grep process "$TRASH/status" &&
	test_grep "$(git rev-parse --short=7 HEAD~1)" "$TRASH/status" &&
	git box status --json told | python3 -m json.tool >/dev/null &&
	git box rm told
'
test_expect_success 'a wrong verb, option, box or profile gets a suggestion' '
	cd repo && { git box craete x 2>"$TRASH/e1"; test $? = 129; } && test_grep create "$TRASH/e1" &&
	{ git box create --profil agent x 2>"$TRASH/e2" || :; } &&
	{ git box create --prfile agent y 2>"$TRASH/e2"; test $? = 129; } && test_grep -e --profile "$TRASH/e2" &&
	{ git box run onee -- true 2>"$TRASH/e3"; test $? = 125 || test $? = 3; } && test_grep "one" "$TRASH/e3" &&
	{ git box create z --profile agnt 2>"$TRASH/e4"; test $? = 3; } && test_grep agent "$TRASH/e4" &&
	{ git box rm -f x >/dev/null 2>&1 || :; }
'
test_expect_success 'rm refuses unsaved work, keeps it with --force, and it can be fetched back' '
	cd repo && git box create work && git box run work -- sh -c "echo new >new && git add new && git commit -qm new" &&
	{ git box rm work 2>"$TRASH/err"; test $? = 2; } && test_grep force "$TRASH/err" &&
	git box rm --force work >"$TRASH/out" 2>&1 && cat "$TRASH/out" &&
	bundle=$(ls .git/box/removed/*.bundle) && git bundle verify -q "$bundle"
'
test_expect_success 'rm of uncommitted work keeps it too' '
	cd repo && git box create dirty && git box run dirty -- sh -c "echo loose >loose" &&
	test_exit 2 git box rm dirty 2>/dev/null && git box rm --force dirty &&
	for b in .git/box/removed/*.bundle; do
		git fetch -q "$b" "$(git bundle list-heads "$b" | cut -d" " -f2 | head -1)" &&
		git ls-tree -r --name-only FETCH_HEAD | grep -x loose && break
	done
'
test_expect_success 'rm leaves nothing of the box' '
	cd repo && git box create gone && path=$(git box path gone) && git box run gone -- mkdir -p a/b &&
	git box rm --force gone && ! test -e "$path" && ! test -e "${path%/work}" && ! test -e .git/box/name/gone &&
	test "$(git worktree list | grep -c .)" = 1
'
test_expect_success 'rm of a box in use is refused, abort ends it' '
	cd repo && { git box run one -- sleep 60 & } && front=$! &&
	wait_for 5 "git box ls --json | grep -q sleep || git box ls | grep one | grep -q -E \"1|running|live\"" &&
	sleep 0.3 && { git box rm one 2>"$TRASH/err"; test $? = 4; } &&
	git box abort one && { wait "$front"; test $? != 0; } && git box rm --force one &&
	{ git box path one 2>/dev/null; test $? = 3; }
'
test_expect_success 'gc removes what a crash left and keeps what is alive' '
	cd repo && git box create keep && mkdir -p .git/box/b/0123456789abcdef/work && git box gc &&
	git box run keep -- true && ! test -e .git/box/b/0123456789abcdef && git box rm keep
'
test_expect_success 'git fsck is clean' '
	cd repo && git fsck --strict && git worktree prune && git for-each-ref refs/box >"$TRASH/refs" && cat "$TRASH/refs" &&
	test "$(grep -c . "$TRASH/refs")" = "$(find .git/box/removed -name "*.bundle" | grep -c .)"
'
test_done
