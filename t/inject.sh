#!/bin/sh
# The harness behind `make check-inject`: lets the first, second, third ... system call of a verb fail (over all its
# processes) until the verb runs to its end without reaching that number. After each failure the repository is sound,
# nothing is left that was not there before, and the same verb works at the next try.
# usage: inject.sh [VERB...]      prints "inject: VERB steps=N faults=M every=K"
# steps: calls that the verb makes; faults: how many of them were made to fail; BOX_INJECT_EVERY=K: only each K-th one,
# from the first (1, all of them, where it is unset).
test_description='fault injection'
VARIANT=inject
test_lanes=self
. "${0%/*}/test-lib.sh"

STATE=$TRASH/inject.state
REPO=$TRASH/repo
STEPS_MAX=3000
EVERY=${BOX_INJECT_EVERY:-1}
bad=0

# Everything that a verb could leave behind, as text.
snapshot () {
	(cd "$REPO" && git for-each-ref && git worktree list && find .git -name '*.lock' && git status --porcelain &&
	find .git/box -mindepth 1 -maxdepth 4 \( -path '*/objects' -o -path '*/work/*' \) -prune -o -print) 2>/dev/null |
		sort
	list_mounts
	list_tmp
	ls -A "$TMPDIR"
}

settled_processes () {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		left=$(list_processes "$TRASH/.pids" 2>/dev/null)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "processes: $left"
	return 1
}

sound () {
	settled_processes && git -C "$REPO" fsck --strict --no-dangling 2>&1
}

# This script itself stays outside the trash, so that it does not count among the processes left there.
in_repo () { (cd "$REPO" && exec "$@"); }

# What each verb needs before, and how the state before is reached again after it worked.
prepare () {
	case $1 in
	create) ;;
	run) in_repo git-box create b && in_repo git-box run b -- true ;; # makes what the first command makes for good
	rm) in_repo git-box create b ;;
	apply) prepare propose && in_repo git-box propose -m Work b ;;
	*) in_repo git-box create b && in_repo git-box run b -- sh -c 'echo work >>README; echo new >new' &&
		{ [ "$1" != rebase ] || in_repo git commit -q --allow-empty -m up --no-gpg-sign; } ;;
	esac
}
verb () {
	case $1 in
	create) in_repo timeout -k 1 20 git-box create b ;;
	run) in_repo timeout -k 1 20 git-box run b -- sh -c 'echo x >>README; cat README' ;;
	rm) in_repo timeout -k 1 20 git-box rm --force b ;;
	propose) in_repo timeout -k 1 20 git-box propose -m Work b ;;
	export) in_repo timeout -k 1 20 git-box export --force b ;;
	*) in_repo timeout -k 1 20 git-box "$1" b ;;
	esac
}
# What the operator does after a failure: the same again; a box that is removed but for some files is a matter for gc,
# as the error said.
next_try () {
	if [ "$1" = rm ] && grep -q 'hint: git box gc' "$TRASH/out"; then
		in_repo git box gc
	else
		verb "$1"
	fi >"$TRASH/out.next" 2>&1 || { cat "$TRASH/out.next" >>"$TRASH/out"; return 1; }
}
restore () {
	case $1 in
	rm) ;;
	*)
		# a quarantine that could not be removed waits for gc
		in_repo git -c box.keepRemoved=0 box rm --force b && in_repo git box gc && rm -rf "$REPO/box-export" &&
			in_repo git reset -q --hard "$START" &&
			{ ! in_repo git rev-parse -q --verify box/b || in_repo git branch -q -D box/b; }
		;;
	esac
}

# One call fails. Returns 0: it was reached and all is well; 1: something is wrong; 2: the verb has fewer calls.
step () {
	prepare "$1" >"$TRASH/out" 2>&1 || { echo "prepare failed"; return 1; }
	before=$(snapshot)
	rm -f "$STATE" && truncate -s 4096 "$STATE"
	(BOX_INJECT_STATE=$STATE BOX_INJECT_AT=$2 && export BOX_INJECT_STATE BOX_INJECT_AT && verb "$1") \
		>"$TRASH/out" 2>&1
	code=$?
	fired=$(od -An -tu8 -j8 -N8 "$STATE" | tr -d ' ')
	what=$(tail -c +17 "$STATE" | tr -d '\0')
	sound || return 1
	case $code in
	0) ;;
	124 | 13[0-9] | 14[0-9]) echo "exit $code: hung or crashed"; return 1 ;;
	*)
		[ "$fired" = 1 ] || { echo "exit $code without a fault"; return 1; }
		# What rm, apply and rebase have begun is finished by the next try.
		if case $1 in create | run) ;; *) false ;; esac && [ "$(snapshot)" != "$before" ]; then
			echo "left behind:"
			{ echo "$before" >"$TRASH/.before"; snapshot | diff "$TRASH/.before" -; rm -f "$TRASH/.before"; }
			return 1
		fi
		next_try "$1" || { echo "the next try failed"; return 1; }
		;;
	esac
	restore "$1" >"$TRASH/out" 2>&1 || { echo "restore failed"; return 1; }
	[ "$(snapshot)" = "$EMPTY" ] || { echo "not as in the beginning"; return 1; }
	[ "$fired" = 1 ] || return 2
}

run_verb () {
	n=1
	faults=0
	while [ "$n" -lt "$STEPS_MAX" ]; do
		message=$(step "$1" "$n")
		case $? in
		0) faults=$((faults + 1)) ;;
		2) break ;;
		*)
			what=$(tail -c +17 "$STATE" | tr -d '\0')
			echo "inject: $1 step $n ($what): $message"
			sed 's/^/#   /' "$TRASH/out" | tail -5
			bad=1
			reset_repo || break
			;;
		esac
		n=$((n + EVERY))
	done
	echo "inject: $1 steps=$(od -An -tu8 -N8 "$STATE" | tr -d ' ') faults=$faults every=$EVERY"
	[ "$faults" -gt 0 ] && [ "$n" -lt "$STEPS_MAX" ] || bad=1
}

# A new start after a step that went wrong, so that it does not make all later ones fail.
reset_repo () {
	find "$REPO" -type d ! -perm -700 -exec chmod u+rwx {} + 2>/dev/null
	rm -rf "$REPO"
	make_repo "$REPO" && START=$(git -C "$REPO" rev-parse HEAD) && in_repo git-box create b >/dev/null 2>&1 && in_repo git-box rm --force b >/dev/null 2>&1 &&
	EMPTY=$(snapshot)
}

cd / || exit 1
reset_repo || { echo 'inject: create and rm do not work without faults'; exit 1; }
[ $# -gt 0 ] || set -- create run rm propose apply rebase export
for v; do
	run_verb "$v"
done
trap - EXIT
remove_trash || bad=1
exit $bad
