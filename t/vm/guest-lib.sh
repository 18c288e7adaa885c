# shellcheck shell=bash disable=SC2154 # TRASH and lane are the sourcing script's
# What the scripts of t/vm share inside the guest. check NAME SCRIPT is one TAP line; a failing one shows its trace.
export PATH=/vm/inst/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 GIT_CONFIG_NOSYSTEM=1

check () {
	if (set -ex; eval "$2") >"$TRASH/.out" 2>&1; then
		echo "ok - [$lane] $1"
	else
		echo "not ok - [$lane] $1"
		tail -n 40 "$TRASH/.out" | sed 's/^/# /'
	fi
}

# wait_for SECONDS COMMAND...
wait_for () {
	local tries=$(($1 * 10))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

make_repo () {
	mkdir -p "$1/src"
	git init -q -b main "$1"
	printf '[user]\n\tname = A U Thor\n\temail = author@example.com\n' >"$HOME/.gitconfig"
	echo 'a sample' >"$1/README"
	echo 'one' >"$1/src/one"
	git -C "$1" add .
	git -C "$1" commit -q -m sample
}

# set_limits REPO BOX MEMORY PROCESSES: the profiles' own are too large for a guest.
set_limits () {
	python3 - "$1/.git/box" "$2" "$3" "$4" <<'PY'
import hashlib, json, pathlib, sys
top, name, memory, processes = sys.argv[1:]
box = pathlib.Path(top, "b", pathlib.Path(top, "name", name).read_text().strip())
policy = json.loads((box / "policy.json").read_text())
policy["memory"], policy["processes"] = int(memory), int(processes)
text = json.dumps(policy, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
(box / "policy.json").write_text(text)
manifest = json.loads((box / "manifest.json").read_text())
manifest["policy_digest"] = hashlib.sha256(text.encode()).hexdigest()
(box / "manifest.json").write_text(json.dumps(manifest, sort_keys=True, separators=(",", ":")))
PY
}

cgroups () { find /sys/fs/cgroup -name 'git-box-*'; }
no_cgroups () { [ -z "$(cgroups)" ]; }
some_cgroup () { [ -n "$(cgroups)" ]; }

# 64 processes and 128M are allowed; status promises it, and so it must be.
limits_hold () {
	check 'status says enforced' '
		git-box status b >"$TRASH/o"; cat "$TRASH/o"
		grep -q -E "^memory +128M +enforced" "$TRASH/o"; grep -q -E "^processes +64 +enforced" "$TRASH/o"'
	check 'status leaves no cgroup' 'wait_for 10 no_cgroups'
	check 'a command runs in a cgroup with these limits' '
		git-box run b -- sleep 3 & wait_for 10 some_cgroup; sleep 0.5
		cat "$(cgroups | head -n 1)/memory.max" | grep -x 134217728
		cat "$(cgroups | head -n 1)/pids.max" | grep -x -E "64|65"
		test "$(cat "$(cgroups | head -n 1)/cgroup.procs" | wc -l)" -ge 3
		wait'
	check 'a memory hog is killed with exit 137' '
		code=0; git-box run --json b -- python3 -c "x = bytearray(300 << 20); print(len(x))" >"$TRASH/o" || code=$?
		cat "$TRASH/o"; test $code = 137; grep -q "\"end\": \"memory-limit\"" "$TRASH/o"
		peak=$(python3 -c "import json, sys; print(json.load(sys.stdin)[\"peak_memory\"])" <"$TRASH/o")
		test "$peak" -gt 67108864; test "$peak" -le 134217728'
	check 'a hog below a shell ends the session, too' '
		code=0; git-box run --json b -- sh -c "python3 -c \"x = bytearray(300 << 20)\"; sleep 30; true" >"$TRASH/o" || code=$?
		cat "$TRASH/o"; test $code = 137; grep -q memory-limit "$TRASH/o"'
	check 'memory that no process has mapped counts, too' '
		code=0; git-box run --json b -- sh -c "head -c 300000000 /dev/zero >/dev/shm/x; sleep 30" >"$TRASH/o" || code=$?
		cat "$TRASH/o"; test $code = 137 -o $code = 125 || grep -q "No space left" "$TRASH/o"'
	check 'control: a smaller one runs' '
		git-box run b -- python3 -c "x = bytearray(64 << 20); print(len(x))" | grep -x 67108864'
	check 'a fork bomb is held at the limit' '
		git-box run b -- python3 -c "
import os, time
n = 0
try:
    while n < 500:
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
        n += 1
except OSError:
    pass
print(n)" >"$TRASH/o"; cat "$TRASH/o"; test "$(cat "$TRASH/o")" -ge 50; test "$(cat "$TRASH/o")" -le 64'
	check 'no cgroup is left' 'wait_for 10 no_cgroups'
	check 'kill -9 of the front leaves nothing after gc' '
		git-box run b -- sleep 60 & front=$!
		wait_for 10 some_cgroup; sleep 1
		kill -9 $front
		wait_for 10 eval "! pgrep -f git-box-monitor"
		# a scope is gone by itself, a leaf of our own waits for gc
		[ "$lane" != bare ] || git-box gc --dry-run | grep -q "would remove cgroup"
		git-box gc
		wait_for 10 no_cgroups'
}

# What Landlock of an old ABI must not break.
renames_work () {
	check 'files move and link between directories' '
		git-box run b -- sh -exc "
			mkdir -p a/node_modules/.x b2
			echo 1 >a/f; mv a/f b2/f; ln b2/f a/g; mv a/node_modules/.x b2/x; mv b2 a/b2
			git mv src/one two; git stash -q; git stash pop -q
			echo t >/tmp/t; mv /tmp/t .; mkdir \"\$HOME/d\"; mv t \"\$HOME/d/t\"; mv \"\$HOME/d\" d"'
}
