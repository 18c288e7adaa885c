#!/bin/sh
test_description='compare: what boxes propose, beside each other'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' '
	make_repo repo && cd repo && for b in a b c d; do git box create $b || return 1; done &&
	git box run a -- sh -c "echo a >>README; echo 1 >only-a; printf \"a\\0b\" >bin" && git box run b -- sh -c "echo b >>README; echo 1 >only-b" &&
	git box run c -- sh -c "echo c >>src/hello.c; printf \"a\\0c\" >bin" && for b in a b c; do git box propose -m $b $b || return 1; done
'
test_expect_success 'overlaps and conflicts' '
	cd repo && git box compare a b c >out && cat out && grep -E "^a +[0-9a-f]{12} main +[0-9a-f]{12} +3 +\+2 +-0 +0" out &&
	grep -E "^README +a, b$" out && grep -E "^bin +a, c$" out && ! grep only out && grep "^a and b conflict in README$" out &&
	grep "^a and c conflict in bin$" out && grep "^b and c merge without conflicts$" out
'
test_expect_success 'JSON' '
	cd repo && git box compare --json a b c >out && python3 -c "
import json; j = json.load(open(\"out\"))
assert j[\"schema\"] == 1 and j[\"bases_differ\"] is False
assert [b[\"name\"] for b in j[\"boxes\"]] == [\"a\", \"b\", \"c\"] and j[\"boxes\"][0][\"state\"] == \"proposed\", j
assert j[\"boxes\"][0][\"files_changed\"] == 3 and j[\"boxes\"][0][\"insertions\"] == 2 and j[\"boxes\"][0][\"deletions\"] == 0, j
assert j[\"overlaps\"] == [{\"path\": \"README\", \"boxes\": [\"a\", \"b\"]}, {\"path\": \"bin\", \"boxes\": [\"a\", \"c\"]}], j
assert [(p[\"a\"], p[\"b\"], p[\"conflicts\"]) for p in j[\"pairs\"]] == [(\"a\", \"b\", [\"README\"]), (\"a\", \"c\", [\"bin\"]), (\"b\", \"c\", [])], j"
'
test_expect_success 'the answer is that of git merge' '
	git clone -q repo clone && cd clone && git fetch -q ../repo box/a box/b box/c && git checkout -q -b x origin/box/b &&
	git merge -q -m m origin/box/c && git reset -q --hard origin/box/a && test_exit 1 git merge -q -m m origin/box/b && git reset -q --hard origin/box/a &&
	test_exit 1 git merge -q -m m origin/box/c
'
test_expect_success 'nothing is written to the repository' '
	cd repo && before=$(find .git -type f | sort) && git box compare a b c >/dev/null && test "$(find .git -type f | sort)" = "$before"
'
test_expect_success 'bases that differ are said' '
	cd repo && echo more >more && git add more && git commit -q -m more && git box create e && git box run e -- sh -c "echo 1 >only-e" &&
	git box propose -m e e && git box compare a e 2>err && test_grep "different commits" err && git box compare --json a e 2>/dev/null | grep "bases_differ.: true"
'
test_expect_success 'what cannot be compared' '
	cd repo && test_exit 129 git box compare a && test_exit 129 git box compare a a && test_exit 3 git box compare a nobox &&
	test_exit 3 git box compare a d 2>err && test_grep "git box propose d" err
'
test_expect_success 'control: a merge driver of the operator runs' '
	cd clone && git reset -q --hard && printf "README merge=evil\n" >.git/info/attributes && git config merge.evil.driver "touch \"$TRASH/mark\"" &&
	git checkout -q origin/box/a && { git merge -q -m m origin/box/b || :; } && test -e "$TRASH/mark"
'
test_expect_success 'escape: a merge driver of the operator runs' '
	rm "$TRASH/mark" && cd repo && printf "README merge=evil\n" >.git/info/attributes && git config merge.evil.driver "touch \"$TRASH/mark\"" &&
	git box compare a b >out && grep "^a and b conflict in README" out && ! test -e "$TRASH/mark"
'
test_expect_success 'names are cleaned' '
	cd repo && printf x >"$(printf "esc\303\251\342\200\256x")" && git add -A && git commit -q -m esc && for b in f g; do
		git box create $b && git box run $b -- sh -c "for f in esc*; do echo $b >\$f; done" && git box propose -m x $b || return 1
	done && git box compare f g >out && cat -v out && ! grep -q "$(printf "\342\200\256")" out
'
test_done
