# shellcheck shell=sh disable=SC2016,SC2034 # test scripts are quoted text, evaluated later
# What every t/tNNNN-*.sh stands on. A script looks like this:
#
#	#!/bin/sh
#	test_description='create: names'
#	test_lanes=both			# self (default), both, root or user
#	. "${0%/*}/test-lib.sh"
#
#	test_expect_success 'a name may not start with a dash' '
#		make_repo r &&
#		(cd r && test_exit 129 git box create -- -x)
#	'
#	test_done
#
# Each script gets a trash directory of its own ($TRASH, current directory at the start, removed at the end) with its
# own HOME and TMPDIR, and finds the programs as installed (`make install` into build/plain/inst) first on PATH.
# Lanes: as root, `both` runs the whole script twice, as root and as uid 1000; an ordinary user runs it once.
# At the end the script fails where it left a mount, a process of ours or a file in /tmp behind.
# BOX_MUST_WORK=1 turns skips into failures (only a lane that this user cannot have stays skipped).
#
# Functions: test_expect_success, test_skip, skip_all, test_exit, test_grep, without_leak_checks, traced, test_done, make_repo,
# make_box_repo, add_helpers, escape_probe, wait_for, as_user; each is described below.

set -u
LC_ALL=C.UTF-8
export LC_ALL
umask 022

TEST_FILE=$(basename "$0")
T_DIR=$(cd "$(dirname "$0")" && pwd)
SRC_DIR=$(dirname "$T_DIR")
VARIANT=${VARIANT:-plain}
BUILD=$SRC_DIR/build/$VARIANT
INST=$BUILD/inst
HELPER_DIR=$BUILD/helper
TEST_UID=1000
test_lanes=${test_lanes:-self}

# --- lanes -------------------------------------------------------------------------------------------------------

# Runs argv as the ordinary test user, with a HOME it owns and none of root's variables.
as_user () {
	user_home=$(mktemp -d /var/tmp/box-test-home.XXXXXX) && chown "$TEST_UID:$TEST_UID" "$user_home" || return 1
	setpriv --reuid="$TEST_UID" --regid="$TEST_UID" --clear-groups --inh-caps=-all \
		env HOME="$user_home" USER=box-test LOGNAME=box-test "$@"
	user_rc=$?
	rm -rf "$user_home"
	return "$user_rc"
}

# Runs this script in a lane. Where the tree lies below a directory that the test user cannot enter (a CI clone in a
# 0700 directory), what the script needs is copied to where it can.
run_lane () {
	BOX_TEST_LANE=$1
	export BOX_TEST_LANE
	if [ "$1" = root ]; then
		sh "$0"
		return
	fi
	if as_user test -r "$T_DIR/$TEST_FILE" -a -x "$INST/usr/bin/git-box"; then
		as_user sh "$0"
		return
	fi
	lane_tree=$(mktemp -d /var/tmp/box-test-tree.XXXXXX) && chmod 755 "$lane_tree" &&
	mkdir -p "$lane_tree/build/$VARIANT" && cp -R "$T_DIR" "$SRC_DIR/README.md" "$lane_tree" &&
	for lane_part in inst helper; do
		[ ! -d "$BUILD/$lane_part" ] || cp -R "$BUILD/$lane_part" "$lane_tree/build/$VARIANT" || return 1
	done &&
	as_user sh "$lane_tree/t/$TEST_FILE"
	lane_rc=$?
	rm -rf "$lane_tree"
	return "$lane_rc"
}

# Both lanes: run this script once in each and number the lines of the two runs through.
if [ -z "${BOX_TEST_LANE:-}" ] && [ "$(id -u)" = 0 ] && [ "$test_lanes" = both ]; then
	{
		run_lane root || echo "lane root: exit $?"
		run_lane user || echo "lane user: exit $?"
	} | awk '
		/^lane /		{ bad = 1; print "# " $0; next }
		/^1\.\.[0-9]+/		{ if (/^1\.\.0/) print "# " $0; plans++; next }
		/^(not )?ok [0-9]+/	{ lane = plans ? "user" : "root"; n++
					  if (/^not/) { bad = 1; verdict = "not ok " } else verdict = "ok "
					  sub(/^(not )?ok [0-9]+ *(- )?/, "")
					  print verdict n " - [" lane "] " $0; next }
					{ print }
		END { if (plans != 2) { n++; print "not ok " n " - both lanes ran to their end"; bad = 1 }
		      print "1.." n; exit bad }'
	exit
fi

TEST_COUNT=0
TEST_FAILED=0

case $test_lanes:$(id -u) in
root:0 | user:[!0]* | self:* | both:*) ;;
user:0)
	run_lane user
	exit
	;;
*)
	echo "1..0 # SKIP needs root"
	exit 0
	;;
esac

# --- surroundings ------------------------------------------------------------------------------------------------

# The name is the mark by which leftovers are recognised, so it is not something that others use.
TRASH=$(mktemp -d /var/tmp/box-test.XXXXXXXX) || exit 1
TRASH=$(cd "$TRASH" && pwd -P)
mkdir -m 700 "$TRASH/home" "$TRASH/tmp"
HOME=$TRASH/home
TMPDIR=$TRASH/tmp
for v in $(env | sed -n 's/^\(GIT_[A-Z0-9_]*\|XDG_[A-Z_]*\|BOX_ID\|TAPE\)=.*/\1/p'); do
	case $v in GIT_TEST_*) ;; *) unset "$v" ;; esac
done
export HOME TMPDIR
export GIT_CONFIG_NOSYSTEM=1
# in a file, not in variables: a box gets the identity from the configuration
printf '[user]\n\tname = A U Thor\n\temail = author@example.com\n' >"$HOME/.gitconfig"
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'

if ! [ -x "$INST/usr/bin/git-box" ]; then
	echo "Bail out! $INST/usr/bin/git-box is missing: run 'make $BUILD/inst/stamp' (make check does)"
	exit 1
fi
PATH=$INST/usr/bin:$PATH
MANPATH=$INST/usr/share/man:
export PATH MANPATH

# --- TAP ---------------------------------------------------------------------------------------------------------

# ok_line OK NAME
test_line () {
	TEST_COUNT=$((TEST_COUNT + 1))
	[ "$1" = ok ] || TEST_FAILED=$((TEST_FAILED + 1))
	echo "$1 $TEST_COUNT - $2"
}

# A function of its own, so that `return 1` in a script ends the script, not the report about it.
test_eval () { eval "$1"; }

# test_expect_success NAME SCRIPT: SCRIPT is evaluated in this shell, in $TRASH. All its commands must be chained with
# && (background ones as `{ cmd & } &&`): a false start must come out at the end as it went in, else a failure in the
# middle would be lost.
test_expect_success () {
	cd "$TRASH" || exit 1
	(eval "(exit 117) && $2") >/dev/null 2>&1
	if [ $? -ne 117 ]; then
		test_line 'not ok' "$1"
		echo '# broken && chain'
	elif test_eval "$2" >"$TRASH/.out" 2>&1; then
		test_line ok "$1"
	else
		test_line 'not ok' "$1"
		sed 's/^/# /' "$TRASH/.out" | tail -n 60
		printf '%s\n' "$2" | sed 's/^/#   /'
	fi
	cd "$TRASH" || exit 1
}

# test_skip NAME REASON: one test that this machine cannot do.
test_skip () {
	if [ "${BOX_MUST_WORK:-}" = 1 ]; then
		test_line 'not ok' "$1"
		echo "# must not be skipped here: $2"
	else
		test_line ok "$1 # SKIP $2"
	fi
}

# skip_all REASON: the whole script.
skip_all () {
	rm -rf "$TRASH"
	if [ "${BOX_MUST_WORK:-}" = 1 ]; then
		echo "1..1"
		echo "not ok 1 - $TEST_FILE must not be skipped here: $1"
		exit 1
	fi
	echo "1..0 # SKIP $1"
	exit 0
}

# test_exit CODE CMD...: CMD must end with exactly this exit code.
test_exit () {
	want=$1
	shift
	"$@"
	got=$?
	[ "$got" = "$want" ] && return 0
	echo "exit $got instead of $want: $*"
	return 1
}

# test_grep [-v] [-F] PATTERN FILE: like grep, but shows the file where it fails.
test_grep () {
	grep "$@" >/dev/null && return 0
	for test_last; do :; done
	echo "grep $* failed; the file holds:"
	cat "$test_last"
	return 1
}

# without_leak_checks CMD...: for what is traced. The leak checker traces its process itself, and there is only one tracer.
without_leak_checks () { ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 "$@"; }

# traced OPTIONS... CMD...: strace over CMD and what it starts.
traced () { without_leak_checks strace -f -qq "$@"; }

# wait_for SECONDS SCRIPT: until SCRIPT is true; fails after SECONDS on an idle machine, five times that on a busy one.
wait_for () {
	wait_tries=$(($1 * 100))
	until eval "$2" >/dev/null 2>&1; do
		wait_tries=$((wait_tries - 1))
		[ "$wait_tries" -gt 0 ] || { echo "waited $1 s for: $2"; return 1; }
		sleep 0.05
	done
}

# --- repositories ------------------------------------------------------------------------------------------------

# make_repo DIR: a fresh repository on branch main with one commit: README, src/hello.c, test.sh (its test suite).
make_repo () {
	mkdir -p "$1/src" &&
	git init -q -b main "$1" &&
	echo 'a sample' >"$1/README" &&
	printf '#include <stdio.h>\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n' >"$1/src/hello.c" &&
	printf '#!/bin/sh\ngrep -q hello src/hello.c && echo "1 passed"\n' >"$1/test.sh" &&
	chmod +x "$1/test.sh" &&
	git -C "$1" add . &&
	git -C "$1" commit -q -m 'sample' --no-gpg-sign
}

# make_box_repo DIR BOX [create's options...]: make_repo plus one box in it.
make_box_repo () {
	box_repo=$1
	box_name=$2
	shift 2
	make_repo "$box_repo" && (cd "$box_repo" && git-box create "$box_name" "$@")
}

# add_helpers REPO NAME...: commits test helper programs (t/helper/NAME.c) as REPO/.probe/NAME, so that the same
# relative path runs outside and in a box created afterwards.
add_helpers () {
	helper_repo=$1
	shift
	mkdir -p "$helper_repo/.probe" &&
	for helper; do
		cp "$HELPER_DIR/$helper" "$helper_repo/.probe/" || return 1
	done &&
	git -C "$helper_repo" add -f .probe &&
	git -C "$helper_repo" commit -q -m 'probes' --no-gpg-sign
}

# escape_probe NAME REPO BOX PROBE [UNDO]: two tests. Control: PROBE (sh text, run in REPO's top) succeeds outside.
# Escape: the same text fails in the box, where its start is proven by a line of output, so that a box that does not
# work cannot pass. UNDO (sh text) is run outside after the control.
escape_probe () {
	probe_name=$1
	probe_repo=$2
	probe_box=$3
	probe_text=$4
	probe_undo=${5:-:}
	test_expect_success "control: $probe_name" '
		(cd "$probe_repo" && sh -c "$probe_text") &&
		(cd "$probe_repo" && sh -c "$probe_undo")
	'
	test_expect_success "escape: $probe_name" '
		(cd "$probe_repo" && git-box run "$probe_box" -- sh -c "
			echo STARTED
			if ( $probe_text
			) ; then echo REACHED; else echo DENIED; fi") >"$TRASH/probe.out" &&
		cat "$TRASH/probe.out" &&
		grep -q ^STARTED "$TRASH/probe.out" &&
		grep -q ^DENIED "$TRASH/probe.out" &&
		! grep -q ^REACHED "$TRASH/probe.out"
	'
}

# --- leftovers ---------------------------------------------------------------------------------------------------

# Mounts that a box may have left: below this script's trash, or upon a place that every box has. Others mount and
# unmount on the same machine meanwhile, but not there.
list_mounts () {
	cut -d' ' -f5 /proc/self/mountinfo | grep -e "^$TRASH" -e git-box -e '^/\(tmp\|var/tmp\|run\|home\|root\|mnt\)\?$' \
		-e '^/\(dev\|etc\|lib\|proc\|run/box\|sys\|usr\)\(/\|$\)' | sort
}
list_tmp () { find /tmp /dev/shm -maxdepth 1 -name '*git-box*' 2>/dev/null | sort; }

# Processes that still have anything of this script's trash: a directory, a descriptor, an argument, a mount.
list_processes () {
	{
		find /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/fd -maxdepth 1 -lname "*$TRASH*"
		grep -l -s -F "$TRASH" /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo
	} 2>/dev/null | sed -n 's|^/proc/\([0-9]*\)/.*|\1|p' | sort -u >"$1"
	# find and grep have found themselves, but are gone by now
	while read -r pid; do
		[ "$pid" != "$$" ] || continue
		name=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") && [ -n "$name" ] && echo "$pid $name"
	done <"$1"
	rm -f "$1"
}

MOUNTS_BEFORE=$(list_mounts)
TMP_BEFORE=$(list_tmp)

test_leaks () {
	cd / || return 1
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		leaks=$(list_processes "$TRASH/.pids" 2>/dev/null)
		[ -n "$leaks" ] || break
		sleep 0.25
	done
	[ -z "$leaks" ] || { echo "processes: $leaks"; return 1; }
	[ "$(list_mounts)" = "$MOUNTS_BEFORE" ] || { echo "mounts: $(list_mounts)"; return 1; }
	[ "$(list_tmp)" = "$TMP_BEFORE" ] || { echo "tmp: $(list_tmp)"; return 1; }
}

# Boxes of root hold files of another uid below directories without write permission for others: rm alone does it
# for root, an ordinary user needs u+rwx first.
remove_trash () {
	rm -rf "$TRASH" 2>/dev/null && return 0
	find "$TRASH" -type d ! -perm -700 -exec chmod u+rwx {} + 2>/dev/null
	rm -rf "$TRASH"
}

test_done () {
	# not by test_expect_success: its output file in the trash would be found
	if leaks=$(test_leaks); then
		test_line ok 'nothing is left behind'
	else
		test_line 'not ok' 'nothing is left behind'
		printf '%s\n' "$leaks" | sed 's/^/# /'
		# by number, each of them seen to hold this script's own directory
		list_processes "$TRASH/.pids" | while read -r pid _; do kill -KILL "$pid"; done 2>/dev/null
	fi
	cd / || exit 1
	if [ -z "${KEEP_TRASH:-}" ]; then
		remove_trash || TEST_FAILED=1
	else
		echo "# kept $TRASH"
	fi
	trap - EXIT
	echo "1..$TEST_COUNT"
	[ "$TEST_FAILED" = 0 ]
	exit
}

trap 'echo "# $TEST_FILE ended before test_done"; cd /; remove_trash; exit 1' EXIT
trap 'exit 130' INT TERM

# A short trash path is the current directory of every test.
cd "$TRASH" || exit 1
