#!/bin/sh
test_description='files that change places with symlinks while they are read, written and deleted'
test_lanes=both
. "${0%/*}/test-lib.sh"

# Runs of each verb, each of them under a swapper (t/helper/swap.c).
RACE_TIMES=${RACE_TIMES:-100}
RACE_SWAPS=100000 # exchanges in all, at least
SECRET=TOPSECRET-$$
OUTSIDE=$TRASH/outside
READY=$TRASH/swap/ready
SWAPS=$TRASH/swaps
: >"$SWAPS"

# In the work tree of a box, from the host's side, so that no lock of ours holds it up; as who writes there: the
# payload's ids where we are root.
swapper_start () {
	rm -f "$READY" && work=$(git-box path "$1") && mkdir "$work/arena" && chown --reference="$work" "$work/arena" &&
	cd "$work/arena" || return 1
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid="$(stat -c %u .)" --regid="$(stat -c %g .)" --clear-groups --inh-caps=-all \
			"$TRASH/swap/swap" . "$OUTSIDE" "$READY" >>"$SWAPS" &
	else
		"$TRASH/swap/swap" . "$OUTSIDE" "$READY" >>"$SWAPS" &
	fi
	swapper=$!
	cd "$TRASH/repo" && wait_for 10 '[ -e "$READY" ]'
}
# Whatever a failed test left running is stopped first.
clear_arena () { kill "$swapper" 2>/dev/null; rm -rf "$(git box path "$1")/arena"; }
swapper_stop () { kill "$swapper" && wait "$swapper"; }

# often COMMAND: so often, whatever it answers; only a crash, a usage error or a failure of ours is one.
often () {
	for i in $(seq "$RACE_TIMES"); do
		"$@" >>"$TRASH/said" 2>&1 </dev/null
		rc=$?
		[ "$rc" -lt 124 ] || { tail -5 "$TRASH/said"; echo "$*: exit $rc"; return 1; }
	done
}

no_secret () { ! grep -r -l -a -F "$SECRET" "$@"; }
outside_as_before () { (cd "$OUTSIDE" && find . -printf "%p %m %s %T@ %l\n" | sort) | diff "$TRASH/outside.before" -; }

naive_reads () { for i in $(seq 2000); do cat "$1/real/secret" "$1/file" 2>/dev/null || :; done; }

test_expect_success 'setup' '
	make_repo repo && chmod 711 "$TRASH" && mkdir -m 1777 swap && cp "$HELPER_DIR/swap" swap && chmod 755 swap/swap &&
	mkdir -m 777 "$OUTSIDE" && mkdir "$OUTSIDE/deep" && echo "$SECRET" >"$OUTSIDE/secret" &&
	echo "$SECRET" >"$OUTSIDE/deep/secret" && chmod -R a+rwX "$OUTSIDE" &&
	(cd "$OUTSIDE" && find . -printf "%p %m %s %T@ %l\n" | sort) >"$TRASH/outside.before" &&
	cd repo && git box create b
'

test_expect_success 'control: who reads by name is led out' '
	cd repo && swapper_start b && naive_reads "$(git box path b)/arena" >"$TRASH/naive" && swapper_stop &&
	grep -q -F "$SECRET" "$TRASH/naive"
'
test_expect_success 'control: who deletes by name is led out' '
	cd repo && mkdir "$TRASH/decoy" && : >"$TRASH/decoy/mark" && ln -s "$TRASH/decoy" "$TRASH/lead" &&
	rm -f "$TRASH/lead/mark" && ! test -e "$TRASH/decoy/mark"
'

watch_start () {
	[ "$(id -u)" = 0 ] || return 0
	"$HELPER_DIR/fswatch" "$TRASH" "$TRASH/watching" "$TRASH/repo" "$TRASH/swap" "$TRASH/tmp" >"$TRASH/watched" &
	watcher=$!
	wait_for 10 "[ -e $TRASH/watching ]"
}
# Root watches the whole file system: the host is where it may not write, whoever else works there.
watch_stop () {
	[ "$(id -u)" = 0 ] || return 0
	: >"$OUTSIDE/deep/secret.watched" && rm "$OUTSIDE/deep/secret.watched" && kill "$watcher" && wait "$watcher" &&
	grep -q "secret.watched" "$TRASH/watched" && ! grep -x lost "$TRASH/watched" &&
	! grep -v "secret.watched" "$TRASH/watched" | grep -E "^[0-9a-f]+ ($OUTSIDE|/etc|/usr|/opt|/srv|/home|/boot|/var/lib)(/|$)"
}

test_expect_success 'watch the host' '
	watch_start
'
test_expect_success 'diff, propose, export and get never show what lies outside' '
	cd repo && clear_arena b && swapper_start b &&
	often git box diff b && often git box propose b -m race && often git box export --force b &&
	often git box get --force b arena/real/secret "$TRASH/swap" &&
	swapper_stop && no_secret "$TRASH/said" "$TRASH/repo/box-export" "$TRASH/swap"
'
test_expect_success 'what was proposed holds nothing of it' '
	cd repo && git fsck --strict && git for-each-ref --format="%(objectname)" | while read -r tip; do
		! git grep -q -F "$SECRET" "$tip" || { echo "$tip holds it"; return 1; }
	done
'
test_expect_success 'put never writes outside' '
	cd repo && clear_arena b && swapper_start b &&
	echo PUT >"$TRASH/swap/put" && often git box put --force b "$TRASH/swap/put" arena/real &&
	swapper_stop && ! grep -r -l PUT "$OUTSIDE"
'
test_expect_success 'rm deletes nothing outside' '
	cd repo && for i in $(seq "$RACE_TIMES"); do
		git box create -q "r$i" && swapper_start "r$i" && git box rm --force "r$i" >>"$TRASH/said" 2>&1
		swapper_stop >/dev/null 2>&1
		outside_as_before || return 1
		[ ! -e .git/box/name/"r$i" ] || git box rm --force "r$i" || return 1
	done
'
test_expect_success 'nothing of the host was changed' '
	watch_stop && (cd "$OUTSIDE" && find . ! -path ./deep -printf "%p %m %s %T@ %l\n" | sort) >"$TRASH/now" &&
	grep -v "^\./deep " "$TRASH/outside.before" | diff - "$TRASH/now"
'
test_expect_success 'the swapper was at work' '
	awk -F= "{ n += \$2 } END { print \"# exchanges: \" n; exit n < '"$RACE_SWAPS"' }" "$SWAPS"
'
test_expect_success 'end' '
	cd repo && git box rm --force b && chmod 700 "$TRASH"
'
test_done
