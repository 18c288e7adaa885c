#!/bin/sh
test_description='kill -9 of every process at every step'
test_lanes=both
. "${0%/*}/test-lib.sh"

# Steps are system calls that change, hand over or wait (t/helper/kill-at.c). The front, which holds what there is to
# lose, is killed at up to KILL9_FRONT of them, evenly spread; every other process at up to KILL9_OTHERS; each verb for
# at most KILL9_SECONDS. KILL9_ALL=1 takes every step of all of them, which is a matter of many minutes.
KILL9_FRONT=${KILL9_FRONT:-12}
KILL9_OTHERS=${KILL9_OTHERS:-3}
KILL9_SECONDS=${KILL9_SECONDS:-7}
[ -z "${KILL9_ALL:-}" ] || KILL9_FRONT=100000 KILL9_OTHERS=100000 KILL9_SECONDS=100000
KILL_AT=$HELPER_DIR/kill-at
ROLES='front launch monitor init spawner command mason'
REPORT=$TRASH/report
export KILL_AT_MS=6000
kill_at () { without_leak_checks "$KILL_AT" "$@"; }

"$KILL_AT" "$REPORT" count -- true || skip_all 'this host does not let us trace our own processes'

# What must be as before, whatever happened: all names below .git, all refs, the work tree.
state () {
	find .git ! -name index -print | sort && git for-each-ref && git status --porcelain
}

as_before () { state >"$TRASH/now" && diff "$TRASH/before" "$TRASH/now"; }

# What may never be there, not even before gc. (Below box/b/ a box that never came to be waits for gc as it is.)
check_after () {
	kill9_bad=$(git fsck --strict 2>&1; git worktree prune -n -v 2>&1
		find .git -name '*.lock' ! -path '.git/box/b/*'
		grep -F "$TRASH" /proc/self/mountinfo
		find /tmp /dev/shm "$TMPDIR" -mindepth 1 -maxdepth 1 -newer "$TRASH/began" -name '*git-box*'
		ls -A "$TMPDIR")
	[ -z "$kill9_bad" ] || { echo "left behind: $kill9_bad"; return 1; }
	git-box ls >/dev/null
}

# Bundles of removed boxes go too: they are what rm promises to keep, not leftovers.
settle () {
	git -c box.keepRemoved=0 box gc &&
	for box in .git/box/name/*; do
		[ ! -e "$box" ] || git -c box.keepRemoved=0 box rm --force "${box##*/}" || return 1
	done
	as_before
}

# --- verbs: what is there before, the command, and the same again. $N is the step that was killed at. ---

before_create () { :; }
verb_create () { "$@" git-box create -q b; }
# Every second time without a gc in between: the name of a dead create is free at once.
again_create () {
	[ $((N % 2)) = 0 ] || git-box gc || return 1
	git-box path b >/dev/null 2>&1 || git-box create -q b || return 1
	git-box run b -- true && git-box rm b
}

# The tier that is an ordinary worktree of the user's repository.
before_worktree () { :; }
verb_worktree () { "$@" git-box create -q --isolation workspace w; }
again_worktree () {
	[ $((N % 2)) = 0 ] || git-box gc || return 1
	git-box path w >/dev/null 2>&1 || git-box create -q --isolation workspace w || return 1
	git-box run -q w -- true && git-box rm w
}

before_run () { git-box path b >/dev/null 2>&1 || git-box create -q b; }
verb_run () { "$@" git-box run b -- true; }
again_run () { git-box run b -- true; }

# A command that outlives the killer's patience, unless it is ended.
before_long () { before_run; }
verb_long () { "$@" git-box run b -- sleep "$SLEEP"; }
again_long () { again_run; }

before_rm_run () { :; }
verb_rm_run () { "$@" git-box run --rm -- true; }
again_rm_run () { git-box run --rm -- true; }

before_rm () { git-box create -q b && git-box run b -- touch new; }
verb_rm () { "$@" git-box rm --force b; }
again_rm () {
	[ $((N % 2)) = 0 ] || git-box gc || return 1
	git-box rm --force b || [ $? = 3 ] || return 1
	git-box create -q b && git-box rm b
}

before_gc () { git-box create -q b && git-box abort b; }
verb_gc () { "$@" git-box gc; }
again_gc () { git-box gc; }

# A create that saw one of its helpers die has taken back everything itself.
check_undone () {
	[ "$VERB" = create ] && [ "$1" != front ] || return 0
	! grep -qx 'code 0' "$REPORT" && grep -q '^killed' "$REPORT" || return 0
	as_before
}

# fault ROLE: kill at step $N of that role.
fault () {
	"before_$VERB" || { echo "no start"; return 1; }
	touch "$TRASH/began"
	"verb_$VERB" kill_at "$REPORT" "$1" "$N" -- >/dev/null 2>"$TRASH/said"
	case $? in
	0) FAULTS=$((FAULTS + 1)) ;;
	1) ;; # it went another way this time
	*) echo "kill-at failed"; return 1 ;;
	esac
	check_undone "$1" && check_after && "again_$VERB" && { [ "$VERB" = run ] || [ "$VERB" = long ] || settle; }
}

# choose ROLE K: sets N to the K-th step to be tried (from 0), or fails where there is no such. A golden stride spreads
# them evenly wherever the time ends.
choose () {
	count=$(sed -n "s/^$1 //p" "$TRASH/counts")
	most=$KILL9_OTHERS
	[ "$1" != front ] || most=$KILL9_FRONT
	[ "$2" -lt "$count" ] && [ "$2" -lt "$most" ] || return 1
	if [ "$count" -le "$most" ]; then
		N=$(($2 + 1))
	else
		N=$((1 + $2 * (count * 618 / 1000) % count))
	fi
}

# try ROLE: one fault, and what is said about it where it went wrong.
try () {
	fault "$1" >"$TRASH/fault" 2>&1 && return 0
	echo "AFTER $VERB, $1 killed at step $N: $(tr '\n' ' ' <"$REPORT")"
	cat "$TRASH/said" "$TRASH/fault"
	FAILED=$((FAILED + 1))
	settle >/dev/null 2>&1
}

faults () {
	until=$(($(date +%s) + KILL9_SECONDS))
	k=0
	while [ "$k" -lt "$KILL9_FRONT" ] && [ "$k" -le "$STEPS" ]; do
		for role in $ROLES; do
			choose "$role" "$k" || continue
			[ "$FAILED" -lt 5 ] && [ "$(date +%s)" -lt "$until" ] || return 0
			try "$role" || return 1
		done
		k=$((k + 1))
	done
}

kill9 () {
	VERB=$1 FAULTS=0 FAILED=0 SLEEP=0.2
	cd repo && "before_$VERB" && "verb_$VERB" kill_at "$REPORT" count -- && settle || return 1
	grep -v ^code "$REPORT" >"$TRASH/counts"
	STEPS=$(awk '{ n += $2 } END { print n }' "$TRASH/counts")
	SLEEP=9
	faults && settle || FAILED=$((FAILED + 1))
	echo "# kill9: $VERB steps=$STEPS faults=$FAULTS" >"$TRASH/summary"
	[ "$FAULTS" -gt 0 ] && [ "$FAILED" = 0 ]
}

test_expect_success 'control: the killer kills, and sees what lives on' '
	test_exit 0 kill_at "$REPORT" front 1 -- sh -c "echo x" && test_grep "^code 137" "$REPORT" &&
	test_exit 1 kill_at "$REPORT" front 1000 -- true && test_grep "^code 0" "$REPORT" &&
	KILL_AT_MS=200 test_exit 3 kill_at "$REPORT" count -- sh -c "sleep 67.7 &" &&
	test_grep "^alive " "$REPORT"
'
test_expect_success 'a repository where boxes came and went' '
	make_repo repo && cd repo && git-box create -q b && git-box rm b && state >"$TRASH/before" && settle
'
for verb in create worktree run long rm_run rm gc; do
	test_expect_success "kill -9 at every step of $verb" 'kill9 "$verb"'
	[ ! -e "$TRASH/summary" ] || cat "$TRASH/summary"
	rm -f "$TRASH/summary"
done
test_done
