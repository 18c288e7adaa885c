#!/bin/sh
test_description='limits: memory, processes, output; what status says of them'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' 'make_box_repo repo b'

test_expect_success 'endless output costs no memory' '
	cd repo && { git-box run --timeout 60s b -- sh -c "head -c 2000000000 /dev/zero" >/dev/null & } && front=$! &&
	peak=0 &&
	for i in $(seq 20); do
		kill -0 $front 2>/dev/null || break
		for p in /proc/[0-9]*; do
			case $(readlink "$p/exe" 2>/dev/null) in
			"$INST"/*)
				kib=$(sed -n "s/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p" "$p/status" 2>/dev/null)
				test "${kib:-0}" -le "$peak" || peak=$kib
				;;
			esac
		done
		sleep 0.1
	done &&
	{ kill -TERM $front 2>/dev/null || :; } && { wait $front || :; } &&
	echo "peak $peak KiB" && test "$peak" -gt 0 && test "$peak" -lt 65536
'
test_expect_success 'reserving address space is not memory' '
	cd repo && git box run b -- python3 -u -c "
import mmap
mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0)"
'
test_expect_success 'too much memory ends the command, not the host' '
	cd repo && { timeout 60 git-box run --timeout 50s b -- python3 -u -c "
x = []
for i in range(200):
    x.append(bytearray(64 << 20))
    print(i, flush=True)" >"$TRASH/o"; code=$?; test $code = 137 || test $code = 1; } && test "$(tail -n1 "$TRASH/o")" -lt 80
'
test_expect_success 'a fork bomb stays in the box' '
	cd repo && before=$(ls -d /proc/[0-9]* | grep -c .) &&
	{ timeout 60 git-box run --timeout 20s b -- python3 -u -c "
import os, time
n = 0
try:
    for i in range(3000):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        n += 1
except OSError:
    print(\"stopped at\", n)" >"$TRASH/o" || :; } &&
	cat "$TRASH/o" && test_grep "stopped at" "$TRASH/o" &&
	test "$(sed "s/stopped at //" "$TRASH/o")" -lt 600
'
test_expect_success 'status says how each limit is enforced' '
	cd repo && git box status b >"$TRASH/o" && cat "$TRASH/o" &&
	for limit in memory processes wall; do
		grep -i "$limit" "$TRASH/o" | grep -i -q -E "enforced|watched|not held|cgroup|rlimit|watchdog|timer" || return 1
	done
'
test_done
