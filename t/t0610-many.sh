#!/bin/sh
test_description='many boxes and many verbs at the same time'
test_lanes=both
. "${0%/*}/test-lib.sh"

BOXES=16
COMMITS=50
NAMES=$(seq -f 'many%02g' 1 "$BOXES")

# Runs CMD in the background; its exit code is in $TRASH/rc.NAME afterwards. background NAME CMD...
background () {
	bg_name=$1
	shift
	rm -f "$TRASH/rc.$bg_name"
	{ "$@" >"$TRASH/out.$bg_name" 2>&1; echo $? >"$TRASH/rc.$bg_name"; } &
}

# ended_well NAME...: shows what those that did not said.
ended_well () {
	well=0
	for bg_name; do
		[ "$(cat "$TRASH/rc.$bg_name")" = 0 ] && continue
		echo "$bg_name ended with $(cat "$TRASH/rc.$bg_name"):"
		tail -n 5 "$TRASH/out.$bg_name"
		well=1
	done
	return "$well"
}

# --- 16 boxes, 50 commits each, everybody at once ---

# The agent: commits of its own name.
commit_much () {
	git-box run "$1" -- sh -c '
		for i in $(seq '"$COMMITS"'); do
			echo "$0 $i" >"file-$0" && git add . && git commit -q -m "$0 $i" || exit 1
		done' "$1"
}

# A box that packs and prunes as hard as it can.
pack_much () {
	git-box run packer -- sh -c '
		for i in 1 2 3 4 5; do
			git commit -q --allow-empty -m "packer $i" && git repack -q -a -d &&
			git gc -q --prune=now && git reflog expire --expire=now --all || exit 1
		done'
}

# The operator works, collects garbage, and makes and removes boxes.
operate () {
	for i in 1 2 3 4 5 6; do
		git commit -q --allow-empty -m "operator $i" --no-gpg-sign &&
		git-box create -q "extra$i" && git gc -q --prune=now && git-box run "extra$i" -- git log -1 --format=%s &&
		git-box rm "extra$i" && git-box gc || return 1
	done
}

test_expect_success "$BOXES boxes, $COMMITS commits each at once, while everybody packs and prunes" '
	make_repo repo && cd repo && for name in $NAMES packer; do git-box create -q "$name" || return 1; done &&
	base=$(git rev-parse HEAD) &&
	{ for name in $NAMES; do background "$name" commit_much "$name"; done
	background packer pack_much
	background operator operate
	wait; } && ended_well $NAMES packer operator
'
test_expect_success 'the repository is whole' '
	cd repo && git fsck --strict >"$TRASH/fsck" 2>&1 && ! test -s "$TRASH/fsck" &&
	test "$(git log --format=%s | grep -c ^operator)" = 6 &&
	test -z "$(git worktree prune -n -v; find .git -name "*.lock" ! -path ".git/box/b/*")"
'
test_expect_success 'ls shows every box' '
	cd repo && git-box ls -q | sort >"$TRASH/ls" && printf "%s\n" $NAMES packer | sort | cmp - "$TRASH/ls"
'
test_expect_success 'each box has its commits, all of them whole' '
	cd repo && for name in $NAMES; do
		git-box run "$name" -- sh -c "git rev-list --count $base..HEAD && git fsck --strict --no-dangling 2>&1" >"$TRASH/have" &&
		{ echo "$COMMITS" | cmp - "$TRASH/have" || { echo "$name"; cat "$TRASH/have"; return 1; }; } || return 1
	done && test "$(git-box run packer -- git rev-list --count "$base..HEAD")" = 5 && git-box run packer -- git fsck --strict --no-dangling
'
test_expect_success 'control: a box sees its own commits' '
	cd repo && for name in $NAMES; do
		tip=$(git-box run "$name" -- git rev-parse HEAD) && git-box run "$name" -- git cat-file -e "$tip" &&
		echo "$tip" >>"$TRASH/tips" || return 1
	done && test "$(sort -u "$TRASH/tips" | wc -l)" = "$BOXES"
'
test_expect_success 'no box sees a commit of another, nor does the repository' '
	cd repo && seen () { git cat-file --batch-check <"$TRASH/tips" | grep -c commit; } &&
	test "$(seen)" = 0 && for name in $NAMES packer; do
		n=$(git-box run "$name" -- git cat-file --batch-check <"$TRASH/tips" | grep -c " commit ") || :
		[ "$n" = "$([ "$name" = packer ] && echo 0 || echo 1)" ] || { echo "$name sees $n tips"; return 1; }
		others=$(git-box run "$name" -- git log --all --format=%s | grep "^many\|^packer" | grep -vc "^$name ") || :
		[ "$others" = 0 ] || { echo "$name sees $others commits of others"; return 1; }
	done
'
test_expect_success 'all of them go, at the same time' '
	cd repo && { for name in $NAMES packer; do background "$name" git-box rm --force "$name"; done
	wait; } && ended_well $NAMES packer && test -z "$(git-box ls -q)" &&
	git -c box.keepRemoved=0 box gc && test -z "$(git for-each-ref refs/box)" && git fsck --strict &&
	test -z "$(ls .git/box/b .git/box/name .git/box/removed | grep -v ":$")"
'

# --- verbs against verbs ---

race_create () {
	for round in $(seq 20); do
		background one git-box create -q race
		background two git-box create -q race
		wait
		codes=$(sort -n "$TRASH/rc.one" "$TRASH/rc.two" | tr "\n" " ")
		[ "$codes" = "0 4 " ] || { echo "round $round: $codes"; cat "$TRASH/out.one" "$TRASH/out.two"; return 1; }
		[ "$(git-box ls -q)" = race ] && git-box run race -- true && git-box rm race || return 1
	done
}
test_expect_success 'two creates of one name: exactly one wins' '
	cd repo && race_create && test -z "$(ls .git/box/b .git/box/name | grep -v ":$")"
'
# Each waits for the other, so both pass only where both live at once.
meet () { git-box run pair -- sh -c "touch /tmp/$1; until test -e /tmp/$2; do sleep 0.02; done; echo $1"; }
test_expect_success 'two commands in one box at once' '
	cd repo && git-box create -q pair && { background a timeout -k 1 30 true; background a meet a b; background b meet b a
	wait; } && ended_well a b && test_grep ^a "$TRASH/out.a" && test_grep ^b "$TRASH/out.b"
'
test_expect_success 'rm while a command runs is refused, and harms nothing' '
	cd repo && { background long git-box run pair -- sh -c "until test -e /tmp/go; do sleep 0.02; done; echo done"; } &&
	wait_for 10 "git-box ls | grep -q running" && test_exit 4 git-box rm pair && test_exit 4 git-box rm --force pair &&
	git-box run pair -- touch /tmp/go && { wait; ended_well long; } && test_grep ^done "$TRASH/out.long" &&
	git-box rm --force pair
'

come_and_go () {
	for i in $(seq 15); do
		git-box create -q "fleeting" && git-box rm fleeting || return 1
	done
}
# ls and status of a box that is being made or removed: there, or not there; never anything else.
look_on () {
	looks=0
	while [ ! -e "$TRASH/rc.go" ]; do
		git-box ls >"$TRASH/ls" && ! grep broken "$TRASH/ls" && grep -q ^stable "$TRASH/ls" &&
		git-box ls --json >"$TRASH/ls.json" && git-box status stable >"$TRASH/status" || return 1
		git-box status fleeting >"$TRASH/status" 2>"$TRASH/status.err" || [ $? = 3 ] || { cat "$TRASH/status.err"; return 1; }
		looks=$((looks + 1))
	done
	[ "$looks" -gt 3 ]
}
test_expect_success 'ls and status never fail while boxes come and go' '
	cd repo && git-box create -q stable && { background go come_and_go; } && { look_on || { wait; return 1; }; } &&
	wait && ended_well go && git-box rm stable
'
test_done
