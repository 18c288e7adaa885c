#!/bin/sh
test_description='apply gives what git merge gives, for random trees and changes'
. "${0%/*}/test-lib.sh"

# MERGE_ROUNDS random pairs of commits, from MERGE_SEED on. A round that fails says its seed.
MERGE_ROUNDS=${MERGE_ROUNDS:-24}
MERGE_SEED=${MERGE_SEED:-1}

cat >"$TRASH/change.py" <<'EOF'
"""change.py SEED SIDE COUNT: random changes to the work tree in the current directory."""
import os, random, shutil, sys

seed, side, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
r = random.Random(seed + side)
DIRS = ["", "a/", "a/b/", "c d/", "\u00fc/", "-x/"]

def files():
	out = []
	for top, dirs, names in os.walk("."):
		dirs[:] = sorted(d for d in dirs if d != ".git" and not os.path.islink(os.path.join(top, d)))
		links = [d for d in os.listdir(top) if os.path.islink(os.path.join(top, d)) and d not in names]
		out += [os.path.join(top, n)[2:] for n in names + links if n != ".git"]
	return sorted(out)

def free(path):
	"""Makes room: whatever file is in the place of a directory, or the other way round, goes."""
	part = ""
	for piece in path.split("/")[:-1]:
		part += piece
		if os.path.lexists(part) and (os.path.islink(part) or not os.path.isdir(part)):
			os.unlink(part)
		part += "/"
	os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
	if os.path.islink(path) or os.path.isfile(path):
		os.unlink(path)
	elif os.path.isdir(path):
		shutil.rmtree(path)

def lines():
	return [b"line %d of %d\n" % (i, r.randrange(4)) for i in range(r.randrange(12, 30))]

def content():
	kind = r.randrange(6)
	if kind == 0:
		return b""
	if kind == 1:
		return r.randbytes(r.randrange(1, 400))
	if kind == 2:
		return b"\xff\xfe latin \xe9\r\n" * r.randrange(1, 9)
	return b"".join(lines())

def write(path, data):
	free(path)
	with open(path, "wb") as f:
		f.write(data)

def edit(path):
	if os.path.islink(path):
		free(path)
		os.symlink("t%d" % r.randrange(3), path)
		return
	data = open(path, "rb").read().splitlines(True)
	for _ in range(r.randrange(1, 3)):
		at = r.randrange(len(data) + 1)
		data[at:at + r.randrange(2)] = [b"edit %d\n" % r.randrange(3)]
	with open(path, "wb") as f:
		f.write(b"".join(data))

def one():
	have = files()
	what = r.randrange(12)
	new = r.choice(DIRS) + "f%d" % r.randrange(14)
	if not have or what < 2:
		write(new, content())
	elif what < 7:
		edit(r.choice(have))
	elif what == 7:
		os.unlink(r.choice(have))
	elif what == 8:
		path = r.choice(have)
		if not os.path.islink(path):
			os.chmod(path, os.stat(path).st_mode ^ 0o111)
	elif what == 9:
		free(new)
		os.symlink("t%d" % r.randrange(3), new)
	elif what == 10:
		old = r.choice(have)
		if not (new + "/").startswith(old + "/") and not (old + "/").startswith(new + "/"):
			tmp = ".tmp"
			os.rename(old, tmp)
			free(new)
			os.rename(tmp, new)
	else:
		dirs = sorted({p.split("/")[0] for p in have if "/" in p})
		if dirs:
			old, to = r.choice(dirs), "moved%d" % r.randrange(2)
			if not os.path.lexists(to):
				os.rename(old, to)

for _ in range(count):
	one()
EOF

# round SEED: two copies of a repository with a box and two branches; git merges in one, git box in the other.
round () {
	cd "$TRASH" && rm -rf ours theirs && git init -q -b main ours && cd ours && python3 ../change.py "$1" base 30 && git add -A &&
	git commit -q --allow-empty -m base && git-box create -q b && git checkout -q -b work && python3 ../change.py "$1" box 8 && git add -A &&
	git commit -q --allow-empty -m box && git checkout -q main && python3 ../change.py "$1" main $(($1 % 3 * 4)) && git add -A &&
	git commit -q --allow-empty -m main && git config merge.conflictStyle diff3 &&
	python3 - "$(git rev-parse work)" ".git/box/b/$(cat .git/box/name/b)/manifest.json" <<-'EOF' &&
	import json, sys
	m = json.load(open(sys.argv[2]))
	m["state"], m["proposal"] = "proposed", sys.argv[1]
	json.dump(m, open(sys.argv[2], "w"))
	EOF
	cd .. && git clone -q ours theirs 2>/dev/null && cd theirs && git fetch -q origin work && before=$(git rev-parse HEAD) &&
	{ git merge -q -m merged FETCH_HEAD >../merge.out 2>&1; theirs=$?; } && cd ../ours &&
	{ git-box apply --json b >../apply.json 2>../apply.err; ours=$?; } || return 1
	if [ "$theirs" != 0 ]; then
		CONFLICTS=$((CONFLICTS + 1))
		git -C ../theirs diff --name-only -z --diff-filter=U >../unmerged &&
		[ "$ours" = 4 ] && [ "$(git rev-parse HEAD)" = "$before" ] && [ -z "$(git status --porcelain)" ] &&
		python3 - ../unmerged ../apply.json <<-'EOF'
		import json, sys
		want = {p.decode() for p in open(sys.argv[1], "rb").read().split(b"\0") if p}
		got = {c["path"] for c in json.load(open(sys.argv[2]))["conflicts"]}
		sys.exit(0 if want <= got and got else "git: %s, git box: %s" % (want, got))
		EOF
	else
		CLEAN=$((CLEAN + 1))
		[ "$ours" = 0 ] && [ "$(git rev-parse "HEAD^{tree}")" = "$(git -C ../theirs rev-parse "HEAD^{tree}")" ] &&
		[ "$(git log -1 --format=%P)" = "$(git -C ../theirs log -1 --format=%P)" ] && [ -z "$(git status --porcelain)" ]
	fi
}

rounds () {
	CLEAN=0 CONFLICTS=0 seed=$MERGE_SEED
	while [ "$seed" -lt $((MERGE_SEED + MERGE_ROUNDS)) ]; do
		round "$seed" || { echo "seed $seed: git $theirs, git box $ours"; cat "$TRASH/merge.out" "$TRASH/apply.err"; return 1; }
		seed=$((seed + 1))
	done
	echo "# merges: clean=$CLEAN conflicts=$CONFLICTS" >"$TRASH/summary"
	[ "$MERGE_ROUNDS" -lt 24 ] || { [ "$CLEAN" -gt 3 ] && [ "$CONFLICTS" -gt 3 ]; }
}

test_expect_success 'random merges are those of git' 'rounds'
cat "$TRASH/summary" 2>/dev/null
test_done
