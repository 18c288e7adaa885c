#!/bin/sh
test_description='propose: work leaves a box as commits of the host'
test_lanes=both
. "${0%/*}/test-lib.sh"

mark=$TRASH/mark

# in_box BOX SCRIPT: in the repository's top
in_box () { git box run "$1" -- sh -ec "$2" >/dev/null 2>&1; }
state () { git box ls --json | python3 -c "
import json, sys
print([b['state'] for b in json.load(sys.stdin)['boxes'] if b['name'] == '$1'][0])"; }
id_of () { git box status --json "$1" | sed -n 's/^  "id": "\(.*\)",$/\1/p'; }

test_expect_success 'setup' '
	make_repo repo && cd repo && seq 20 >numbers && git add . && git commit -q -m more
'
test_expect_success 'nothing to propose' '
	cd repo && git box create none && test_exit 1 git box propose none 2>"$TRASH/err" && test_grep "nothing to propose" "$TRASH/err" &&
	test_exit 1 git box propose --json none >"$TRASH/json" && test_grep "\"outcome\": \"nothing\"" "$TRASH/json" &&
	test "$(state none)" = created && ! git rev-parse -q --verify refs/heads/box/none
'
test_expect_success 'a commit of the host on the pinned base' '
	cd repo && git box create a && in_box a "echo one >>README; git add -A; git commit -q -m in-box; echo two >two; git tag t; git branch other" &&
	echo later >later && git add later && git commit -q -m later && git box propose a -m "Say one and two" >"$TRASH/out" &&
	test_grep "on branch box/a" "$TRASH/out" && test_grep "two *| 1 +" "$TRASH/out" &&
	test "$(git rev-parse box/a^@)" = "$(git rev-parse HEAD^)" &&
	test "$(git log -1 --format="%an <%ae>" box/a)" = "a <box@$(id_of a).invalid>" &&
	test "$(git log -1 --format="%cn <%ce>" box/a)" = "A U Thor <author@example.com>" &&
	test "$(git log -1 --format=%s box/a)" = "Say one and two" &&
	git log -1 --format=%B box/a | git interpret-trailers --parse >"$TRASH/trailers" &&
	test_grep "^Box: a $(id_of a)$" "$TRASH/trailers" && test_grep "^Policy: [0-9a-f]\{64\}$" "$TRASH/trailers" &&
	test "$(git diff --name-only HEAD^ box/a | tr "\n" " ")" = "README two "
'
test_expect_success 'nothing of the operator moved, nothing of the box came along' '
	cd repo && test -z "$(git status --porcelain)" && test "$(git rev-parse --abbrev-ref HEAD)" = main &&
	! git rev-parse -q --verify t && ! git rev-parse -q --verify other && git fsck --strict
'
test_expect_success 'the commits of the box are not in the repository' '
	cd repo && inner=$(git box run a -- git rev-parse HEAD) && ! git cat-file -e "$inner" && test -z "$(ls .git/box/quarantine)" &&
	git fsck --unreachable --no-reflogs >"$TRASH/fsck" && ! test -s "$TRASH/fsck"
'
test_expect_success 'the state is shown, and names the commit' '
	cd repo && test "$(state a)" = proposed && git box status --json a | grep "\"proposal\": \"$(git rev-parse box/a)\"" &&
	git box status a | grep "^proposal *$(git rev-parse box/a)"
'
test_expect_success 'the same tree again is no new commit' '
	cd repo && old=$(git rev-parse box/a) && git box propose a >"$TRASH/out" && test_grep "already" "$TRASH/out" &&
	git box propose --json a >"$TRASH/json" && test_grep "\"outcome\": \"unchanged\"" "$TRASH/json" &&
	in_box a "touch README" && git box propose a && test "$(git rev-parse box/a)" = "$old"
'
test_expect_success 'another tree is another child of the base' '
	cd repo && old=$(git rev-parse box/a) && in_box a "echo three >three" && git box propose a && test "$(git rev-parse box/a)" != "$old" &&
	test "$(git rev-parse box/a^)" = "$(git rev-parse "$old^")" && git cat-file -e box/a:three && git box ls | grep proposed
'
test_expect_success 'the message of the box is quoted and cleaned' '
	cd repo && git box create msg && in_box msg "echo m >m; git add m; printf \"subject \\033[31m\\342\\200\\256evil\\n\\nbody\\001 line\\n\\nBox: other 0000\\nSigned-off-by: root <root@x>\\n\" | git commit -q -F -" &&
	git box propose msg && git log -1 --format=%B box/msg >"$TRASH/message" && cat "$TRASH/message" &&
	test "$(head -1 "$TRASH/message")" = "msg: subject [31mevil" && test_grep "^> body line" "$TRASH/message" && test_grep "^> Box: other 0000" "$TRASH/message" &&
	! LC_ALL=C grep -q "[[:cntrl:]]" "$TRASH/message" && git interpret-trailers --parse <"$TRASH/message" >"$TRASH/trailers" &&
	test "$(wc -l <"$TRASH/trailers")" = 2 && ! grep Signed-off "$TRASH/trailers"
'
test_expect_success 'a message that is none, very long or not UTF-8' '
	cd repo && git box create odd && in_box odd "echo 1 >1; git add 1; git commit -q --allow-empty-message -m \"\"" && git box propose odd &&
	test "$(git log -1 --format=%s box/odd)" = "Work of box odd" &&
	in_box odd "echo 2 >2; git add 2; head -c 100000 /dev/zero | tr \"\\0\" x | git commit -q -F -" && git box propose odd &&
	test "$(git log -1 --format=%s box/odd | wc -c)" -lt 200 && test "$(git log -1 --format=%B box/odd | wc -c)" -lt 20000 &&
	in_box odd "echo 3 >3; git add 3; printf \"bad \\377\\376 bytes\" | git -c i18n.commitEncoding=latin1 commit -q -F -" && git box propose odd &&
	git log -1 --format=%s box/odd | iconv -f UTF-8 -t UTF-8
'
test_expect_success 'a series keeps the steps, not the authors' '
	cd repo && git box create ser && in_box ser "
		for i in 1 2 3; do echo \$i >f\$i; git add .; git -c user.name=Forged -c user.email=f@x commit -q -m \"step \$i\"; done
		git commit -q --allow-empty -m empty; git checkout -q -b side HEAD~2; echo s >s; git add s; git commit -q -m side
		git checkout -q -; git merge -q --no-ff -m merged side; echo rest >rest" &&
	git box propose --series ser >"$TRASH/out" && test_grep "5 commits" "$TRASH/out" &&
	git log --reverse --format="%s|%an|%P" HEAD^..box/ser | cut -d"|" -f1,2 >"$TRASH/log" && cat "$TRASH/log" &&
	printf "ser: step 1|ser\nser: step 2|ser\nser: step 3|ser\nser: merged|ser\nWork of box ser|ser\n" >"$TRASH/want" &&
	git log --reverse --format="%s|%an" "$(git box status --json ser | sed -n "s/.*\"commit\": \"\(.*\)\",/\1/p" | head -1)..box/ser" | cmp "$TRASH/want" - &&
	test "$(git rev-list --count --merges main..box/ser)" = 0 && git fsck --strict && ! git log --format=%an box/ser | grep Forged
'
test_expect_success 'a series whose commits hold what the files do ends with them' '
	cd repo && git box create ser2 && in_box ser2 "echo 1 >f; git add f; git commit -q -m only" && git box propose --series ser2 &&
	test "$(git rev-list --count main..box/ser2)" = 1 && test "$(git log -1 --format=%s box/ser2)" = "ser2: only"
'
test_expect_success 'a branch that is not ours is not touched' '
	cd repo && git branch box/taken && old=$(git rev-parse box/taken) && git box create taken && in_box taken "echo t >t" &&
	test_exit 4 git box propose taken 2>"$TRASH/err" && test_grep "no proposal of box" "$TRASH/err" &&
	test "$(git rev-parse box/taken)" = "$old" && test "$(state taken)" = created && test -z "$(ls .git/box/quarantine)"
'
test_expect_success 'nor one that is checked out' '
	cd repo && git worktree add -q ../elsewhere box/a && in_box a "echo four >four" && old=$(git rev-parse box/a) &&
	test_exit 4 git box propose a 2>"$TRASH/err" && test_grep "checked out in" "$TRASH/err" && test "$(git rev-parse box/a)" = "$old" &&
	test -z "$(git -C ../elsewhere status --porcelain)" && git worktree remove ../elsewhere && git box propose a
'
test_expect_success 'a branch that was moved by hand is not ours any more' '
	cd repo && git box create moved && in_box moved "echo m >m" && git box propose moved && git branch -f box/moved main &&
	in_box moved "echo n >>m" && test_exit 4 git box propose moved && test "$(git rev-parse box/moved)" = "$(git rev-parse main)"
'
test_expect_success 'a branch that was deleted is made again' '
	cd repo && git box create gone && in_box gone "echo g >g" && git box propose gone && git branch -q -D box/gone && git box propose gone &&
	git cat-file -e box/gone:g
'
test_expect_success 'a crash before the manifest is written is caught up with' '
	cd repo && git box create crash && in_box crash "echo c >c" && dir=.git/box/b/$(id_of crash) && cp -p "$dir/manifest.json" "$TRASH/old" &&
	git box propose crash && cp -p "$TRASH/old" "$dir/manifest.json" && test "$(state crash)" = created &&
	git box propose crash && test "$(state crash)" = proposed && git cat-file -e box/crash:c
'
test_expect_success 'box.branchPrefix' '
	cd repo && git box create pre && in_box pre "echo p >p" && git -c box.branchPrefix=agents/ box propose pre && git cat-file -e agents/pre:p &&
	! git rev-parse -q --verify box/pre
'
test_expect_success 'not while commands run, not of an aborted box' '
	cd repo && git box create busy && { git box run busy -- sh -c "echo b >b; while ! test -e stop; do sleep 0.05; done" & } &&
	wait_for 10 "git box diff busy --name-only | grep b" && test_exit 4 git box propose busy 2>"$TRASH/err" && test_grep "in use" "$TRASH/err" &&
	git box run busy -- touch stop && wait && git box propose busy && git box create ab && in_box ab "echo a >a" && git box abort ab &&
	test_exit 2 git box propose ab
'
test_expect_success 'rm needs no force where the proposal holds the work' '
	cd repo && git box create keep && in_box keep "echo k >k; git add k; git commit -q -m k" && git box propose keep && git box rm keep >"$TRASH/out" 2>&1 &&
	! grep fetch "$TRASH/out" && git cat-file -e box/keep:k
'
test_expect_success 'but where the files changed since, or no ref holds it any more' '
	cd repo && git box create keep2 && in_box keep2 "echo k >k" && git box propose keep2 && in_box keep2 "echo more >>k" && test_exit 2 git box rm keep2 &&
	git box propose keep2 && git branch -q -D box/keep2 && test_exit 2 git box rm keep2 && git box rm --force keep2
'
test_expect_success 'control: hooks run when git commits' '
	git clone -q repo hooks && cd hooks && for h in pre-commit post-commit reference-transaction commit-msg prepare-commit-msg; do
		printf "#!/bin/sh\ntouch %s\n" "$mark" >.git/hooks/$h && chmod +x .git/hooks/$h || return 1; done &&
	rm -f "$mark" && git commit -q --allow-empty -m x && test -e "$mark"
'
test_expect_success 'escape: hooks run when git commits' '
	cd repo && mkdir -p .git/hooks && cp ../hooks/.git/hooks/pre-commit .git/hooks/pre-commit && for h in post-commit reference-transaction commit-msg; do
		cp .git/hooks/pre-commit .git/hooks/$h || return 1; done &&
	git box create hk && in_box hk "echo h >h" && rm -f "$mark" && git box propose hk && ! test -e "$mark" && rm -f .git/hooks/*
'
# What the box does to its own git directory, whose programs run inside at most.
evil='for h in post-index-change reference-transaction post-checkout; do printf "#!/bin/sh\ntouch \"$MARK\"\n" >.git/hooks/$h; chmod +x .git/hooks/$h; done
	git config core.fsmonitor "touch \"$MARK\"; false"; git config core.pager "touch \"$MARK\"; cat"; git config log.showSignature true
	git config gpg.program "touch \"$MARK\""; git config core.alternateRefsCommand "touch \"$MARK\""; echo "* filter=e diff=e" >.gitattributes
	git config filter.e.clean "touch \"$MARK\"; cat"; git config diff.e.textconv "touch \"$MARK\"; cat"; echo x >x; git add x; git commit -q -m x'
test_expect_success 'control: configuration of the private repository' '
	git clone -q repo priv && cd priv && rm -f "$mark" && MARK=$mark sh -c "$evil" && test -e "$mark"
'
test_expect_success 'escape: configuration of the private repository' '
	cd repo && rm -f "$mark" && git box create priv && git box run priv --env MARK="$mark" -- sh -c "$evil; true" && git box propose priv &&
	in_box priv "echo y >>x" && git box propose --series priv && git box diff priv --stat && ! test -e "$mark"
'
# Content under the id of another: what a repository looks like whose objects lie.
cat >"$TRASH/lie.py" <<'EOF'
import os, sys, zlib
oid, objects = sys.argv[1:3]
path = objects + "/" + oid[:2] + "/" + oid[2:]
os.makedirs(os.path.dirname(path), exist_ok=True)
if os.path.exists(path):
    os.unlink(path)
with open(path, "wb") as f:
    f.write(zlib.compress(b"blob 5\0lies\n"))
EOF
test_expect_success 'control: an object under a false name' '
	git clone -q --no-hardlinks repo lying && cd lying && oid=$(git rev-parse HEAD:numbers) && git gc -q && rm -rf .git/objects/pack/* &&
	cp -r ../repo/.git/objects . && rm -rf .git/objects && mv objects .git/ && python3 "$TRASH/lie.py" $oid .git/objects &&
	test "$(git cat-file blob $oid)" = lies
'
test_expect_success 'escape: an object under a false name' '
	cd repo && git box create lie && oid=$(git rev-parse HEAD:numbers) && git box run lie -- python3 -c "$(cat "$TRASH/lie.py")" $oid .git/objects &&
	in_box lie "echo 1 >1; git add 1; git commit -q -m 1" && git box propose lie && test "$(git cat-file blob box/lie:numbers | tail -1)" = 20 &&
	in_box lie "echo 2 >2" && git box propose --series lie && test "$(git cat-file blob box/lie:numbers | tail -1)" = 20 && git fsck --strict
'
redirect='git config core.worktree "$ELSE"; printf "[core]\n\tworktree = %s\n" "$ELSE" >.git/inc; git config include.path inc; echo "$ELSE/objects" >.git/objects/info/alternates'
test_expect_success 'control: a work tree and alternates that lead elsewhere' '
	mkdir -p else/objects && echo secret >else/secret && git clone -q repo red && cd red && ELSE=$TRASH/else sh -c "$redirect" && git ls-files -o | grep secret
'
test_expect_success 'escape: a work tree and alternates that lead elsewhere' '
	cd repo && git box create red && git box run red --env ELSE="$TRASH/else" -- sh -c "$redirect; echo 1 >1" && git box diff red --name-only >"$TRASH/out" &&
	test "$(cat "$TRASH/out")" = 1 && git box propose red && test "$(git diff --name-only HEAD box/red)" = 1 && ! git box status red 2>&1 | grep secret
'
test_expect_success 'refs, HEAD and objects of the repository are out of reach' '
	cd repo && git box create sib && in_box sib "echo s >s" && git box propose sib && git for-each-ref >"$TRASH/before" && git box create ref &&
	in_box ref "git update-ref refs/heads/box/sib HEAD; git update-ref refs/heads/main HEAD; git tag v1; git update-ref refs/box/base/0000000000000000 HEAD
		git symbolic-ref HEAD refs/heads/main; rm -rf /run/box/objects/0/* 2>/dev/null || :; echo r >r; git add r; git commit -q -m r" &&
	git box propose ref && git for-each-ref | grep -v -e box/ref -e refs/box/base/ >"$TRASH/after" && grep -v refs/box/base/ "$TRASH/before" | cmp - "$TRASH/after" &&
	! test -e .git/FETCH_HEAD && git fsck --strict && test "$(git symbolic-ref HEAD)" = refs/heads/main
'
test_expect_success 'a box whose git is broken is proposed by its files' '
	cd repo && git box create broken && in_box broken "echo b >b; rm -rf .git/refs .git/HEAD .git/objects" && git box propose broken &&
	git cat-file -e box/broken:b && in_box broken "echo c >c" && test_exit 128 git box propose --series broken && git box propose broken
'
test_expect_success 'no identity, nothing left' '
	cd repo && git box create anon && in_box anon "echo a >a" && mv "$HOME/.gitconfig" "$TRASH/saved" &&
	{ git -c user.useConfigOnly=true box propose anon 2>"$TRASH/err"; test $? = 128; } && mv "$TRASH/saved" "$HOME/.gitconfig" &&
	! git rev-parse -q --verify box/anon && test "$(state anon)" = created && test -z "$(ls .git/box/quarantine)" && git box propose anon
'
test_expect_success 'a file that changed without a trace is found' '
	cd repo && git box create silent && { git box run silent -- python3 -c "
import mmap, os, time
f = open(\"numbers\", \"r+b\"); m = mmap.mmap(f.fileno(), 0)
m[0:1] = b\"8\"; open(\"written\", \"w\").close(); was = os.stat(\"numbers\").st_ctime_ns
while not os.path.exists(\"go\"): time.sleep(0.05)
m[0:1] = b\"9\"
print(os.stat(\"numbers\").st_ctime_ns == was)" >"$TRASH/inside" & } &&
	wait_for 10 "git box diff silent --name-only | grep written" && sleep 0.1 && git box diff silent | grep "^+8" &&
	git box run silent -- touch go && wait && test_grep True "$TRASH/inside" && git box diff silent | grep "^+8" &&
	git box propose silent >"$TRASH/out" 2>"$TRASH/err" && test "$(git cat-file blob box/silent:numbers | head -1)" = 9 &&
	test_grep "\"numbers\" changed without a trace" "$TRASH/err"
'
test_expect_success 'what must not leave is listed in full, and nothing is written' '
	cd repo && git box create bad && in_box bad "ln -s /etc/passwd abs; ln -s ../../../x out; echo ok >ok; ln -s ok .gitattributes" && git count-objects -v >"$TRASH/before" &&
	test_exit 2 git box propose bad 2>"$TRASH/err" && test_grep "refused: abs:" "$TRASH/err" && test_grep "refused: out:" "$TRASH/err" &&
	test_grep "refused: .gitattributes:" "$TRASH/err" && test_grep "not proposed: 3 findings" "$TRASH/err" &&
	test_exit 2 git box propose --json bad >"$TRASH/json" 2>/dev/null && test_grep "\"outcome\": \"refused\"" "$TRASH/json" &&
	! git rev-parse -q --verify box/bad && test "$(state bad)" = created && git count-objects -v | cmp "$TRASH/before" - && test -z "$(ls .git/box/quarantine)" &&
	git box diff bad --stat 2>"$TRASH/err" | grep abs && test_grep "refused: abs:" "$TRASH/err" && in_box bad "rm abs out .gitattributes" && git box propose bad
'
test_expect_success 'what is said of hostile names is clean' '
	cd repo && git box create esc && in_box esc "printf 1 >\"\$(printf \"a\\033]0;x\\007\\342\\200\\256b\")\"" && test_exit 2 git box propose esc >"$TRASH/out" 2>&1 &&
	test_grep "refused: a" "$TRASH/out" && ! LC_ALL=C grep -q -e "$(printf "\\033")" -e "$(printf "\\342\\200\\256")" "$TRASH/out"
'
test_expect_success 'a step of a series must be fit to leave, too' '
	cd repo && git box create step && in_box step "ln -s /etc/passwd abs; git add abs; git commit -q -m bad; git rm -q abs; echo 1 >1; git add 1; git commit -q -m good" &&
	test_exit 2 git box propose --series step 2>"$TRASH/err" && test_grep "refused: abs:" "$TRASH/err" && ! git rev-parse -q --verify box/step && git box propose step
'
test_expect_success 'a gitlink, a nested repository and a name of git that only the box committed' '
	cd repo && git box create link && in_box link "git init -q n; git -C n -c user.name=x -c user.email=x@y commit -q --allow-empty -m x; git add n 2>/dev/null; git commit -q -m gitlink; echo 1 >1" &&
	test_exit 2 git box propose --series link 2>"$TRASH/err" && test_grep "refused: n:" "$TRASH/err" && git box propose link 2>"$TRASH/err" &&
	test_grep "\"n\" is a repository" "$TRASH/err" && test "$(git diff --name-only HEAD box/link)" = 1 &&
	git box create dot && in_box dot "printf \"100644 blob \$(echo evil | git hash-object -w --stdin)\\t.GIT\\n\" >in; t=\$(git mktree <in); git reset -q --soft \$(git commit-tree -p HEAD -m dot \$t)" &&
	{ git box propose --series dot 2>"$TRASH/err"; code=$?; cat "$TRASH/err"; echo "code $code"; test $code = 5 -o $code = 2; } && ! git rev-parse -q --verify box/dot
'
test_expect_success 'what the host may execute is named' '
	cd repo && git box create flag && in_box flag "printf \"all:\\n\\ttrue\\n\" >Makefile; mkdir -p .github/workflows; echo on: push >.github/workflows/ci.yml" &&
	git box propose flag 2>"$TRASH/err" && test_grep "look at .*Makefile" "$TRASH/err" && test_grep "look at .github/workflows/ci.yml" "$TRASH/err" &&
	git box diff --json flag 2>/dev/null | python3 -c "
import json, sys
j = json.load(sys.stdin)
assert j[\"gate\"][\"refused\"] == 0 and j[\"gate\"][\"flagged\"] >= 2
assert all(f[\"rules\"] for f in j[\"files\"])"
'
test_expect_success 'SHA-256, sparse, a linked work tree, a submodule' '
	git init -q -b main --object-format=sha256 s256 && (cd s256 && echo a >a && git add a && git commit -q -m a && git box create b &&
		in_box b "echo b >b; git add b; git commit -q -m b" && git box propose --series b && git cat-file -e box/b:b && git fsck --strict) &&
	git clone -q repo sparse && (cd sparse && git sparse-checkout set --no-cone /README && git box create sp && in_box sp "echo s >>README" &&
		git box propose sp && test "$(git diff --name-only HEAD box/sp)" = README) &&
	(cd repo && git worktree add -q ../linked -b linked) && (cd linked && git box create li && in_box li "echo l >l" && git box propose li &&
		git -C ../repo cat-file -e box/li:l) &&
	make_repo lib && make_repo super && (cd super && git -c protocol.file.allow=always submodule add -q "$TRASH/lib" lib && git commit -q -m sub &&
		git box create s 2>/dev/null && in_box s "echo 1 >y" && git box propose s && test "$(git diff --name-only HEAD box/s)" = y)
'
test_expect_success 'the workspace tier' '
	cd repo && git box create ws --isolation=workspace 2>/dev/null && in_box ws "echo w >w" && git box propose ws && git cat-file -e box/ws:w &&
	git box rm ws
'
test_done
