#!/bin/sh
test_description='a create that fails leaves nothing'
test_lanes=both
. "${0%/*}/test-lib.sh"

# untouched: nothing of a box is in the repository of the current directory, and it is sound.
untouched () {
	if ! { test -z "$(find .git/box/b .git/box/name -mindepth 1 2>/dev/null)" &&
		test -z "$(git for-each-ref refs/box)" && test -z "$(git worktree prune -n)" &&
		test "$(git worktree list | grep -c .)" = 1 && test -z "$(find .git -name "*.lock")" &&
		git fsck >"$TRASH/fsck" 2>&1; }; then
		cat "$TRASH/fsck"
		find .git/box
		git for-each-ref refs/box
		return 1
	fi
}
# refused CODE WORD ARGS...: create with ARGS ends with CODE, one error that has WORD, and leaves nothing.
refused () {
	refused_code=$1 refused_word=$2
	shift 2
	git-box create "$@" >"$TRASH/out" 2>"$TRASH/err"
	refused_got=$?
	cat "$TRASH/out" "$TRASH/err"
	test $refused_got = "$refused_code" && test ! -s "$TRASH/out" && test_grep -e "$refused_word" "$TRASH/err" &&
	test "$(grep -c -v "hint:" "$TRASH/err")" = 1 && untouched
}

test_expect_success 'setup' '
	make_repo repo && cd repo && git tag -a -m t v1 && git branch feature/login && git tag blob HEAD:README
'
test_expect_success 'revisions' '
	cd repo && refused 3 "login" x --from feature/logni && refused 129 "range" x --from HEAD~0..HEAD &&
	refused 129 "revision" x --from=--all && refused 129 "revision" x --from="^HEAD" &&
	refused 3 "does not name a commit" x --from blob && refused 3 "does not name a commit" x --from "HEAD:README"
'
test_expect_success 'profiles and tiers' '
	cd repo && refused 3 "agent" x --profile agnt && refused 129 "process" x --isolation proces &&
	for tier in container microvm supervised; do refused 2 "$tier" x --isolation $tier || return 1; done
'
test_expect_success 'configuration that is wrong' '
	cd repo && git config box.profile none-such && refused 3 "none-such" x && git config --unset box.profile &&
	if [ "$(id -u)" = 0 ]; then git config box.uid 0 && refused 129 "box.uid" x && git config --unset box.uid; fi
'
test_expect_success 'inside .git, and a GIT_DIR of another repository' '
	make_repo other && (cd repo/.git/refs && ! git-box create x 2>"$TRASH/err") && test_grep "inside the git directory" err &&
	(cd repo && ! GIT_DIR=$TRASH/other/.git git-box create x 2>"$TRASH/err") && test_grep GIT_DIR err &&
	(cd repo && untouched) && cd other && untouched
'
test_expect_success 'no commit yet, though other branches have some' '
	git clone -q repo orphan && cd orphan && git checkout -q --orphan empty && refused 2 "no commit yet" x &&
	git box create y --from main && git box rm y
'
test_expect_success 'somebody else'"'"'s repository' '
	if [ "$(id -u)" = 0 ]; then
		make_repo theirs && chown -R "$TEST_UID" theirs && cd theirs && test_exit 2 git-box create x 2>"$TRASH/err" &&
		test_grep safe.directory "$TRASH/err" && ! test -e .git/box &&
		git config --global --add safe.directory "$PWD" && git box create x && git box run x -- git status && git box rm x
	fi
'
test_expect_success 'a blob that is missing: the next step is named, nothing is fetched' '
	git -C repo config uploadpack.allowFilter true &&
	git clone -q --filter=blob:none --no-checkout "file://$TRASH/repo" partial && cd partial &&
	! git-box create x >"$TRASH/out" 2>"$TRASH/err" && cat "$TRASH/err" && test_grep "git archive" "$TRASH/err" && ! ls .git/box/b/* 2>/dev/null &&
	test -z "$(git for-each-ref refs/box)" &&
	sh -c "$(sed -n "s/.*missing with: //p" "$TRASH/err")" && git box create x && git box run x -- git status && git box rm x
'
test_expect_success 'a damaged object' '
	git clone -q --no-hardlinks repo damaged && cd damaged && blob=$(git rev-parse HEAD:README) &&
	rm -f .git/objects/pack/*.keep && mv .git/objects/pack "$TRASH/packs" && mkdir .git/objects/pack &&
	for p in "$TRASH"/packs/*.pack; do test ! -e "$p" || git unpack-objects -q <"$p" || return 1; done &&
	file=.git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-) && chmod u+w "$file" && : >"$file" &&
	! git-box create x 2>"$TRASH/err" && cat "$TRASH/err" && ! ls .git/box/b/* .git/box/name/* 2>/dev/null &&
	test -z "$(git for-each-ref refs/box)"
'
test_expect_success 'a git directory that cannot be written' '
	if [ "$(id -u)" != 0 ]; then
		git clone -q repo ro && cd ro && chmod 555 .git && ! git-box create x 2>"$TRASH/err" && cat "$TRASH/err" &&
		chmod 755 .git && untouched
	fi
'
test_expect_success 'a box directory that others can reach' '
	git clone -q repo loose && cd loose && mkdir -m 755 .git/box && refused 2 "0755" x
'
test_expect_success 'a branch named box, and branches below box/' '
	git clone -q repo clash && cd clash && git branch box && git box create x && git box run x -- git commit -q --allow-empty -m in &&
	git box rm --force x && git branch -D -q box && git branch box/x/y && git branch box/z && git box create x && git box create z &&
	git box run x -- git log -1 --oneline && git box run z -- git status && git box rm x && git box rm z
'
test_expect_success 'an exclude file that is a symlink' '
	git clone -q repo sym && cd sym && echo "*.mine" >"$TRASH/exclude" && ln -sf "$TRASH/exclude" .git/info/exclude &&
	git box create x && git box run x -- sh -c "touch a.mine && test -z \"\$(git status --porcelain)\"" && git box rm x
'
# The disk is full after a little more each time, so that every step meets it.
test_expect_success 'a full disk, at every step' '
	if [ "$(id -u)" = 0 ]; then
		unshare -m sh -c "mkdir full && mount -t tmpfs -o size=4m none full && cp -a repo full/r && cd full/r && failed=0
			for free in 0 4 8 12 16 20 24 28 32 40 48 56 64 72 80 96 112 128 144 160; do
				rm -f ../fill; head -c 8m /dev/zero >../fill 2>/dev/null; truncate -s -\${free}K ../fill
				if git-box create x 2>../../full-err; then rm ../fill; git-box rm x >/dev/null || exit 1
				else failed=\$((failed + 1)); fi
				rm -f ../fill
				test -z \"\$(find .git/box/b .git/box/name -mindepth 1 2>/dev/null)\" || { find .git/box; exit 1; }
				test -z \"\$(git for-each-ref refs/box)\" && test -z \"\$(find .git -name \"*.lock\")\" && git fsck || exit 1
			done; echo failed \$failed; test \$failed -gt 3 && git-box create x && git-box rm x"
	fi
'
test_expect_success 'a signal at any time' '
	cd repo && hit=0 && for ms in 001 002 003 004 005 006 008 010 012 015 020; do
		{ git-box create sig >/dev/null 2>&1 & } && pid=$! && sleep 0.$ms
		# it may have ended by now
		kill -TERM $pid 2>/dev/null
		wait $pid 2>/dev/null
		code=$?
		if [ $code = 0 ]; then git box rm sig; else hit=$((hit + 1)); fi
		untouched || return 1
	done && echo "interrupted $hit" && test $hit -gt 0
'
test_expect_success 'kill -9 at any time: a retry works and gc removes the rest' '
	cd repo && for ms in 001 002 003 004 005 006 008 010 012 015 020; do
		{ git-box create kill >/dev/null 2>&1 & } && pid=$! && sleep 0.$ms
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
		wait_for 5 "git-box create kill 2>\"$TRASH/err\" || grep -q already \"$TRASH/err\"" || { cat "$TRASH/err"; return 1; }
		git box run kill -- true && git box rm kill && git box gc && untouched || return 1
	done
'
test_done
