#!/bin/sh
test_description='escapes: processes, /proc, /sys'
test_lanes=both
. "${0%/*}/test-lib.sh"

test_expect_success 'setup' '
	make_box_repo repo b && (cd repo && git box run b -- true)
'

# A process of the host as a target; inside, the same probe aims at pid 1, which is ours.
sleep 300 &
victim=$!
PROBE_PID=$victim
export PROBE_PID

escape_probe 'seeing a host process' repo b "grep -q sleep /proc/$victim/cmdline"
escape_probe 'signalling a host process' repo b "kill -0 $victim"
escape_probe 'the root of pid 1' repo b 'ls /proc/${PROBE_PID:-1}/root/'
escape_probe 'memory of pid 1' repo b 'cat /proc/${PROBE_PID:-1}/maps && head -c0 /proc/${PROBE_PID:-1}/mem'
escape_probe 'the environment of pid 1' repo b 'cat /proc/${PROBE_PID:-1}/environ'
escape_probe 'the program file of pid 1' repo b 'head -c4 /proc/${PROBE_PID:-1}/exe'
escape_probe 'limits of pid 1' repo b 'prlimit --pid "${PROBE_PID:-1}" --nofile=64:64'
escape_probe 'killing pid 1' repo b '
	kill -9 "${PROBE_PID:-1}"; sleep 0.3; ! grep -q "^State:.*[RSD] " "/proc/${PROBE_PID:-1}/status"'
escape_probe 'control groups and /sys' repo b 'ls /sys/fs/cgroup /sys/kernel /sys/class | grep -q .'

test_expect_success '/proc/self is readable' '
	(cd repo && git box run b -- sh -c "grep -q State /proc/self/status && test -e /proc/1/status")
'

if [ "$(id -u)" = 0 ]; then
	escape_probe 'kernel settings' repo b 'exec 3>>/proc/sys/kernel/core_pattern'
fi

test_expect_success 'files of /proc about the machine are the null device or cannot be opened' '
	(cd repo && git box run b -- sh -c "
		for f in kcore kmsg keys kallsyms timer_list; do
			test -e /proc/\$f || continue
			test \"\$(stat -c %t:%T /proc/\$f)\" = 1:3 || ! (: </proc/\$f) 2>/dev/null || { echo \$f; exit 1; }
		done
		for d in sys irq bus fs acpi; do
			test -d /proc/\$d || continue
			touch /proc/\$d/box-test 2>/dev/null && { echo \$d; exit 1; }
			test ! -w /proc/\$d || { echo \$d; exit 1; }
		done; true")
'

test_expect_success 'two commands of one box run at once' '
	cd repo && { git-box run b -- sh -c "echo go >go; sleep 69.7" & } && first=$! &&
	wait_for 5 "test -s \"$(git box path b)/go\"" && git box run b -- test -s go &&
	kill -TERM $first && { wait $first || :; }
'
# one of the controls has killed it
kill "$victim" 2>/dev/null
wait "$victim" 2>/dev/null
test_done
