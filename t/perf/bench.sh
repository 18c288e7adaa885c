#!/bin/bash
# make bench: what confinement costs, beside its peers, in one run. Results: a table, and build/bench/bench.json.
#
#	t/perf/bench.sh [run|create|work|pss|snapshot|apply...]	default: all parts
#	ROUNDS=100 CREATE_ROUNDS=30 WORK_ROUNDS=30 BENCH_DIR=dir
#
# Samples come from t/perf/bench (rotated rows), the judgement from t/perf/report.py. Every directory is new and nothing
# is deleted between rounds: creating where files have just been removed is 10 to 20 times slower on ext4.
set -euo pipefail
cd "$(dirname "$0")/../.."
top=$PWD
build=$top/build/${VARIANT:-plain}
out=$top/build/bench
work=${BENCH_DIR:-$out/work.$$}
mkdir -p "$out" "$work"
trap 'chmod -R u+rwX "$work" 2>/dev/null || :; rm -rf "$work"' EXIT
# The same programs inside and outside: what a version manager puts first may not be visible in a box.
PATH=$build/inst/usr/bin:/usr/local/bin:/usr/bin:/bin
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
git config --global user.name Bench
git config --global user.email bench@example.com
git config --global gc.auto 0

# make_files DIR COUNT: a repository of COUNT small files, 100 to a directory.
make_files () {
	python3 - "$1" "$2" <<'PY'
import os, sys
top, count = sys.argv[1], int(sys.argv[2])
for i in range(count):
    d = f"{top}/src/{i // 100:04d}"
    if i % 100 == 0:
        os.makedirs(d)
    with open(f"{d}/file{i:05d}.c", "w") as f:
        f.write(f"/* {i} */\n" + "".join(f"int f{i}_{j}(int x) {{ return x + {j}; }}\n" for j in range(10)))
PY
	git init -q -b main "$1"
	git -C "$1" add .
	git -C "$1" commit -q -m files
}

# row FILE NAME DIR ARGV...
row () {
	local file=$1 IFS=$'\t'
	shift
	echo "$*" >>"$file"
}

# measure PART ROUNDS
measure () {
	echo "bench: $1, $2 rounds" >&2
	"$build/perf/bench" "$2" <"$work/$1.rows" >"$out/$1.samples"
}

have () { command -v "$1" >/dev/null 2>&1; }

part_run () {
	local rows=$work/run.rows repo=$work/run-repo
	make_files "$repo" 1000
	git -C "$repo" box create b >/dev/null
	row "$rows" spawn "$repo" true
	row "$rows" floor "$repo" "$build/perf/floor"
	row "$rows" git-box "$repo" git-box run b -- true
	have bwrap && row "$rows" bwrap "$repo" bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp \
		--unshare-all --die-with-parent --new-session true
	have firejail && row "$rows" firejail "$repo" firejail --quiet --noprofile true
	have codex && row "$rows" codex "$repo" codex sandbox -- true
	have srt && row "$rows" srt "$repo" srt true
	measure run "${ROUNDS:-100}"
}

part_create () {
	local rows repo n
	for n in ${CREATE_FILES:-100 10000 50000}; do
		rows=$work/create-$n.rows
		repo=$work/create-$n
		make_files "$repo" "$n"
		mkdir "$work/trees-$n"
		row "$rows" create "$repo" git-box create "b%n"
		row "$rows" worktree "$repo" git worktree add -q --detach "$work/trees-$n/w%n"
		measure "create-$n" "${CREATE_ROUNDS:-30}"
	done
}

# The same work inside and outside, in the same tree's two checkouts; long enough that a start, measured above, is no part of it.
part_work () {
	local rows repo=$work/work-repo files cpu
	# shellcheck disable=SC2016 # for the shell inside
	files='for i in $(seq 24); do git status --porcelain; grep -r f9_3 src; tar -cf - src; find src -newer README; done | cksum
		for d in src/000[0-9]; do for f in $d/*0.c; do gcc -O0 -c -o "$TMPDIR/x.o" $f; done; done; rm -f "$TMPDIR/x.o"'
	cpu='import hashlib
s = 0
for i in range(3000000):
    s += i * i % 7
h = hashlib.sha256(b"x" * 100000000).hexdigest()'
	make_files "$repo" 1000
	echo bench >"$repo/README"
	git -C "$repo" add README
	git -C "$repo" commit -q -m readme
	git -C "$repo" worktree add -q --detach "$work/work-outside"
	git -C "$repo" box create b >/dev/null
	rows=$work/files.rows
	files=$(printf %s "$files" | tr '\n\t' '; ' | sed 's/| cksum;/| cksum;/')
	export TMPDIR=$work/tmp
	mkdir -p "$TMPDIR"
	row "$rows" outside "$work/work-outside" sh -c "$files"
	row "$rows" inside "$repo" git-box run --quiet b -- sh -c "TMPDIR=/tmp; $files"
	measure files "${WORK_ROUNDS:-30}"
	rows=$work/cpu.rows
	cpu=$(printf %s "$cpu" | sed 's/$/\\n/' | tr -d '\n')
	row "$rows" outside "$work/work-outside" python3 -c "exec('''$cpu''')"
	row "$rows" inside "$repo" git-box run --quiet b -- python3 -c "exec('''$cpu''')"
	measure cpu "${WORK_ROUNDS:-30}"
}

# Proportional memory of all processes of ours around one sleeping command.
part_pss () {
	local repo=$work/pss-repo front p kib
	make_files "$repo" 100
	git -C "$repo" box create b >/dev/null
	: >"$out/pss.samples"
	for _ in 1 2 3 4 5; do
		(cd "$repo" && exec git-box run b -- sleep 3) &
		front=$!
		sleep 1
		kib=0
		for p in /proc/[0-9]*; do
			case $(readlink "$p/exe" 2>/dev/null) in
			"$build"/inst/*) kib=$((kib + $(awk '/^Pss:/ { print $2 }' "$p/smaps_rollup"))) ;;
			esac
		done
		printf 'pss\t%s\n' "$kib" >>"$out/pss.samples"
		wait "$front"
	done
}

# A work tree as a tree: unchanged, and with one file more to write each time. git's own worktree of the same commit does
# the same with a warm index.
part_snapshot () {
	local n rows repo box beside edit
	for n in ${SNAPSHOT_FILES:-1000 10000 50000}; do
		repo=$work/snapshot-$n
		make_files "$repo" "$n"
		git -C "$repo" box create b >/dev/null
		git -C "$repo" box create p >/dev/null
		git -C "$repo" worktree add -q --detach "$work/beside-$n"
		box=$(git -C "$repo" box path b)
		beside=$work/beside-$n
		sleep 1 # nothing is racily clean from here on
		git -C "$repo" box diff b
		git -C "$beside" status --porcelain
		rows=$work/unchanged-$n.rows
		row "$rows" snapshot "$repo" git-box diff --quiet b
		row "$rows" status "$beside" git status --porcelain
		measure "unchanged-$n" "${SNAPSHOT_ROUNDS:-30}"
		edit='echo "/* %n */" >>src/0000/file00000.c'
		rows=$work/changed-$n.rows
		row "$rows" snapshot "$repo" sh -c "cd $box; $edit; cd $repo; git-box diff --quiet b || [ \$? = 1 ]"
		row "$rows" diff "$repo" sh -c "cd $box; $edit; cd $repo; exec git-box diff --stat b"
		row "$rows" write-tree "$beside" sh -c "$edit; git add -A; exec git write-tree"
		measure "changed-$n" "${SNAPSHOT_ROUNDS:-30}"
		box=$(git -C "$repo" box path p)
		rows=$work/propose-$n.rows
		row "$rows" propose "$repo" sh -c "cd $box; $edit; cd $repo; exec git-box propose -m %n p"
		row "$rows" commit "$beside" sh -c "$edit; git add -A; exec git commit -q -m %n"
		measure "propose-$n" "${SNAPSHOT_ROUNDS:-30}"
	done
}

# One proposal after the other into a branch, each from the same base: the first is a fast-forward, the rest are merges.
part_apply () {
	local rounds=${APPLY_ROUNDS:-30} rows=$work/apply.rows repo=$work/apply-repo beside=$work/apply-beside i f
	make_files "$repo" 1000
	git clone -q "$repo" "$beside"
	for i in $(seq 0 "$rounds"); do
		f=$(printf 'src/%04d/file%05d.c' $((i / 10)) $((i * 10)))
		git -C "$repo" box create -q "b$i"
		echo "/* $i */" >>"$(git -C "$repo" box path "b$i")/$f"
		git -C "$repo" box propose -m "$i" "b$i" >/dev/null
		git -C "$beside" checkout -q -b "b$i" origin/main
		echo "/* $i */" >>"$beside/$f"
		git -C "$beside" commit -q -a -m "$i"
	done
	git -C "$beside" checkout -q main
	row "$rows" apply "$repo" git-box apply "b%n"
	row "$rows" merge "$beside" git merge -q --no-edit "b%n"
	measure apply "$rounds"
}

[ $# -gt 0 ] || set -- run create work pss snapshot apply
rm -f "$out"/*.samples
for part; do
	"part_$part"
done
t/perf/report.py "$out"
