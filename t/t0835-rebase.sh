#!/bin/sh
test_description='rebase: a box on a newer base'
test_lanes=both
. "${0%/*}/test-lib.sh"

box_dir () { echo ".git/box/b/$(cat ".git/box/name/$1")"; }
field () { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$(box_dir b)/manifest.json" "$1"; }
inside () { git-box run -q b -- sh -c "$1"; }

# start DIR: a repository whose box b has work of its own.
start () {
	make_repo "$1" && cd "$1" && git-box create -q b &&
	inside "echo box >>README; echo new >new; mkdir d; echo x >d/x; rm test.sh; ln -s README link"
}
# upstream: the branch goes on.
upstream () {
	echo "/* up */" >>src/hello.c && echo up >up && git add -A . && git commit -q -m upstream
}
# Everything of a box and of its repository that a failed rebase must leave alone.
state () {
	git for-each-ref && git rev-parse HEAD && git status --porcelain && cat "$(box_dir b)/manifest.json" &&
	find "$(box_dir b)" -mindepth 1 -maxdepth 1 ! -name "snap*" | sort && inside "git rev-parse HEAD; git symbolic-ref HEAD; git status --porcelain --ignored
		find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum"
}

test_expect_success 'a box whose branch did not move is up to date' '
	start same && git-box rebase b 2>err && test_grep "up to date" err && [ "$(inside "cat new")" = new ]
'
test_expect_success 'the work of the box and the new base are merged' '
	start plain && upstream && old=$(git rev-parse HEAD^) && git-box rebase b >../out && test_grep "rebased box b" ../out &&
	[ "$(field base_commit)" = "$(git rev-parse HEAD)" ] && [ "$(field base_tree)" = "$(git rev-parse HEAD^{tree})" ] &&
	[ "$(field state)" = created ] && [ "$(git rev-parse "refs/box/base/$(field id)")" = "$(git rev-parse HEAD)" ] &&
	inside "cat README new d/x up; readlink link; ls; tail -n 1 src/hello.c" >../out && test_grep box ../out && test_grep ^up ../out &&
	test_grep "/\* up" ../out && ! test_grep test.sh ../out && [ ! -e "$(box_dir b)/rebase.json" ] && [ ! -e "$(box_dir b)/rebase.data" ]
'
test_expect_success 'inside, the branch of the box is at the new base and its work is not committed' '
	cd plain && [ "$(inside "git rev-parse HEAD")" = "$(git rev-parse HEAD)" ] &&
	[ "$(inside "git symbolic-ref HEAD")" = refs/heads/box/b ] && [ "$(inside "git rev-parse main")" = "$(git rev-parse main)" ] &&
	inside "git status --porcelain" >../out && printf "%s\n" " M README" " D test.sh" "?? d/" "?? link" "?? new" | diff - ../out &&
	inside "git fsck --strict && git commit -q -a -m on && git log --oneline | wc -l"
'
test_expect_success 'the view of the host has the new base, too' '
	cd plain && view="git -c safe.directory=* -C $(box_dir b)/work" && [ "$($view rev-parse HEAD)" = "$(git rev-parse HEAD)" ] &&
	$view status --porcelain >../out && test_grep README ../out && ! test_grep hello.c ../out
'
test_expect_success 'what it proposes then is a fast-forward' '
	cd plain && git-box propose -m Work b && git-box apply b >../out && test_grep fast-forward ../out && [ "$(cat d/x)" = x ] &&
	git-box rebase b && [ "$(field state)" = created ] && git-box diff --stat b >../out && [ ! -s ../out ]
'
test_expect_success 'commits, staged files and a merge in progress inside' '
	start busy && inside "git add -A; git commit -qm one; echo two >>new; git add new; git rev-parse HEAD >.git/MERGE_HEAD" &&
	old=$(inside "git rev-parse HEAD") && upstream && git-box rebase b && [ "$(inside "cat new")" = "new
two" ] && [ "$(inside "git rev-parse ORIG_HEAD")" = "$old" ] && [ "$(inside "git log -1 --format=%s ORIG_HEAD")" = one ] &&
	inside "! test -e .git/MERGE_HEAD && git diff --quiet --cached && git fsck"
'
test_expect_success 'ignored files stay' '
	make_repo ign && cd ign && echo "*.o" >.gitignore && git add . && git commit -q -m i && git-box create -q b &&
	inside "echo o >src/a.o; echo x >x" && git mv src lib && git commit -q -m move && git-box rebase b &&
	inside "cat src/a.o x lib/hello.c >/dev/null && ! test -e src/hello.c"
'
test_expect_success 'files and directories change places' '
	make_repo kinds && cd kinds && mkdir a && echo 1 >a/f && echo 1 >b && ln -s a l && git add . && git commit -q -m k &&
	git-box create -q b && inside "echo 2 >README; chmod -x test.sh" && git rm -rq a b l && echo file >a && mkdir b l && echo 1 >b/f && echo 1 >l/f &&
	printf x >"$(printf "o\nd\377")" && git add . && git commit -q -m swap && git-box rebase b &&
	inside "test -f a && test -f b/f && test -d l && test ! -L l && test -f l/f && test ! -x test.sh && git status --porcelain" >../out &&
	printf "%s\n" " M README" " M test.sh" | diff - ../out
'
test_expect_success 'conflicts change nothing and are listed' '
	start conflict && echo mine >README && git commit -q -a -m mine && state >../before && test_exit 4 git-box rebase b >../out 2>../err &&
	state >../after && diff ../before ../after && test_grep "^contents: README$" ../out && test_grep "with-conflicts b" ../err &&
	test_exit 4 git-box rebase --json b >../json && test_grep "\"path\": \"README\"" ../json
'
test_expect_success 'with conflicts, the box gets them with markers and can resolve them' '
	cd conflict && git-box rebase --with-conflicts b >../out && test_grep "contents: README" ../out &&
	[ "$(inside "grep -c \"^<<<<<<<\" README")" = 1 ] && inside "echo both >README" && git-box propose -m Both b && git-box apply b &&
	[ "$(cat README)" = both ] && [ -z "$(git status --porcelain | grep -v "^??")" ]
'
test_expect_success 'onto a revision' '
	start onto && git checkout -q -b other && upstream && git checkout -q main && git-box rebase --onto other b &&
	[ "$(field base_branch)" = other ] && [ "$(field base_commit)" = "$(git rev-parse other)" ] && inside "cat up" &&
	git-box rebase --onto "$(git rev-parse main)" b && [ "$(field base_branch)" = other ] && inside "! test -e up && test -e new" &&
	test_exit 3 git-box rebase --onto nosuch b && test_exit 129 git-box rebase --onto -x b
'
test_expect_success 'a branch that was rewritten' '
	start rewritten && git checkout -q --orphan fresh && echo "/* new */" >>src/hello.c && git commit -q -a -m fresh && git branch -M main && git-box rebase b &&
	[ "$(inside "git rev-list --count HEAD")" = 1 ] && inside "grep box README && grep new src/hello.c && cat new"
'
test_expect_success 'a box without a branch, and one whose branch is gone' '
	make_repo gone && cd gone && git checkout -q --detach && git-box create -q b && git checkout -q main && test_exit 2 git-box rebase b 2>err &&
	test_grep "git box rebase --onto REV b" err && git branch topic && git checkout -q topic && git-box create -q c && git checkout -q main &&
	git branch -D topic && test_exit 3 git-box rebase c 2>err && test_grep "git box rebase --onto REV c" err
'
test_expect_success 'boxes that cannot be rebased' '
	start refused && upstream && { git-box run -q b -- sleep 30 & } && wait_for 10 "git-box ls --json | grep -q sleep" &&
	test_exit 4 git-box rebase b && git-box abort b && wait && test_exit 2 git-box rebase b && test_exit 3 git-box rebase nosuch &&
	git-box create -q --isolation workspace w && test_exit 2 git-box rebase w
'
test_expect_success 'a proposal on the old base is none any more' '
	start proposed && git-box propose -m Work b && upstream && git-box rebase b && [ "$(field state)" = created ] &&
	test_exit 2 git-box apply b && git-box propose -m Again b && git-box apply b >../out && test_grep fast-forward ../out
'
test_expect_success 'in a sparse checkout' '
	make_repo sparse && cd sparse && mkdir in out && echo 1 >in/f && echo 1 >out/f && echo 1 >out/g && git add . && git commit -q -m dirs &&
	git sparse-checkout set in && git-box create -q b && inside "echo box >in/g; ! test -e out" && git sparse-checkout disable &&
	echo 2 >out/f && echo 2 >in/f && git commit -q -a -m up && git-box rebase b && inside "cat in/f in/g; ! test -e out; git status --porcelain" >../out &&
	printf "%s\n" 2 box "?? in/g" | diff - ../out && git-box propose -m W b && [ "$(git diff --name-only main box/b)" = in/g ]
'
test_expect_success 'in a SHA-256 repository' '
	mkdir sha && git init -q -b main --object-format=sha256 sha && cd sha && echo 1 >f && git add . && git commit -q -m 1 && git-box create -q b &&
	inside "echo b >b" && echo 2 >f && git commit -q -a -m 2 && git-box rebase b && [ "$(inside "cat f b; git rev-parse HEAD")" = "2
b
$(git rev-parse HEAD)" ]
'
test_expect_success 'what the box put in the place of refs is replaced, not followed' '
	start link && upstream && inside "rm -rf .git/refs/heads/box && ln -s ../../objects .git/refs/heads/box
		rm .git/packed-refs; mkdir -p .git/packed-refs/x; rm .git/HEAD; ln -s config .git/HEAD" && git-box rebase b &&
	[ ! -e "$(box_dir b)/git/objects/b" ] && inside "git fsck && cat new up && git symbolic-ref HEAD"
'
test_expect_success 'escape: what the box configured runs' '
	start armed && upstream && inside "cat >.git/hooks/post-checkout <<-EOF
			#!/bin/sh
			touch ran
		EOF
		chmod +x .git/hooks/post-checkout
		for h in post-index-change reference-transaction; do cp .git/hooks/post-checkout .git/hooks/\$h; done
		git config core.fsmonitor \"touch ran; false\"
		git config filter.f.smudge \"touch ran; cat\"
		git config filter.f.clean \"touch ran; cat\"
		git config merge.d.driver \"touch ran; false\"
		echo \"* filter=f merge=d\" >.gitattributes" &&
	git-box rebase b && inside "cat up && ! test -e ran"
'
test_expect_success 'control: what the box configured runs' '
	cd armed && inside "echo 1 >>up; git checkout -q up; test -e ran"
'

test_done
