#!/bin/sh
test_description='kill -9 of every process at every step of propose, export, rebase and apply'
test_lanes=both
. "${0%/*}/test-lib.sh"

# See t0600-kill9.sh: each process is killed at some of its steps, evenly spread; KILL9_ALL=1 takes all of them.
KILL9_EACH=${KILL9_EACH:-8}
KILL9_SECONDS=${KILL9_SECONDS:-20}
[ -z "${KILL9_ALL:-}" ] || KILL9_EACH=100000 KILL9_SECONDS=100000
KILL_AT=$HELPER_DIR/kill-at
ROLES='front git mason monitor init spawner command launch'
REPORT=$TRASH/report
export KILL_AT_MS=6000
kill_at () { without_leak_checks "$KILL_AT" "$@"; }

"$KILL_AT" "$REPORT" count -- true || skip_all 'this host does not let us trace our own processes'

box_dir () { echo ".git/box/b/$(cat .git/box/name/b)"; }
field () { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$(box_dir)/manifest.json" "$1"; }

# What a git leaves that is killed while it holds a lock; as its own messages say, the user removes it.
unlock () { find .git -name '*.lock' ! -path '.git/box/*' -exec rm {} +; }

no_quarantine () { git-box gc && [ -z "$(ls .git/box/quarantine)" ]; }

verb_propose () { "$@" git-box propose -m Work b; }
# The branch is not there, or is the proposal; the next propose makes it so, and what waited in between is swept.
check_propose () {
	unlock
	[ "$(git rev-parse -q --verify "box/b^{tree}" || echo none)" = none ] || [ "$(git rev-parse "box/b^{tree}")" = "$WORK_TREE" ] ||
		{ echo "another tree"; return 1; }
	git-box propose -m Work b && [ "$(git rev-parse "box/b^{tree}")" = "$WORK_TREE" ] && [ "$(field state)" = proposed ] &&
	[ "$(field proposal)" = "$(git rev-parse box/b)" ] && [ "$(git rev-parse "box/b^")" = "$(field base_commit)" ] &&
	wait_for 5 no_quarantine && git fsck --strict && git-box rm b
}

verb_export () { "$@" git-box export b; }
# The directory is whole or not there; the next export sweeps what was begun.
check_export () {
	unlock
	if [ -e box-export/b ]; then
		[ "$(find box-export/b -type f | wc -l)" = 4 ] || { find box-export; return 1; }
	fi
	git-box export --force b && [ "$(ls -A box-export)" = b ] && GIT_INDEX_FILE=.git/try git read-tree "$(field base_commit)" &&
	GIT_INDEX_FILE=.git/try git apply --cached --binary box-export/b/patch.diff &&
	[ "$(GIT_INDEX_FILE=.git/try git write-tree)" = "$WORK_TREE" ] && wait_for 5 no_quarantine && git fsck --strict
}

verb_apply () { "$@" git-box apply b; }
# The branch is the old or the new one; once apply has ended all is there, and what the operator had is as it was.
check_apply () {
	case $(git rev-parse "HEAD^{tree}") in "$OLD_TREE" | "$NEW_TREE") ;; *) echo "another tree"; return 1 ;; esac
	unlock
	git-box apply b && [ ! -e "$(box_dir)/apply" ] && [ "$(git rev-parse "HEAD^{tree}")" = "$NEW_TREE" ] && [ "$(field state)" = applied ] &&
	[ "$(git status --porcelain)" = "$STATUS" ] && [ "$(cat mine)" = mine ] && git fsck --strict
}

verb_rebase () { "$@" git-box rebase b; }
# The box runs only where it is the old or the new one; the next rebase makes it the new one.
check_rebase () {
	unlock
	if [ ! -e "$(box_dir)/rebase.json" ]; then
		now=$(git-box run -q b -- sh -c "git rev-parse HEAD; cat big new f* 2>/dev/null | cksum") || return 1
		case $now in "$OLD_BOX" | "$NEW_BOX") ;; *) echo "mixed: $now"; return 1 ;; esac
	else
		test_exit 125 git-box run -q b -- true || return 1
	fi
	git-box rebase b && [ "$(git-box run -q b -- sh -c "git rev-parse HEAD; cat big new f* | cksum")" = "$NEW_BOX" ] &&
	[ "$(field base_commit)" = "$(git rev-parse main)" ] && [ ! -e "$(box_dir)/rebase.json" ] &&
	[ "$(git rev-parse "refs/box/base/$(field id)")" = "$(git rev-parse main)" ] && git-box propose -m W b && git fsck --strict
}

fresh () { cd "$TRASH" && rm -rf repo && cp -a master repo && cd repo || return 1; }

# one ROLE N
one () {
	ROLE=$1
	fresh && touch "$TRASH/began" && { "verb_$VERB" kill_at "$REPORT" "$1" "$2" -- >/dev/null 2>"$TRASH/said"; rc=$?; } &&
	case $rc in
	0) FAULTS=$((FAULTS + 1)) ;;
	1) ;;
	*) echo "kill-at failed: $rc"; return 1 ;;
	esac
	"check_$VERB" >"$TRASH/check" 2>&1 && return 0
	echo "AFTER $VERB, $1 killed at step $2: $(tr '\n' ' ' <"$REPORT")"
	cat "$TRASH/said" "$TRASH/check"
	return 1
}

kill9 () {
	VERB=$1 FAULTS=0
	fresh && "verb_$VERB" kill_at "$REPORT" count -- && grep -v ^code "$REPORT" >"$TRASH/counts" || return 1
	STEPS=$(awk "{ n += \$2 } END { print n }" "$TRASH/counts")
	until=$(($(date +%s) + KILL9_SECONDS))
	k=0
	while [ "$k" -lt "$KILL9_EACH" ]; do
		for role in $ROLES; do
			count=$(sed -n "s/^$role //p" "$TRASH/counts")
			[ "${count:-0}" -gt "$k" ] || continue
			[ "$(date +%s)" -lt "$until" ] || break 2
			if [ "$count" -le "$KILL9_EACH" ]; then n=$((k + 1)); else n=$((1 + k * (count * 618 / 1000) % count)); fi
			one "$role" "$n" || return 1
		done
		k=$((k + 1))
	done
	cd "$TRASH" && echo "# kill9: $VERB steps=$STEPS faults=$FAULTS" >"$TRASH/summary" && [ "$FAULTS" -gt 5 ]
}

test_expect_success 'a box with work, and a branch that went on' '
	make_repo master && mv master repo && cd repo && for i in 1 2 3 4 5 6 7 8; do echo $i >f$i || return 1; done &&
	git add . && git commit -q -m files && git-box create -q b &&
	git-box run -q b -- sh -c "seq 200000 >big; echo new >new; echo box >>f1; rm f2" && echo up >>f8 && git commit -q -a -m up &&
	OLD_BOX=$(git-box run -q b -- sh -c "git rev-parse HEAD; cat big new f* | cksum") && cd .. && cp -a repo master &&
	cd repo && git-box rebase b && NEW_BOX=$(git-box run -q b -- sh -c "git rev-parse HEAD; cat big new f* | cksum") &&
	[ "$OLD_BOX" != "$NEW_BOX" ]
'
test_expect_success 'what it proposes' '
	fresh && git-box propose -m Work b && WORK_TREE=$(git rev-parse "box/b^{tree}") && git cat-file -e "$WORK_TREE:big"
'
for verb in propose export rebase; do
	test_expect_success "kill -9 at every step of $verb" 'kill9 "$verb"'
	cat "$TRASH/summary" 2>/dev/null
	rm -f "$TRASH/summary"
done
test_expect_success 'a proposal, and changes that are not committed' '
	cd master && cd .. && rm -rf repo && mv master repo && cd repo && git-box propose -m Work b && echo mine >mine && echo 4 >>f4 &&
	STATUS=$(git status --porcelain) && OLD_TREE=$(git rev-parse "HEAD^{tree}") && cd .. && cp -a repo master && cd repo && git-box apply b &&
	NEW_TREE=$(git rev-parse "HEAD^{tree}") && [ "$(git status --porcelain)" = "$STATUS" ]
'
test_expect_success 'kill -9 at every step of apply' 'kill9 apply'
cat "$TRASH/summary" 2>/dev/null
test_done
