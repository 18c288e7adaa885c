#!/bin/sh
test_description='apply: a proposal into the current branch'
test_lanes=both
. "${0%/*}/test-lib.sh"

# What a box would have proposed is made here by plumbing: apply is about what comes then.

# record BOX COMMIT: COMMIT is what the box has proposed.
record () {
	record_dir=.git/box/b/$(cat ".git/box/name/$1") &&
	python3 - "$record_dir/manifest.json" "$(git rev-parse --verify "$2")" <<-'EOF'
	import json, sys
	m = json.load(open(sys.argv[1]))
	m["state"], m["proposal"] = "proposed", sys.argv[2]
	json.dump(m, open(sys.argv[1], "w"))
	EOF
}

# start DIR: a repository with a box b whose proposal is about to be made on branch "work".
start () {
	make_repo "$1" && cd "$1" && git-box create -q b && git checkout -q -b work
}

# propose: what is in the work tree, committed as a box would.
propose_work () {
	git add -A . &&
	git commit -q --author='box b <b@box.invalid>' -m "Work of the box${1:+ $1}" -m 'Box: b 0123' &&
	record b HEAD && git checkout -q main
}

# Everything that apply may change; only the index's time stamps are left out.
state () {
	git for-each-ref && git rev-parse HEAD && cat .git/HEAD && git ls-files -s -t && git status --porcelain --ignored &&
	find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
}
box_dir () { echo ".git/box/b/$(cat .git/box/name/b)"; }
box_state () { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["state"])' ".git/box/b/$(cat .git/box/name/b)/manifest.json"; }

test_expect_success 'what was not proposed cannot be applied' '
	start none && git checkout -q main && test_exit 2 git-box apply b 2>err && test_grep "proposed nothing" err &&
	test_grep "git box propose b" err && test_exit 3 git-box apply nosuch
'
test_expect_success 'a fast-forward' '
	start ff && echo more >>README && echo new >new && rm test.sh && propose_work && old=$(git rev-parse HEAD) &&
	git-box apply b >../out && test_grep "applied box b to main: .* (fast-forward), 3 files" ../out &&
	[ "$(git rev-parse main)" = "$(git rev-parse work)" ] && [ "$(git symbolic-ref HEAD)" = refs/heads/main ] &&
	[ -z "$(git status --porcelain)" ] && [ "$(cat new)" = new ] && [ ! -e test.sh ] && test_grep more README &&
	[ "$(git rev-parse ORIG_HEAD)" = "$old" ] && git reflog -1 >../log && test_grep "box apply b: Fast-forward" ../log &&
	[ "$(box_state)" = applied ] && git fsck --strict
'
test_expect_success 'a second time does nothing and says so' '
	cd ff && state >../before && git-box apply b 2>../err && test_grep "applied already" ../err && state >../after &&
	diff ../before ../after && git-box apply --json b >../json && test_grep "\"outcome\": \"already\"" ../json
'
test_expect_success 'a branch that moved is merged with two parents' '
	start three && echo more >>README && propose_work && echo other >other && git add other && git commit -q -m other &&
	tip=$(git rev-parse HEAD) && git-box apply -m "Take it" b >../out && test_grep "(merge), 1 file" ../out &&
	[ "$(git rev-parse HEAD^1)" = "$tip" ] && [ "$(git rev-parse HEAD^2)" = "$(git rev-parse work)" ] &&
	git log -1 --format="%an: %B" >../log && test_grep "A U Thor: Take it" ../log && test_grep "^Box: b [0-9a-f]*$" ../log &&
	[ -z "$(git status --porcelain)" ] && test_grep more README && [ -e other ]
'
test_expect_success 'a squash has one parent, and the author of the proposal' '
	start squash && echo more >>README && propose_work && echo other >other && git add other && git commit -q -m other &&
	tip=$(git rev-parse HEAD) && git-box apply --squash b && [ "$(git log -1 --format=%P)" = "$tip" ] &&
	[ "$(git log -1 --format="%an/%cn/%s")" = "box b/A U Thor/Work of the box" ] && [ -z "$(git status --porcelain)" ] &&
	git-box apply --squash b 2>../err && test_grep "applied already" ../err && [ "$(git rev-parse HEAD^)" = "$tip" ] &&
	echo changed >>README && git commit -q -a -m changed && git-box apply --squash b 2>../err && test_grep "applied already" ../err
'
test_expect_success 'a squash onto the base' '
	start squash2 && echo more >>README && propose_work && base=$(git rev-parse HEAD) && git-box apply --squash -m "Mine" b &&
	[ "$(git log -1 --format="%P %an %s")" = "$base box b Mine" ] && git log -1 --format=%B >log && test_grep "^Policy: " log
'
test_expect_success 'an apply that was undone can be done again' '
	start again && echo more >>README && propose_work && git-box apply b && git reset -q --hard ORIG_HEAD && git-box apply b >out &&
	test_grep "applied box b" out && test_grep more README
'
test_expect_success 'conflicts leave everything as it was and name the way out' '
	start conflict && echo box >README && echo x >x && git rm -q test.sh && propose_work &&
	echo mine >README && echo "# mine" >>test.sh && git commit -q -a -m mine && echo dirty >>src/hello.c && echo u >untracked &&
	state >../before && test_exit 4 git-box apply b >../out 2>../err && state >../after && diff ../before ../after &&
	test_grep "^contents: README$" ../out && test_grep "^modify/delete: test.sh$" ../out &&
	test_grep "git box rebase --with-conflicts b" ../err && [ "$(box_state)" = proposed ] &&
	test_exit 4 git-box apply --json b >../json && test_grep "\"outcome\": \"conflicts\"" ../json && ! test -e .git/MERGE_HEAD
'
test_expect_success 'changes that are not committed stay as they are' '
	start dirty && echo more >>README && echo new >new && propose_work && echo staged >staged && git add staged &&
	echo dirty >>src/hello.c && echo u >untracked && echo ign >.git/info/exclude && echo i >ign &&
	git status --porcelain --ignored >../before && git-box apply b && git status --porcelain --ignored >../after &&
	diff ../before ../after && test_grep dirty src/hello.c && [ "$(cat staged)$(cat untracked)$(cat ign)" = stagedui ]
'
test_expect_success 'a changed file in the way is named, and nothing is done' '
	start inway && echo more >>README && echo x >x && propose_work && echo dirty >>README && state >../before &&
	test_exit 2 git-box apply b >../out 2>../err && state >../after && diff ../before ../after && test_grep -x README ../out &&
	git add README && state >../before && test_exit 2 git-box apply b >../out && state >../after && diff ../before ../after &&
	test_exit 2 git-box apply --json b >../json && test_grep "in_the_way" ../json && [ "$(box_state)" = proposed ] &&
	git stash -q && git-box apply b
'
test_expect_success 'an untracked file in the way is named' '
	start untracked && echo box >new && mkdir d && echo box >d/f && propose_work && echo mine >new && echo mine >d &&
	state >../before && test_exit 2 git-box apply b >../out 2>../err && state >../after && diff ../before ../after &&
	test_grep -x new ../out && test_grep -x d ../out && rm new d && git-box apply b && [ "$(cat new)" = box ]
'
test_expect_success 'control: git merge overwrites an ignored file' '
	start ignored && echo secret >.env && git add -f .env && propose_work && echo .env >.git/info/exclude && echo mine >.env &&
	git merge -q work && [ "$(cat .env)" = secret ] && git reset -q --hard HEAD^
'
test_expect_success 'an ignored file in the way is named' '
	cd ignored && echo mine >.env && test_exit 2 git-box apply b >../out && test_grep -x .env ../out && [ "$(cat .env)" = mine ]
'
test_expect_success 'a directory with an ignored file is not replaced by a file' '
	start dirway && git rm -q src/hello.c && echo file >src && propose_work && echo "*.o" >.git/info/exclude && echo o >src/a.o &&
	test_exit 2 git-box apply b >../out && test_grep -x src/a.o ../out && [ -e src/hello.c ] && rm src/a.o && git-box apply b &&
	[ -f src ]
'
test_expect_success 'a file that is already as it is to be is not in the way' '
	start alike && echo new >new && echo more >>README && ln -s README link && chmod -x test.sh && propose_work &&
	echo new >new && echo more >>README && ln -s README link && git-box apply b && [ -z "$(git status --porcelain)" ] &&
	start unlike && echo new >new && ln -s README link && propose_work && echo new >new && chmod +x new && ln -s elsewhere link &&
	test_exit 2 git-box apply b >../out && test_grep -x new ../out && test_grep -x link ../out && [ -x new ]
'
test_expect_success 'only the recorded proposal is taken, by its id' '
	start byid && echo more >>README && propose_work && git checkout -q work && echo evil >evil && git add evil &&
	git commit -q -m evil && git checkout -q main && test_exit 2 git-box apply b work 2>err && test_grep "is not what box" err &&
	test_exit 2 git-box apply b nosuch && test_exit 129 git-box apply b --all && [ ! -e evil ] &&
	git-box apply b "$(git rev-parse --short work^)" && [ ! -e evil ] && [ "$(git rev-parse HEAD)" = "$(git rev-parse work^)" ]
'
test_expect_success 'a proposal that is gone is said' '
	start gone && git checkout -q main && record b "$(printf "%040d" 0 | tr 0 a)" && test_exit 3 git-box apply b 2>err && test_grep "not in this repository" err
'
test_expect_success 'what is in progress is left alone' '
	start progress && echo more >>README && propose_work && for f in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do
		git rev-parse work >.git/$f && test_exit 2 git-box apply b 2>err && test_grep "in progress" err && rm .git/$f || return 1
	done && mkdir .git/rebase-merge && test_exit 2 git-box apply b && rmdir .git/rebase-merge && git-box apply b
'
test_expect_success 'unmerged paths are said' '
	start unmerged && echo box >x && propose_work && git checkout -q -b other && echo other >>README && git commit -qam o &&
	git checkout -q main && echo main >>README && git commit -qam m && test_exit 1 git merge -q other && rm .git/MERGE_HEAD &&
	test_exit 2 git-box apply b 2>err && test_grep "unmerged" err && [ ! -e x ]
'
test_expect_success 'a detached HEAD moves, an unborn branch is refused' '
	start detached && echo more >>README && propose_work && git checkout -q --detach && git-box apply b >out && test_grep "to HEAD" out &&
	[ "$(git rev-parse HEAD)" = "$(git rev-parse work)" ] && [ "$(git rev-parse main)" != "$(git rev-parse work)" ] &&
	start unborn && echo more >>README && propose_work && git checkout -q --orphan fresh && git rm -rqf . &&
	test_exit 2 git-box apply b 2>err && test_grep "no commit yet" err
'
test_expect_success 'a branch or an index that somebody holds' '
	start held && echo more >>README && propose_work && state >../before && : >.git/HEAD.lock && test_exit 4 git-box apply b 2>../err &&
	rm .git/HEAD.lock && : >.git/refs/heads/main.lock && test_exit 4 git-box apply b 2>../err && rm .git/refs/heads/main.lock &&
	: >.git/index.lock && test_exit 4 git-box apply b 2>../err && rm .git/index.lock && state >../after && diff ../before ../after &&
	git-box apply b
'
test_expect_success 'a box in which commands run is busy' '
	start running && echo more >>README && propose_work && { git-box run -q b -- sleep 30 & } &&
	wait_for 10 "git-box ls --json | grep -q sleep" && test_exit 4 git-box apply b && git-box abort b 2>/dev/null && wait &&
	test_exit 2 git-box apply b 2>err && test_grep "given up" err
'
test_expect_success 'in a sparse checkout, files outside change in the index only' '
	make_repo sparse && cd sparse && mkdir in out && echo 1 >in/f && echo 1 >out/f && git add . && git commit -q -m dirs &&
	git-box create -q b && git checkout -q -b work && echo 2 >in/f && echo 2 >out/f && echo new >out/g && propose_work &&
	git sparse-checkout set in && git-box apply b && [ "$(cat in/f)" = 2 ] && [ ! -e out ] && [ -z "$(git status --porcelain)" ] &&
	[ "$(git ls-files -t out)" = "S out/f
S out/g" ] && [ "$(git show :out/f)" = 2 ]
'
test_expect_success 'in a linked worktree' '
	start linked && echo more >>README && propose_work && git worktree add -q ../linked2 -b topic main && cd ../linked2 && git-box apply b &&
	[ "$(git rev-parse topic)" = "$(git rev-parse work)" ] && [ -z "$(git status --porcelain)" ] &&
	[ -z "$(git -C ../linked status --porcelain)" ] && [ "$(git rev-parse main)" != "$(git rev-parse work)" ]
'
test_expect_success 'in a SHA-256 repository, from a subdirectory' '
	mkdir sha && git init -q -b main --object-format=sha256 sha && cd sha && mkdir d && echo 1 >d/f && git add . && git commit -q -m 1 &&
	git-box create -q b && git checkout -q -b work && echo 2 >d/f && propose_work && echo o >o && git add o && git commit -q -m o && cd d &&
	git-box apply b && [ "$(cat f)" = 2 ] && [ -z "$(git status --porcelain)" ]
'
test_expect_success 'odd names, modes and kinds' '
	start odd && printf x >"a \\b\"" && printf x >ü && ln -s test.sh l && chmod -x test.sh && : >empty &&
	git rm -q README && mkdir README && echo d >README/f && propose_work && echo o >o && git add o && git commit -q -m o &&
	git-box apply b && [ -z "$(git status --porcelain)" ] && [ -L l ] && [ ! -x test.sh ] && [ -f README/f ] && [ -f ü ]
'
test_expect_success 'the gate looks at it again' '
	start gate && git checkout -q main && for tree in "100644 blob $(git rev-parse HEAD:README)	bad.git~1" \
		"120000 blob $(printf /etc/passwd | git hash-object -w --stdin)	.gitmodules" \
		"160000 commit $(git rev-parse HEAD)	sub" "100644 blob $(git rev-parse HEAD:README)	a	b"; do
		tree=$( { git ls-tree HEAD; echo "$tree" | sed "s/bad\.//"; } | git mktree) &&
		record b "$(echo x | git commit-tree -p HEAD "$tree")" && state >../before && test_exit 2 git-box apply b 2>../err &&
		state >../after && diff ../before ../after && test_grep "refused" ../err || return 1
	done
'
test_expect_success 'what was flagged is said' '
	start flagged && printf "all:\n" >Makefile && propose_work && git-box apply b 2>../err && test_grep "git box review b" ../err
'

# --- nothing runs ---

# mine: what would run is in the configuration and below .git/hooks; where it does, a line is written to ../ran.
armed () {
	start "$1" && echo "* filter=f" >.gitattributes && echo "m merge=d" >>.gitattributes && printf "1\n2\n3\n" >m && propose_work "$1" &&
	git merge -q work && git branch -q -D work && git-box rm --force b && git-box create -q b && git checkout -q -b work &&
	printf "1\n2b\n3\n" >m && echo box >new && propose_work && printf "1\n2m\n3\n" >m && git commit -q -a -m mine &&
	for h in post-merge post-checkout pre-merge-commit reference-transaction post-index-change commit-msg; do
		printf "#!/bin/sh\necho hook >>%s/ran\n" "$TRASH" >.git/hooks/$h && chmod +x .git/hooks/$h || return 1
	done &&
	git config filter.f.smudge "echo smudge >>$TRASH/ran; cat" && git config filter.f.clean "echo clean >>$TRASH/ran; cat" &&
	git config merge.d.driver "echo driver >>$TRASH/ran; exit 0" && git config core.fsmonitor "echo fsmonitor >>$TRASH/ran; false" &&
	rm -f "$TRASH/ran"
}
test_expect_success 'control: hooks, filters and merge drivers of the operator run' '
	armed control && git merge -q work && for what in hook smudge driver fsmonitor; do test_grep $what "$TRASH/ran" || return 1; done
'
test_expect_success 'escape: hooks, filters and merge drivers of the operator run' '
	armed nothing && test_exit 4 git-box apply b >out && test_grep "contents: m" out && [ ! -e "$TRASH/ran" ] &&
	git -c core.hooksPath=/dev/null -c core.fsmonitor=false reset -q --hard HEAD^ && rm -f "$TRASH/ran" && git-box apply b 2>err &&
	[ ! -e "$TRASH/ran" ] && [ "$(cat new)" = box ] && test_grep "with a filter, which did not run" err
'
test_expect_success 'the pointer of an LFS file is written as it is, and is no change' '
	start lfs && echo "*.bin filter=lfs" >.gitattributes &&
	printf "version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 5\n" 7 >a.bin && propose_work &&
	git config filter.lfs.smudge "git-lfs smudge" && git config filter.lfs.clean "git-lfs clean" &&
	git config filter.lfs.required true && git-box apply --json b >../json && test_grep "git-lfs" a.bin && test_grep a.bin ../json &&
	git -c filter.lfs.clean=cat -c filter.lfs.smudge=cat status --porcelain >../out && ! test_grep . ../out
'


# --- links ---

test_expect_success 'control: a directory link leads out' '
	start links && mkdir ../outside && mkdir d && echo box >d/f && propose_work && echo d >.git/info/exclude && ln -s ../outside d &&
	echo x >d/f && [ -e ../outside/f ] && rm ../outside/f
'
test_expect_success 'escape: apply writes through a link' '
	cd links && test_exit 2 git-box apply b >../out && test_grep -x d ../out && [ -z "$(ls ../outside)" ] && rm d &&
	git-box apply b && ln -s ../outside e && git add e && git commit -q -m link && git-box rm --force b && git-box create -q b &&
	git checkout -q -B work && git rm -q e && mkdir e && echo box >e/f && propose_work && [ -L e ] && git-box apply b && [ ! -L e ] &&
	[ -f e/f ] && [ -z "$(ls ../outside)" ]
'

# --- where it ends in between ---

test_expect_success 'files were written and the branch was not moved: apply finishes it' '
	start cut1 && echo more >>README && echo new >new && git rm -q test.sh && propose_work && git read-tree -m -u HEAD work &&
	[ -n "$(git status --porcelain)" ] && git-box apply b && [ -z "$(git status --porcelain)" ] &&
	[ "$(git rev-parse HEAD)" = "$(git rev-parse work)" ]
'
test_expect_success 'half of the files were written: apply finishes it' '
	start cut2 && echo more >>README && echo new >new && mkdir d && echo x >d/x && git rm -q test.sh && echo y >>src/hello.c && propose_work &&
	git show work:README >README && git show work:new >new && rm test.sh src/hello.c && git-box apply b &&
	[ -z "$(git status --porcelain)" ] && [ "$(git rev-parse HEAD)" = "$(git rev-parse work)" ]
'
test_expect_success 'a file that was written in part is completed where apply wrote it, and only there' '
	start cut4 && seq 1000 >README && seq 500 >new && propose_work && : >README && seq 100 >new &&
	test_exit 2 git-box apply b >../out && test_grep -x README ../out && [ ! -s README ] && [ ! -e "$(box_dir)/apply" ] &&
	echo "$(git rev-parse HEAD) $(git rev-parse "work^{tree}")" >"$(box_dir)/apply" && git-box apply b &&
	[ -z "$(git status --porcelain)" ] && [ "$(cat new)" = "$(seq 500)" ] && [ ! -e "$(box_dir)/apply" ]
'
test_expect_success 'the branch was moved and the box was not told: apply tells it' '
	start cut3 && echo more >>README && propose_work && git merge -q --ff-only work && git-box apply b 2>err &&
	test_grep "applied already" err && [ "$(box_state)" = applied ]
'
test_expect_success 'the commit cannot be made: nothing is changed' '
	start nobody && echo more >>README && propose_work && echo o >o && git add o && git commit -q -m o && state >../before &&
	test_exit 2 env HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null git -c user.useConfigOnly=true box apply b 2>../err &&
	test_grep "who you are" ../err && state >../after && diff ../before ../after &&
	test_exit 2 git -c commit.gpgSign=true -c gpg.program=false box apply b 2>../err && test_grep "commit.gpgSign=false" ../err &&
	state >../after && diff ../before ../after
'
test_done
