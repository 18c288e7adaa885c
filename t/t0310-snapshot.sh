#!/bin/sh
test_description='what rm keeps of a work tree, however it looks'
test_lanes=both
. "${0%/*}/test-lib.sh"

mark=$TRASH/mark

# keep BOX: removes it by force and fetches what was kept as FETCH_HEAD. In the repository's top.
keep () {
	rm -f .git/box/removed/* && git box rm --force "$1" >"$TRASH/rm" 2>&1 && set -- .git/box/removed/*.bundle &&
	git bundle verify -q "$1" && git fetch -q "$1" "$(git bundle list-heads "$1" | cut -d" " -f2 | head -1)"
}
kept () { git ls-tree -r -z --name-only FETCH_HEAD; }
has () { kept | grep -q -z -x -F -e "$1"; }

test_expect_success 'setup' '
	make_repo repo && cd repo && mkdir dir && echo 1 >dir/one && echo 2 >dir/two && echo x >becomes-dir &&
	ln -s dir link && printf "*.ign\n/build/\n" >.gitignore && printf "a\r\nb\r\n" >crlf && git add -A &&
	git commit -q -m more && echo "crlf text" >.gitattributes && git add .gitattributes && git commit -q -m attr
'
test_expect_success 'an untouched box keeps nothing' '
	cd repo && git box create same && git box run same -- true && git box rm same && ! ls .git/box/removed/*.bundle 2>/dev/null
'
test_expect_success 'a file that was only rewritten or touched is no work' '
	cd repo && git box create touched && git box run touched -- sh -c "
		touch -d 2001-01-01 README crlf && cp dir/one x && rm dir/one && mv x dir/one" && git box rm touched
'
test_expect_success 'every kind of change' '
	cd repo && git box create kinds && git box run kinds -- sh -ec "
		rm dir/one && rm becomes-dir && mkdir becomes-dir && echo in >becomes-dir/file &&
		rm dir/two && rmdir dir && echo file >dir && ln -sfn /etc/passwd link && ln -s missing dangling &&
		chmod +x README && mkdir -p deep/er && echo d >deep/er/file" && keep kinds &&
	git diff --raw --no-abbrev HEAD FETCH_HEAD | cut -f1 -d" " --complement | cut -d" " -f1,4- >"$TRASH/diff" &&
	has becomes-dir/file && has dir && has deep/er/file && has dangling && ! has dir/one && ! has dir/two &&
	test "$(git cat-file blob FETCH_HEAD:link)" = /etc/passwd &&
	git ls-tree FETCH_HEAD README | grep ^100755 && git ls-tree FETCH_HEAD link | grep ^120000 &&
	test "$(git log -1 --format=%P FETCH_HEAD)" = "$(git rev-parse HEAD)"
'
test_expect_success 'names of every kind' '
	cd repo && git box create names && git box run names -- sh -c "
		touch \"\$(printf \"new\nline\")\" \"\$(printf \"bad\377\")\" \"\$(printf \"cr\r\")\" ./-dash \":(top)x\" \"\\\"quoted\" \"a  b\"" &&
	keep names && has "-dash" && has ":(top)x" && has "\"quoted" && has "a  b" &&
	kept | tr "\0" "~" | grep -q "~new" && kept | grep -q -z "^bad" && kept | grep -q -z "^cr"
'
test_expect_success 'what git ignores is left out, what the base has is not' '
	cd repo && echo t >tracked.ign && git add -f tracked.ign && git commit -q -m ign && git box create ign &&
	git box run ign -- sh -ec "
		mkdir -p build/x node && echo 1 >build/x/y && echo 1 >a.ign && echo 2 >tracked.ign &&
		echo sub >node/.gitignore && echo 1 >node/sub && echo 1 >node/kept" && keep ign &&
	has node/kept && ! has node/sub && ! has a.ign && ! has build/x/y && has tracked.ign &&
	test "$(git cat-file blob FETCH_HEAD:tracked.ign)" = 2
'
test_expect_success 'no file can stop it: FIFOs, sockets, modes, depth' '
	cd repo && git box create odd && git box run odd -- sh -ec "
		mkfifo fifo && mkdir locked && echo 1 >locked/in && chmod 000 locked && echo 2 >secret && chmod 000 secret &&
		python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind(\\\"sock\\\")\" &&
		d=x; for i in \$(seq 60); do d=\$d/x; done; mkdir -p \$d && echo 3 >\$d/deep && chmod 555 x" && keep odd &&
	has locked/in && has secret && ! has fifo && ! has sock && kept | grep -q -z "x/x/x/deep"
'
plant='mkdir -p n && git init -q n && printf "[filter \"e\"]\n\tclean = touch \"%s\"; cat\n[core]\n\tfsmonitor = touch \"%s\"\n" "$MARK" "$MARK" >>n/.git/config &&
	echo "* filter=e" >n/.gitattributes && echo 1 >n/file && echo "* filter=e" >.gitattributes && git config filter.e.clean "touch \"$MARK\"; cat"'
test_expect_success 'control: nested repositories and filters run programs' '
	rm -f "$mark" && git clone -q repo ctl && cd ctl && MARK=$mark && eval "$plant" && { git add -A >/dev/null 2>&1 || :; } && test -e "$mark"
'
test_expect_success 'escape: nested repositories and filters run programs' '
	rm -f "$mark" && cd repo && git box create nest && git box run nest --env MARK=/tmp/mark -- sh -ec "$plant" &&
	keep nest && has n/file && has n/.gitattributes && ! has n/.git/config && ! test -e "$mark"
'
test_expect_success 'names that git takes for its own never reach a tree' '
	cd repo && git box create own && git box run own -- sh -ec "
		mkdir .GIT a && echo 1 >.GIT/config && echo 1 >a/git~1 && echo 1 >a/.git. && ln -s x .gitmodules && echo 1 >a/ok" &&
	keep own && has a/ok && test "$(kept | tr "\0" "\n" | grep -c -i -e "git[~.]" -e "^.GIT/" -e gitmodules)" = 0 &&
	git fsck --strict
'
test_expect_success 'a sparse checkout loses nothing' '
	git clone -q repo sparse && cd sparse && git sparse-checkout set --no-cone /README /src/ && git box create sp &&
	git box run sp -- sh -c "test ! -e dir && echo more >>README" && keep sp && has dir/one && has dir/two &&
	test "$(git diff --name-only HEAD FETCH_HEAD)" = README
'
test_expect_success 'the directory of a submodule stays what it was' '
	make_repo lib && make_repo super && cd super && git -c protocol.file.allow=always submodule add -q "$TRASH/lib" lib &&
	git commit -q -m sub && git box create s && git box run s -- sh -c "rm lib/.git; git init -q lib; echo 1 >lib/x; echo 1 >y" && keep s && has y && ! has lib/x &&
	git ls-tree FETCH_HEAD lib | grep ^160000
'
test_expect_success 'SHA-256' '
	git init -q -b main --object-format=sha256 s256 && cd s256 && echo a >a && git add a && git commit -q -m a &&
	git box create b && git box run b -- sh -c "echo b >b" && keep b && has b && has a
'
test_expect_success 'nothing is left in the repository' '
	for r in repo sparse super s256; do
		git -C $r fsck --strict && test -z "$(git -C $r worktree prune -n)" && ! ls $r/.git/box/b/* 2>/dev/null || return 1
	done
'
test_done
