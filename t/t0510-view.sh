#!/bin/sh
test_description='the host side of a work tree runs nothing of the box'
test_lanes=both
. "${0%/*}/test-lib.sh"

mark=$TRASH/mark
cat >"$TRASH/evil" <<EOF
#!/bin/sh
touch "$mark"
EOF
chmod 755 "$TRASH/evil"
# The files of root's boxes belong to another uid: git would refuse every directory there, and prove nothing.
git config --global --add safe.directory "*"

# Files that make a directory look like a bare repository whose work tree is itself; sh text run in that directory.
plant="mkdir -p objects refs hooks && printf 'ref: refs/heads/x\n' >HEAD &&
	printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = $TRASH/evil\n' >config"
# What an operator, a prompt or an editor types in a directory.
typed='git status; git diff; git log -1; git stash list; git add -n .; git ls-files -m; git worktree list; true'

test_expect_success 'setup' '
	make_repo repo && cd repo && git box create b && git box run b -- true
'
test_expect_success 'git status in the work tree is useful' '
	cd repo && git box run b -- sh -c "echo more >>README; echo new >new" && cd "$(git box path b)" &&
	test "$(git status --porcelain | sort | tr "\n" ,)" = " M README,?? new," && git diff | grep -q "^+more" &&
	{ git box run b -- git checkout -q . 2>/dev/null || :; }
'
test_expect_success 'control: a bare repository planted at the top' '
	rm -f "$mark" && mkdir -p plain/.git && { (cd plain && eval "$plant" && eval "$typed") >/dev/null 2>&1 || :; } &&
	test -e "$mark"
'
test_expect_success 'escape: a bare repository planted at the top' '
	rm -f "$mark" && cd repo && git box run b -- sh -c "$plant" && test -f "$(git box path b)/config" &&
	(cd "$(git box path b)" && eval "$typed") >/dev/null 2>&1 && ! test -e "$mark" &&
	(eval "$typed"; git box ls; git box status b; git box path b) >/dev/null && ! test -e "$mark"
'

# Writes into everything by which a git directory is found or configured; sh text.
rewrite="printf '[core]\n\tfsmonitor = $TRASH/evil\n\thooksPath = $TRASH\n\tpager = $TRASH/evil\n' >>\$(git rev-parse --git-dir)/config
	git config core.fsmonitor $TRASH/evil
	cp $TRASH/evil \$(git rev-parse --git-path hooks)/post-index-change; git update-index --refresh; true"
test_expect_success 'control: repository pointers rewritten by the box' '
	make_repo ctl && git -C ctl worktree add -q --detach ../ctl-wt && { (cd ctl-wt && eval "$rewrite") >/dev/null 2>&1 || :; } &&
	rm -f "$mark" && (cd ctl-wt && git status) >/dev/null 2>&1 && test -e "$mark"
'
test_expect_success 'escape: repository pointers rewritten by the box' '
	cd repo && git box run b -- sh -c "$rewrite
		mv .git .was && mkdir .git && $plant; rm -rf .git; ln -s /nonexistent .git; umount .git
		echo \"gitdir: /tmp/x\" >.git; for f in commondir gitdir config.worktree; do echo $TRASH >.git/\$f; done; true" \
		>/dev/null 2>&1 && rm -f "$mark" &&
	(cd "$(git box path b)" && eval "$typed") >/dev/null 2>&1 &&
	(eval "$typed"; git worktree prune; git gc -q --auto; git box ls; git box status b) >/dev/null &&
	! test -e "$mark" && git box rm --force b && ! test -e "$mark" && git fsck
'

# husky sets core.hooksPath to a directory of the tree: whoever writes the tree writes the hooks.
test_expect_success 'control: a hook directory of the repository' '
	make_repo husky && git -C husky config core.hooksPath .husky && git -C husky worktree add -q --detach ../husky-wt &&
	mkdir husky-wt/.husky && cp evil husky-wt/.husky/post-index-change && rm -f "$mark" &&
	touch -d 2001-01-01 husky-wt/README && git -C husky-wt status >/dev/null && test -e "$mark"
'
test_expect_success 'escape: a hook directory of the repository' '
	rm -f "$mark" && cd husky && git box create b && git box run b -- sh -c "
		mkdir .husky && cat >.husky/post-index-change && chmod 755 .husky/post-index-change &&
		touch -d 2001-01-01 README" <"$TRASH/evil" &&
	test -x "$(git box path b)/.husky/post-index-change" &&
	(cd "$(git box path b)" && eval "$typed") >/dev/null 2>&1 && ! test -e "$mark" && git box rm --force b &&
	! test -e "$mark"
'

# What a repository's configuration and attributes name runs at a checkout; not at ours.
test_expect_success 'control: create runs nothing that the repository names' '
	make_repo named && cp evil named/evil && (cd named && echo "*.c filter=x" >.gitattributes && mkdir myhooks &&
		cp evil myhooks/post-checkout && git add -A && git commit -qm named &&
		git config core.hooksPath myhooks && git config filter.x.smudge "$TRASH/evil; cat") &&
	rm -f "$mark" && git -C named worktree add -q --detach ../named-wt && test -e "$mark"
'
test_expect_success 'escape: create runs nothing that the repository names' '
	rm -f "$mark" && cd named && git box create b && git box run b -- true && ! test -e "$mark" &&
	git box rm --force b && ! test -e "$mark"
'

test_expect_success 'the work tree shows no stub during and after a run' '
	cd repo && git box create stub --profile agent && work=$(git box path stub) && ls -A "$work" >"$TRASH/before" &&
	{ git box run stub -- sleep 67.$$ & } && front=$! && wait_for 5 "pgrep -f \"sleep 67[.]$$\"" &&
	test -z "$(git -C "$work" status --porcelain --ignored)" && ls -A "$work" | cmp - "$TRASH/before" &&
	kill -TERM $front && { wait $front || :; } &&
	test -z "$(git -C "$work" status --porcelain --ignored)" && ls -A "$work" | cmp - "$TRASH/before"
'
test_expect_success 'no stub after kill -9' '
	cd repo && work=$(git box path stub) && { git-box run stub -- sleep 68.$$ & } && front=$! &&
	wait_for 5 "pgrep -f \"sleep 68[.]$$\"" && kill -KILL $front && { wait $front || :; } &&
	wait_for 5 "! pgrep -f \"sleep 68[.]$$\"" &&
	test -z "$(git -C "$work" status --porcelain --ignored)" && ls -A "$work" | cmp - "$TRASH/before" &&
	git box rm --force stub
'
test_done
