#!/bin/sh
test_description='kinds of repositories, and what is not one'
test_lanes=both
. "${0%/*}/test-lib.sh"

# box_round DIR: create, see the files, commit inside, status clean outside, remove.
box_round () {
	(cd "$1" && git box create round && git box run round -- sh -ec '
		git status --porcelain >/tmp/s && ! test -s /tmp/s || { cat /tmp/s; exit 9; }
		echo new >new-file && git add new-file && git commit -q -m inside
		git fsck >/dev/null' && test -z "$(git status --porcelain)" &&
		git box rm --force round)
}
# one_error CMD...: fails with one error (its hint may follow), not by a signal, and not in many lines.
one_error () {
	"$@" >"$TRASH/one.out" 2>"$TRASH/one.err"
	one_got=$?
	cat "$TRASH/one.out" "$TRASH/one.err"
	test $one_got -ge 1 && test $one_got -le 129 && test ! -s "$TRASH/one.out" &&
	test "$(grep -c . "$TRASH/one.err")" -ge 1 && test "$(grep -c . "$TRASH/one.err")" -le 3
}

test_expect_success 'not a repository' 'mkdir none && cd none && one_error git box create x && ! test -e .git'
test_expect_success 'a directory that only holds repositories' '
	mkdir holder && make_repo holder/a && cd holder && one_error git box create x
'
test_expect_success 'a bare repository' '
	git init -q --bare bare.git && cd bare.git && one_error git box create x && ! test -e box/b/*
'
test_expect_success 'no commit yet' '
	git init -q unborn && cd unborn && one_error git box create x && ! ls .git/box/b/* 2>/dev/null
'
test_expect_success 'a plain clone' 'make_repo src && git clone -q src clone && box_round clone'
test_expect_success 'from a linked worktree' '
	git -C src worktree add -q --detach ../linked && box_round linked && git -C src worktree remove --force ../linked
'
test_expect_success 'from a subdirectory' '
	cd src/src && git box create sub && git box run sub -- test -f hello.c && git box rm sub
'
test_expect_success 'through a symlinked path' 'ln -s src via && box_round via'
test_expect_success 'path with spaces' 'make_repo "a b  c" && box_round "a b  c"'
test_expect_success 'path with a newline' 'make_repo "$(printf "a\nb")" && box_round "$(printf "a\nb")"'
test_expect_success 'path with invalid UTF-8' 'make_repo "$(printf "a\377b")" && box_round "$(printf "a\377b")"'
test_expect_success 'path with quotes, colons and commas' 'make_repo "a,b:c\"d\\e" && box_round "a,b:c\"d\\e"'
test_expect_success 'file names of every kind' '
	make_repo names && (cd names && touch "$(printf "n\nl")" "$(printf "\377")" -- -dash "sp ace" &&
		mkdir refs objects hooks && touch HEAD config refs/x objects/y hooks/z && git add -A && git commit -qm names) &&
	(cd names && git box create n && git box run n -- sh -c "echo 1 >HEAD && git commit -qam h") && box_round names
'
test_expect_success 'submodules' '
	make_repo lib && make_repo super && (cd super &&
		git -c protocol.file.allow=always submodule add -q "$TRASH/lib" lib && git commit -qm sub &&
		git box create s >"$TRASH/o" 2>&1 && git box run s -- git submodule status &&
		test -z "$(git box run s -- git status --porcelain)" && git box rm s) && cat o
'
test_expect_success 'hostile submodule names and URLs' '
	make_repo hostile && (cd hostile &&
		printf "[submodule \"../../x\"]\n\tpath = p\n\turl = --upload-pack=touch$TRASH/pwned\n[submodule \"y\"]\n\tpath = q\n\turl = ext::touch%% $TRASH/pwned\n" >.gitmodules &&
		git update-index --add --cacheinfo 160000 "$(git rev-parse HEAD)" p &&
		git update-index --add --cacheinfo 160000 "$(git rev-parse HEAD)" q &&
		git add .gitmodules && git commit -qm hostile &&
		{ git box create h && git box run h -- true && git box rm --force h || :; }) && ! test -e pwned
'
test_expect_success 'a shallow repository' '
	(cd src && for i in 1 2 3; do echo $i >>README && git commit -qam $i; done) &&
	git clone -q --depth 2 "file://$TRASH/src" shallow && box_round shallow &&
	(cd shallow && git box create l && test "$(git box run l -- git rev-list --count HEAD)" = 2 && git box rm l)
'
test_expect_success 'a partial clone fetches nothing' '
	git -C src config uploadpack.allowFilter true &&
	git clone -q --filter=blob:none --no-checkout "file://$TRASH/src" partial && mv src src-away &&
	{ (cd partial && { timeout 60 git box create p >"$TRASH/o" 2>&1; test $? != 124; } && cat "$TRASH/o" &&
		! test -e .git/box/name/p || git box rm --force p); code=$?; mv src-away src; test $code = 0; }
'
test_expect_success 'a sparse checkout' '
	git clone -q src sparse && git -C sparse sparse-checkout set --cone src && box_round sparse
'
test_expect_success 'a repository with alternates' '
	git clone -q --shared src shared && git clone -q --shared shared shared2 && box_round shared2 &&
	(cd shared2 && git box create alt && git box run alt -- git log --oneline >/dev/null 2>"$TRASH/alt-err" &&
		git box rm alt) && ! test -s alt-err
'
test_expect_success 'packed and loose, many branches and tags' '
	git clone -q src packed && (cd packed && for i in $(seq 30); do git branch b$i && git tag t$i; done && git gc -q) &&
	box_round packed
'
test_expect_success 'refs that the host packs while a box lives' '
	git clone -q src packs && (cd packs && git box create p && git branch other && git pack-refs --all --prune && git gc -q --prune=now &&
		git box run p -- sh -c "git log -1 --oneline && echo x >>README && git commit -qam p && git branch q && git fsck" &&
		git box propose p -m p && git fsck --strict) && box_round packs
'
test_expect_success 'SHA-256' '
	git init -q -b main --object-format=sha256 sha256 && (cd sha256 && echo a >a && git add a && git commit -qm a) &&
	box_round sha256
'
if git init -q --ref-format=reftable "$TRASH/reftable" 2>/dev/null; then
	test_expect_success 'reftable' '(cd reftable && echo a >a && git add a && git commit -qm a) && box_round reftable'
else
	test_expect_success 'reftable is refused where git is too old' '
		make_repo reft && git -C reft config core.repositoryformatversion 1 &&
		git -C reft config extensions.refstorage reftable && cd reft && one_error git-box create x &&
		test_grep reftable "$TRASH/one.err"
	'
fi
test_expect_success 'index version 4, split index' '
	git clone -q src v4 && git -C v4 update-index --index-version 4 && git -C v4 update-index --split-index &&
	box_round v4
'
test_expect_success 'worktree configuration' '
	git clone -q src wtc && git -C wtc config extensions.worktreeConfig true &&
	git -C wtc config --worktree core.sparseCheckout false && box_round wtc
'
test_expect_success 'line ends and filters of the user' '
	git clone -q src eol && (cd eol && printf "*.txt text eol=crlf\n" >.gitattributes && printf "a\nb\n" >x.txt &&
		git add -A && git commit -qm eol) && box_round eol
'
test_expect_success 'a detached HEAD' 'git clone -q src det && git -C det checkout -q --detach HEAD~1 && box_round det'
test_expect_success 'inherited GIT_DIR and GIT_INDEX_FILE' '
	git clone -q src env && cd env &&
	(GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD GIT_INDEX_FILE=$PWD/.git/index && export GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE &&
		git-box create e && test -z "$(git-box run e -- env | grep ^GIT_DIR)" && git-box rm e)
'
test_expect_success 'a repository below /tmp' '
	t=$(mktemp -d /tmp/box-test-repo.XXXXXX) && { make_repo "$t/r" && box_round "$t/r"; code=$?; rm -rf "$t"; test $code = 0; }
'
test_expect_success 'a repository in HOME, and one that is HOME' '
	make_repo "$HOME/r" && box_round "$HOME/r" && rm -rf "$HOME/r" && make_repo "$HOME" && box_round "$HOME"
'
rm -rf "$HOME/.git" "$HOME/src" "$HOME/README" "$HOME/test.sh"
test_expect_success 'a repository deep below directories of others' '
	mkdir -p deep/a/b && make_repo deep/a/b/r && chmod 555 deep/a deep &&
	{ box_round deep/a/b/r; code=$?; chmod 755 deep deep/a; test $code = 0; }
'
test_expect_success 'an empty HOME' '
	mkdir empty-home && (cd src && HOME=$TRASH/empty-home git box create eh && HOME=$TRASH/empty-home git box run eh -- true &&
		git box rm eh)
'
test_expect_success 'no HOME, a missing HOME, a read-only HOME' '
	mkdir -m 500 ro-home && cd src && (unset HOME && git-box create h1 && git-box run h1 -- true && git-box rm h1) &&
	HOME=/nonexistent/home git-box create h2 && HOME=/nonexistent/home git-box run h2 -- true && git-box rm h2 &&
	HOME=$TRASH/ro-home git-box create h3 && HOME=$TRASH/ro-home git-box run h3 -- true && git-box rm h3
'
test_expect_success 'the base survives gc --prune=now' '
	git clone -q src gcbase && cd gcbase && git checkout -q -b side && echo s >s && git add s && git commit -qm s &&
	git box create g && git checkout -q main && git branch -D side -q && git reflog expire --expire=now --all &&
	git gc -q --prune=now && git box run g -- git log -1 --format=%s >"$TRASH/o" && test_grep -x s "$TRASH/o" &&
	git box run g -- git status --porcelain && git box rm g
'
test_expect_success 'a full disk leaves nothing' '
	if [ "$(id -u)" = 0 ]; then
		unshare -m sh -c "mkdir -p full && mount -t tmpfs -o size=7m none full && cd full &&
			git clone -q $TRASH/src r && head -c 2500000 /dev/urandom >r/big && cd r && git add big && git commit -qm big &&
			{ git-box create x; test \$? != 0; } && ! ls .git/box/name/* .git/box/b/* 2>/dev/null && git fsck &&
			test -z \"\$(git for-each-ref refs/box)\""
	fi
'
# a base stays pinned as long as the bundle of a removed box needs it
test_expect_success 'nothing of all that is left' '
	for r in src clone shallow shared2 packed v4 det; do
		(cd $r && git -c box.keepRemoved=0 box gc) && git -C $r for-each-ref refs/box &&
		test -z "$(git -C $r for-each-ref refs/box)" && ! ls $r/.git/box/b/* 2>/dev/null && git -C $r fsck || return 1
	done
'
test_done
