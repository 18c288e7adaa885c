#!/bin/sh
test_description='ls, status, rm, abort, gc, doctor'
test_lanes=both
. "${0%/*}/test-lib.sh"

# box_dir REPO NAME: absolute path of b/<id>.
box_dir () {
	echo "$(cd "$1" && pwd -P)/.git/box/b/$(cat "$1/.git/box/name/$2")"
}

# field FILE PYTHON: prints an expression over the JSON in FILE, called j.
field () {
	python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# start_sleeper REPO BOX: a command that lives in the box until it is ended; waits until ls shows it.
start_sleeper () {
	(cd "$1" && exec git-box run "$2" -- sh -c 'echo up >up; sleep 300') >sleeper.out 2>&1 &
	sleeper=$!
	wait_for 10 "(cd $1 && git-box ls --json) | grep -q 'sleep 300'"
}

# --- ls -----------------------------------------------------------------------------------------------------------

test_expect_success 'without boxes ls says how to make one, and succeeds' '
	make_repo r &&
	(cd r && git-box ls >../out 2>../err) &&
	test ! -s out &&
	test_grep "git box create" err &&
	(cd r && git-box ls --json >../out) &&
	test "$(field out "j[\"boxes\"]")" = "[]" &&
	(cd r && git-box ls -q >../out 2>&1) &&
	test ! -s out
'

test_expect_success 'ls shows boxes oldest first, and bare git box does the same' '
	(cd r && git-box create zebra && git-box create ant) &&
	(cd r && git-box ls -q >../out) &&
	printf "zebra\nant\n" >want &&
	cmp want out &&
	(cd r && git-box ls >../out && git-box >../out2) &&
	cmp out out2 &&
	test_grep "^zebra  *created  *process  *default  *[0-9a-f]\{12\} main  *up-to-date  *-" out
'

test_expect_success 'ls --json has a schema and stable names' '
	(cd r && git-box ls --json >../out) &&
	test "$(field out "j[\"schema\"]")" = 1 &&
	test "$(field out "sorted(j[\"boxes\"][0])")" = \
		"['\''base'\'', '\''created'\'', '\''drift'\'', '\''id'\'', '\''live'\'', '\''name'\'', '\''path'\'', '\''policy_digest'\'', '\''profile'\'', '\''proposal'\'', '\''state'\'', '\''tier'\'']"
'

test_expect_success 'path means the work tree everywhere' '
	(cd r && git-box path ant >../want && git-box status ant >../status && git-box status --json ant >../status.json &&
		git-box ls --json >../out) &&
	test "$(field status.json "j[\"path\"]")" = "$(cat want)" &&
	test "$(field out "[b[\"path\"] for b in j[\"boxes\"] if b[\"name\"] == \"ant\"][0]")" = "$(cat want)" &&
	test "$(sed -n "s/^path  *//p" status)" = "$(cat want)" && test -f "$(cat want)/README"
'

# drift_is WORD: of both boxes.
drift_is () {
	(cd r && git-box ls --json >../out) &&
	test "$(field out "sorted({b[\"drift\"][\"state\"] + str(b[\"drift\"][\"behind\"]) for b in j[\"boxes\"]})")" = "['$1']"
}

test_expect_success 'drift: behind, diverged, gone, detached' '
	drift_is up-to-date0 &&
	git -C r commit -q --allow-empty -m next &&
	git -C r commit -q --allow-empty -m next &&
	drift_is behind2 &&
	git -C r checkout -q --orphan other && git -C r commit -q --allow-empty -m other &&
	git -C r branch -q -f main other &&
	drift_is diverged1 &&
	git -C r branch -q -D main &&
	drift_is gone0 &&
	git -C r checkout -q --detach &&
	(cd r && git-box create loose && git-box ls >../out) &&
	test_grep "^loose .*(detached)  *detached" out &&
	git -C r checkout -q -b main
'

test_expect_success 'a command that lives is shown, and the box is running' '
	start_sleeper r ant &&
	(cd r && git-box ls >../out) &&
	test_grep "^ant  *running .*sleep 300" out &&
	test_grep "^zebra  *created" out
'

# --- rm and abort -------------------------------------------------------------------------------------------------

test_expect_success 'rm does not remove a box in use, not even with --force, and names the command' '
	(cd r && test_exit 4 git-box rm ant 2>../err) &&
	test_grep "sleep 300" err &&
	test_grep "git box abort ant" err &&
	(cd r && test_exit 4 git-box rm --force ant) &&
	test -f "$(box_dir r ant)/work/up"
'

test_expect_success 'gc does not touch it either' '
	(cd r && git-box gc >../out) &&
	test ! -s out &&
	test -f "$(box_dir r ant)/work/up"
'

test_expect_success 'abort ends the command and keeps the files' '
	(cd r && git-box abort ant) &&
	{ wait "$sleeper"; test $? -ne 0; } &&
	(cd r && git-box ls >../out) &&
	test_grep "^ant  *aborted" out &&
	test -f "$(box_dir r ant)/work/up" &&
	(cd r && test_exit 125 git-box run ant -- true)
'

test_expect_success 'gc removes an aborted box, keeps its files, and unpins nothing that they need' '
	id=$(cat r/.git/box/name/ant) &&
	(cd r && git-box gc --dry-run >../out) &&
	test_grep "would remove aborted box ant" out &&
	test -d "r/.git/box/b/$id" &&
	(cd r && git-box gc --json >../out) &&
	test "$(field out "[(i[\"kind\"], i[\"what\"], i[\"removed\"]) for i in j[\"items\"]]")" = \
		"[('\''aborted'\'', '\''ant'\'', True)]" &&
	test ! -e "r/.git/box/b/$id" && test ! -e r/.git/box/name/ant &&
	test -s "r/.git/box/removed/$id.bundle" &&
	git -C r rev-parse -q --verify "refs/box/base/$id"
'

test_expect_success 'gc says how to get them back' '
	(cd r && sh -c "$(field ../out "j[\"items\"][0][\"restore\"]")") &&
	git -C r cat-file -e box/ant:up &&
	(cd r && git-box create given-up && git-box run given-up -- touch it && git-box abort given-up && git-box gc >../out) &&
	(cd r && sh -c "$(sed 1d ../out)") &&
	git -C r cat-file -e box/given-up:it &&
	git -C r branch -q -D box/ant box/given-up
'

test_expect_success 'a box without work goes without a word of force, and leaves nothing' '
	id=$(cat r/.git/box/name/zebra) &&
	(cd r && git-box rm zebra 2>../err) &&
	test ! -e "r/.git/box/b/$id" && test ! -e r/.git/box/name/zebra &&
	test ! -e "r/.git/box/removed/$id.bundle" &&
	test_exit 1 git -C r rev-parse -q --verify "refs/box/base/$id" &&
	(cd r && test_exit 3 git-box rm zebra)
'

test_expect_success 'changed files are refused and stay' '
	(cd r && git-box create work && git-box run work -- sh -c "echo new >new; mkdir d; echo x >d/x; chmod 0 d") &&
	(cd r && test_exit 2 git-box rm work 2>../err) &&
	test_grep "changed files" err &&
	test_grep "git box rm --force work" err &&
	(cd r && git-box run work -- test -f new)
'

test_expect_success 'rm --force keeps them, and the printed command brings them back' '
	(cd r && git-box run work -- chmod 755 d) &&
	(cd r && git-box rm --force work >../restore 2>../err) &&
	test_grep -F "git fetch " restore &&
	(cd r && test_exit 3 git-box path work) &&
	git -C r gc -q --prune=now &&
	(cd r && sh ../restore) &&
	test "$(git -C r show box/work:new)" = new &&
	test "$(git -C r show box/work:d/x)" = x &&
	test "$(git -C r rev-parse box/work^)" = "$(git -C r rev-parse main)" &&
	git -C r fsck --no-dangling
'

test_expect_success 'a branch of the box, or a stash, is work too' '
	(cd r && git-box create branch && git-box run branch -- git -c user.name=a -c user.email=a commit -q --allow-empty -m c) &&
	(cd r && test_exit 2 git-box rm branch 2>../err) &&
	test_grep "1 commit of its own" err &&
	! grep -q "changed files" err &&
	(cd r && git-box create stash &&
	 git-box run stash -- sh -c "echo z >README; git -c user.name=a -c user.email=a stash -q") &&
	(cd r && test_exit 2 git-box rm stash 2>../err) &&
	test_grep "of its own" err &&
	(cd r && git-box rm --force branch stash)
'

test_expect_success 'branches of the repository are not taken for work of the box' '
	git -C r branch side &&
	git -C r commit -q --allow-empty -m later && git -C r tag later &&
	(cd r && git-box create side --from side && git-box rm side)
'

test_expect_success 'what the box does to its git cannot make rm do more than refuse' '
	(cd r && git-box create evil && git-box run evil -- sh -c "
		git config core.fsmonitor \"touch $TRASH/owned; false\"
		printf \"#!/bin/sh\ntouch $TRASH/owned\n\" >.git/hooks/post-checkout
		chmod +x .git/hooks/post-checkout
		echo \"* filter=x\" >.gitattributes
		git config filter.x.clean \"touch $TRASH/owned\"
		mkdir sub && git init -q sub && git -C sub config core.fsmonitor \"touch $TRASH/owned\"
		rm -rf .git/objects; ln -s / .git/objects; ln -s / all; mkfifo pipe") &&
	(cd r && git-box ls && git-box status evil && test_exit 2 git-box rm evil && git-box rm --force evil) &&
	test ! -e owned && test -d /usr && test -f r/README
'

test_expect_success 'with box.keepRemoved=0 nothing is kept' '
	(cd r && git-box create gone && git-box run gone -- touch x) &&
	id=$(cat r/.git/box/name/gone) &&
	(cd r && git -c box.keepRemoved=0 box rm --force gone) &&
	test ! -e "r/.git/box/removed/$id.bundle" &&
	test_exit 1 git -C r rev-parse -q --verify "refs/box/base/$id" &&
	git -C r config box.keepRemoved never &&
	(cd r && test_exit 129 git-box gc 2>../err) &&
	test_grep "box.keepRemoved" err &&
	git -C r config --unset box.keepRemoved
'

test_expect_success 'a name on the list that is wrong does not keep the others' '
	(cd r && git-box create a && git-box create b) &&
	(cd r && test_exit 3 git-box rm --json a nosuch b >../out) &&
	test "$(field out "[x[\"removed\"] for x in j[\"boxes\"]]")" = "[True, False, True]" &&
	test "$(field out "j[\"boxes\"][1][\"kind\"]")" = notfound
'

test_expect_success 'rm of no box, and of names that are none' '
	(cd r && test_exit 129 git-box rm) &&
	for name in -- ../b a/b "" .; do
		(cd r && git-box rm -- "$name" >/dev/null 2>&1; test $? -ne 0) || return 1
	done &&
	(cd r && git-box create same && test_exit 3 git-box rm sane 2>../err) &&
	test_grep "did you mean .same" err &&
	(cd r && git-box rm same)
'

# --- what crashes leave -------------------------------------------------------------------------------------------

test_expect_success 'expired bundles go, with the pins of their bases; younger ones stay' '
	(cd r && git-box create old && git-box create young) &&
	(cd r && git-box run old -- touch x && git-box run young -- touch x) &&
	old=$(cat r/.git/box/name/old) && young=$(cat r/.git/box/name/young) &&
	(cd r && git-box rm --force old young) &&
	touch -d "15 days ago" r/.git/box/removed/$old.* &&
	touch -d "13 days ago" r/.git/box/removed/$young.* &&
	(cd r && git-box gc >../out) &&
	test_grep "$old" out && ! grep -q "$young" out &&
	test -z "$(ls r/.git/box/removed/$old.* 2>/dev/null)" &&
	test -e "r/.git/box/removed/$young.bundle" &&
	test_exit 1 git -C r rev-parse -q --verify "refs/box/base/$old" &&
	git -C r rev-parse -q --verify "refs/box/base/$young"
'

test_expect_success 'a removal that was cut off is finished by gc, by rm, and does not stop a create' '
	for how in "git-box gc" "git-box rm cut"; do
		(cd r && git-box create cut && git-box run cut -- touch x) &&
		dir=$(box_dir r cut) &&
		mv "$dir/manifest.json" "$dir/manifest.removed" &&
		(cd r && git-box ls -q >../out) && ! grep -q cut out &&
		(cd r && $how) &&
		test ! -e "$dir" && test ! -e r/.git/box/name/cut || return 1
	done &&
	(cd r && git-box create cut) && dir=$(box_dir r cut) &&
	mv "$dir/manifest.json" "$dir/manifest.removed" &&
	(cd r && git-box create cut && git-box gc && git-box rm cut) &&
	test ! -e "$dir"
'

test_expect_success 'a stale worktree registration stops neither create nor rm' '
	mkdir -p r/.git/worktrees/work && echo /nowhere/.git >r/.git/worktrees/work/gitdir &&
	(cd r && git-box create near && git-box create open --isolation workspace && git-box rm near open) &&
	rm -rf r/.git/worktrees/work
'

test_expect_success 'a create that was cut off, a lost name, a lost pin: gc finds them' '
	(cd r && git-box create half) && dir=$(box_dir r half) &&
	rm "$dir/manifest.json" "$dir/policy.json" &&
	echo 00000000000000ff >r/.git/box/name/lost && chmod 600 r/.git/box/name/lost && : >r/.git/box/name/torn &&
	git -C r update-ref refs/box/base/00000000000000fe HEAD &&
	(cd r && git-box gc >../out) && cat out &&
	test "$(wc -l <out)" -eq 4 &&
	test ! -e "$dir" && test "$(ls r/.git/box/name)" = loose &&
	test_exit 1 git -C r rev-parse -q --verify refs/box/base/00000000000000fe &&
	(cd r && git-box gc >../out) && test ! -s out
'

test_expect_success 'gc finds pins where somebody removed the whole directory' '
	make_box_repo r2 x &&
	chmod -R u+rwx r2/.git/box && rm -rf r2/.git/box &&
	(cd r2 && git-box gc) &&
	test -z "$(git -C r2 for-each-ref refs/box)"
'

# --- boxes that are not what they say -----------------------------------------------------------------------------

test_expect_success 'an edited policy: nothing runs, ls and doctor say so, the others are not touched' '
	(cd r && git-box create sound && git-box create bent) &&
	sed -i "s/\"processes\":[0-9]*/\"processes\":0/" "$(box_dir r bent)/policy.json" &&
	(cd r && test_exit 125 git-box run bent -- true) &&
	(cd r && git-box ls >../out 2>../err) &&
	test_grep "^bent  *broken" out && test_grep "^sound  *created" out &&
	test_grep "policy was changed" err &&
	(cd r && test_exit 1 git-box doctor --json >../out) &&
	test "$(field out "[c[\"name\"] for c in j[\"checks\"] if c[\"state\"] == \"fail\"]")" = "['\''box'\'']" &&
	(cd r && git-box run sound -- true)
'

test_expect_success 'rm wants --force for it, and then removes it' '
	dir=$(box_dir r bent) &&
	(cd r && git-box rm bent 2>../err; test $? -ne 0) &&
	test_grep "git box rm --force bent" err &&
	(cd r && git-box rm --force bent) &&
	test ! -e "$dir"
'

test_expect_success 'a box that ran and lost its manifest is not taken for an unfinished one' '
	(cd r && git-box create lost && git-box run lost -- sh -c "echo work >kept") && dir=$(box_dir r lost) &&
	rm "$dir/manifest.json" && { (cd r && git-box rm lost 2>../err); test $? = 128; } &&
	test_grep "lost its manifest" err && (cd r && git-box gc) && test -e "$dir/work/kept" &&
	(cd r && git-box rm --force lost) && test ! -e "$dir" && (cd r && git-box create lost && git-box rm lost)
'
test_expect_success 'a manifest of another box, a torn one: broken, removable, others are listed' '
	(cd r && git-box create copy && git-box create torn) &&
	cp "$(box_dir r sound)/manifest.json" "$(box_dir r copy)/manifest.json" &&
	echo "{" >"$(box_dir r torn)/manifest.json" &&
	(cd r && git-box ls >../out 2>../err) &&
	test_grep "^copy  *broken" out && test_grep "^torn  *broken" out && test_grep "^sound  *created" out &&
	(cd r && git-box rm --force copy torn && git-box ls -q >../out) &&
	printf "loose\nsound\n" >want &&
	cmp want out
'

# --- status and doctor --------------------------------------------------------------------------------------------

test_expect_success 'status says what holds the box' '
	(cd r && git-box status sound >../out) &&
	test_grep "^tier  *process" out &&
	test_grep "^network  *none" out &&
	test_grep "second user namespace" out &&
	test_grep "seccomp, [0-9]* instructions" out &&
	test_grep "^memory  *4.0G  *\(enforced\|watched\)" out &&
	test_grep "^processes  *256  *enforced" out &&
	test_grep "^disk .*not held" out &&
	test_grep "^writable " out && test_grep -F "$(cd r && pwd -P)" out
'

test_expect_success 'the plan that status shows has the digest that it names' '
	(cd r && git-box status --json sound >../out && git-box status --plan sound >../plan &&
	 git-box status --plan --json sound >../plan.json) &&
	digest=$(field out "j[\"plan_digest\"]") &&
	test "${#digest}" = 64 &&
	test_grep "^digest  *$digest" plan &&
	test "$(field plan.json "j[\"digest\"]")" = "$digest" &&
	test_grep "bind $(cd r && pwd -P) " plan &&
	test "$(field plan.json "len(j[\"mounts\"])")" = "$(grep -c "^mount " plan)"
'

test_expect_success 'values of variables are not shown' '
	(cd r && TERM=secret-value git-box status sound >../out && TERM=secret-value git-box status --json sound >>../out) &&
	test_grep TERM out && ! grep -q secret-value out
'

test_expect_success 'status of the workspace tier claims nothing' '
	(cd r && git-box create open --isolation workspace && git-box status open >../out) &&
	test_grep "nothing: commands run as you" out &&
	test_grep "^memory .*not held" out &&
	(cd r && git-box status --json open >../out) &&
	test "$(field out "(j[\"confined\"], j[\"mechanisms\"], j[\"network\"])")" = "(False, None, '\''host'\'')" &&
	(cd r && git-box status --plan open; test $? -ne 0)
'

test_expect_success 'a workspace with work is refused, kept and restorable as well' '
	(cd r && git-box run -q open -- sh -c "echo w >w; git add w; git commit -q -m w; echo v >v") &&
	(cd r && test_exit 2 git-box rm open) &&
	(cd r && git-box rm --force open >../restore) &&
	(cd r && sh ../restore) &&
	test "$(git -C r show box/open:v)" = v && test "$(git -C r show box/open^:w)" = w &&
	git -C r worktree prune -n -v >out 2>&1 && test ! -s out
'

test_expect_success 'doctor: all is well, and a lost pin is found with its fix' '
	(cd r && git-box doctor sound >../out) &&
	test_grep "^ok  *confinement" out && test_grep "^ok  *box  *sound" out &&
	id=$(cat r/.git/box/name/sound) && git -C r update-ref -d "refs/box/base/$id" &&
	(cd r && test_exit 1 git-box doctor sound 2>../err) &&
	fix=$(sed -n "s/^git box: base: //p" err) &&
	(cd r && sh -c "$fix" && git-box doctor sound) &&
	(cd r && test_exit 3 git-box doctor nosuch)
'

test_expect_success 'doctor tells of a box directory that others can reach' '
	chmod 755 r/.git/box &&
	(cd r && test_exit 1 git-box doctor >../out 2>../err) &&
	test_grep "chmod 0700" err &&
	(cd r && test_exit 2 git-box ls) &&
	chmod 700 r/.git/box && (cd r && git-box ls)
'

test_expect_success 'a repository whose path is no UTF-8 works to the end' '
	odd=$(printf "odd \377\n%%41 dir") &&
	make_repo "$odd" && (cd "$odd" && git-box create x && git-box run x -- touch new) &&
	(cd "$odd" && git-box status x >/dev/null && git-box rm --force x >../restore && sh ../restore) &&
	git -C "$odd" cat-file -e box/x:new
'

test_expect_success 'the repository is sound, and nothing of removed boxes is left' '
	(cd r && git-box rm sound loose && git-box gc) &&
	git -C r fsck --no-dangling &&
	test -z "$(ls r/.git/box/b r/.git/box/name | grep -v :)"
'

test_done
