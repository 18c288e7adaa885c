#!/bin/sh
test_description='scribe: the stat cache decides nothing that the files do not'
test_lanes=both
. "${0%/*}/test-lib.sh"

tree_of () { git box diff --json "$1" | sed -n 's/^  "tree": "\(.*\)",$/\1/p'; }
# Programs that were started while CMD ran, one line each: inside a box, then on the host.
gits () { traced -e trace=execve -o "$TRASH/trace" "$@" >/dev/null 2>&1; grep -c 'execve("[^"]*/git", .* = 0$' "$TRASH/trace" || :; }

test_expect_success 'setup' '
	make_repo repo && cd repo && mkdir -p a/b c && for i in $(seq 40); do echo $i >a/b/f$i; done && echo c >c/c && ln -s c/c link &&
	printf "*.ign\nbuild/\n" >.gitignore && git add . && git commit -q -m more && git box create b && git box run b -- true
'
test_expect_success 'a tree in which nothing changed starts no git' '
	cd repo && git box diff b && n=$(gits git-box diff b) && echo "$n gits" && test "$n" = 0
'
test_expect_success 'nor does one that is as it was at the last look, in the scribe' '
	cd repo && git box run b -- sh -c "echo x >>a/b/f1; echo n >new; mkdir -p build empty; echo i >build/i; sleep 0.02" && tree_of b >"$TRASH/one" &&
	n=$(gits git-box diff b) && echo "$n gits" && test "$n" -gt 0 && ! grep -e hash-object -e mktree -e check-ignore -e ls-tree "$TRASH/trace" &&
	tree_of b | cmp "$TRASH/one" -
'
test_expect_success 'control: the trace sees what a changed file takes' '
	cd repo && git box run b -- sh -c "echo y >>a/b/f1; sleep 0.02" && gits git-box diff b && grep hash-object "$TRASH/trace" && grep mktree "$TRASH/trace"
'
test_expect_success 'propose reads every file' '
	cd repo && gits git-box propose b && grep hash-object "$TRASH/trace"
'
test_expect_success 'writes of the same size, at once, with old times' '
	cd repo && git box create racy && git box run racy -- sh -c "mkdir s; echo aaaa >s/f; touch -d 2001-01-01 s/f" && git box diff racy | grep "^+aaaa" &&
	for i in $(seq 1000 1015); do
		git box run racy -- sh -c "echo $i >s/f; touch -d 2001-01-01 s/f" && git box diff racy | grep -q "^+$i" || return 1
	done
'
test_expect_success 'a write while a look goes on is seen by the next' '
	cd repo && git box create loop && { git box run loop -- sh -c "i=0; while ! test -e stop; do i=\$((i+1)); echo \$i >counter; done; echo end >counter" & } &&
	for i in 1 2 3 4 5 6 7 8; do git box diff loop >/dev/null || return 1; done && git box run loop -- touch stop && wait &&
	git box diff loop | grep "^+end"
'
test_expect_success 'rules that come, change and go' '
	cd repo && git box create rules && git box run rules -- sh -c "mkdir -p r/s; echo 1 >r/x.o; echo 2 >r/s/y.o; echo 3 >r/k" && names () { git box diff rules --name-only | tr "\n" " "; } &&
	test "$(names)" = "r/k r/s/y.o r/x.o " && git box run rules -- sh -c "echo \"*.o\" >r/.gitignore" && test "$(names)" = "r/.gitignore r/k " &&
	git box run rules -- sh -c "echo \"!y.o\" >r/s/.gitignore" && test "$(names)" = "r/.gitignore r/k r/s/.gitignore r/s/y.o " &&
	git box run rules -- rm r/.gitignore && test "$(names)" = "r/k r/s/.gitignore r/s/y.o r/x.o " &&
	git box run rules -- sh -c "echo \"*\" >r/s/.gitignore" && test "$(names)" = "r/k r/x.o " &&
	git box run rules -- rm r/s/.gitignore && test "$(names)" = "r/k r/s/y.o r/x.o " &&
	git box run rules -- sh -c "echo r >>.gitignore" && test "$(names)" = ".gitignore "
'
test_expect_success 'attributes that come and go change the blobs of other files' '
	cd repo && git box create attr && git box run attr -- sh -c "printf \"a\r\nb\r\n\" >crlf" && git box diff attr -- --numstat >/dev/null &&
	git box run attr -- sh -c "echo \"* text\" >.gitattributes" && t=$(tree_of attr) && git box propose attr && test "$(git rev-parse box/attr:)" = "$t" &&
	test "$(git cat-file blob box/attr:crlf | wc -c)" = 4 && git box run attr -- rm .gitattributes && git box propose attr && test "$(git cat-file blob box/attr:crlf | wc -c)" = 6 &&
	test "$(git rev-parse box/attr:)" = "$(tree_of attr)"
'
test_expect_success 'what cannot be read is not taken for gone' '
	cd repo && git box create locked && git box run locked -- chmod 000 a README && ! git box diff locked --name-only 2>"$TRASH/err" | grep . &&
	test_grep "may not read" "$TRASH/err" && git box run locked -- chmod 755 a README && git box diff locked --name-status | grep "^M.README" &&
	test "$(git box diff locked --name-only | wc -l)" = 1
'
test_expect_success 'a torn or foreign cache is no harm' '
	cd repo && dir=.git/box/b/$(git box status --json b | sed -n "s/^  \"id\": \"\(.*\)\",$/\1/p")/snap && want=$(tree_of b) &&
	: >"$dir/cache" && test "$(tree_of b)" = "$want" && head -c 1000 "$dir/cache" >"$TRASH/torn" && cat "$TRASH/torn" >"$dir/cache" &&
	test "$(tree_of b)" = "$want" && rm -rf "$dir/git/objects" && : >"$dir/cache" && test "$(tree_of b)" = "$want"
'
# The same random steps in a box and in a clone; git itself says what the tree must be.
cat >"$TRASH/steps.py" <<'EOF'
import os, random, shutil, sys
rnd = random.Random(int(sys.argv[1]))
names = ["a", "b", "sub", "d.ign", "build", "x y", "n\nl", "\udcff", "-o", "q\"", "keep"]
def path():
    return "/".join(rnd.choice(names) for _ in range(rnd.randint(1, 3)))
def clear(p):
    parts = p.split("/")
    for i in range(1, len(parts) + 1):
        q = "/".join(parts[:i])
        if os.path.islink(q) or (os.path.exists(q) and not os.path.isdir(q)):
            os.unlink(q)
        elif i == len(parts) and os.path.isdir(q):
            shutil.rmtree(q)
    if len(parts) > 1:
        os.makedirs("/".join(parts[:-1]), exist_ok=True)
for _ in range(12):
    p, what = path(), rnd.randrange(9)
    if what < 4:
        clear(p)
        with open(p, "wb") as f:
            f.write(bytes(rnd.choice(b"ab\r\n\0") for _ in range(rnd.randint(0, 9))))
    elif what == 4:
        clear(p); os.symlink(rnd.choice(["/etc", "a", "../..", "nowhere"]), p)
    elif what == 5:
        clear(p)
    elif what == 6 and os.path.lexists(p) and not os.path.islink(p) and os.path.isfile(p):
        os.chmod(p, rnd.choice([0o644, 0o755]))
    elif what == 7 and os.path.lexists(p):
        q = path()
        if not (q + "/").startswith(p + "/") and not (p + "/").startswith(q + "/"):
            clear(q)
            if os.path.lexists(p):
                os.rename(p, q)
    elif what == 8:
        clear(p); os.makedirs(p)
        with open(p + "/.gitignore", "w") as f:
            f.write(rnd.choice(["*\n", "a\n", "!*.ign\n", "b/\n"]))
EOF
test_expect_success 'random steps give the tree that git makes of them' '
	git clone -q repo oracle && cd repo && git box create rnd && cd .. &&
	for i in $(seq 30); do
		(cd oracle && python3 "$TRASH/steps.py" $i && git add -A 2>/dev/null) && (cd repo && git box run rnd -- python3 -c "$(cat "$TRASH/steps.py")" $i) &&
		want=$(git -C oracle write-tree) && got=$(cd repo && tree_of rnd) || return 1
		[ "$want" = "$got" ] || { echo "step $i: $want $got"; git -C oracle ls-files -s | head -50; (cd repo && git box diff rnd --raw); return 1; }
	done && cd repo && { git box propose --json rnd >"$TRASH/json" 2>/dev/null; test_grep "\"tree\": \"$want\"" "$TRASH/json"; }
'
test_expect_success 'directories and symlinks that change places lead nowhere' '
	cd repo && echo outside-secret >"$TRASH/secret" && git box create swap && { git box run swap -- sh -c "
		mkdir -p d alt; echo in >d/f; echo in >alt/f; ln -s /usr/share l; ln -s / m
		while ! test -e stop; do mv d t && mv l d && mv d l && mv t d; mv alt t && mv m alt && mv alt m && mv t alt; done" & } &&
	wait_for 10 "git box diff swap --name-only | grep alt" && for i in $(seq 20); do
		git box diff swap -- --name-only >>"$TRASH/names" 2>>"$TRASH/errs"; code=$?; test $code = 0 -o $code = 4 || return 1; done &&
	git box run swap -- touch stop && wait && ! grep -e share/ -e "m/" -e "l/" "$TRASH/names" && test_exit 2 git box propose swap
'
test_done
