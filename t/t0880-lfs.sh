#!/bin/sh
test_description='files of git-lfs: into a box, and back'
test_lanes=both
. "${0%/*}/test-lib.sh"

command -v git-lfs >/dev/null || skip_all 'git-lfs is not installed'
mark=$TRASH/mark
printf '#!/bin/sh\ntouch "%s"\ncat\n' "$mark" >"$TRASH/evil"
chmod 755 "$TRASH/evil"

# in: sh text in box s of the repository here
in_box () { git box run s -- sh -ec "$1"; }
# lfs_repo DIR [GIT-INIT-OPTION...]: files of git-lfs, and others
lfs_repo () {
	lfs=$1
	shift
	git init -q -b main "$@" "$lfs" && cd "$lfs" && git lfs install --local --skip-smudge >/dev/null && git lfs install --local >/dev/null &&
	git lfs track "*.bin" >/dev/null && mkdir -p sub/dir && head -c 700000 /dev/urandom >big.bin && echo small >"sub/dir/a b.bin" &&
	echo run >sub/run.bin && chmod +x sub/run.bin && : >empty.bin && echo plain >plain && git add . && git commit -qm lfs
}
gone () { git box rm "$@" s && { git branch -q -D box/s 2>/dev/null || :; }; }
objects () { find .git/lfs/objects -type f ! -name ".*" | sort; }
# whole: every object here is what its name says
whole () { for o in $(objects); do test "$(sha256sum <"$o" | cut -d" " -f1)" = "$(basename "$o")" || { echo "$o"; return 1; }; done; }

test_expect_success 'setup' 'lfs_repo repo && test "$(objects | wc -l)" = 3'
test_expect_success 'files are filled, and git in the box finds no change' '
	cd repo && git box create s 2>"$TRASH/notes" && ! grep -i pointer "$TRASH/notes" && sha256sum *.bin sub/*.bin sub/dir/*.bin >"$TRASH/sums" &&
	in_box "sha256sum -c" <"$TRASH/sums" && test -z "$(in_box "git status --porcelain")" && in_box "test -x sub/run.bin" &&
	test -z "$(in_box "touch big.bin sub/run.bin; git status --porcelain; git diff; git fsck 2>&1 | grep -v dangling")" &&
	test "$(in_box "git lfs ls-files" | grep -c " \* ")" = 3 && test -z "$(in_box "git stash list; git lfs fsck" | grep -v OK)"
'
test_expect_success 'on the host no command of git-lfs is set in the work tree' '
	cd repo && test -z "$(git config -f "$(git box path s)/.git/config" --get-regexp "filter.lfs.(clean|smudge|process)" | grep lfs-\\\|git)"
'
test_expect_success 'an untouched box has nothing to propose' '
	cd repo && test -z "$(git box diff s)" && test_exit 1 git box propose s && gone
'
test_expect_success 'changed files give the tree that git makes, and their objects come along' '
	cd repo && git box create s && in_box "echo more >>big.bin; echo 1 >sub/new.bin; : >sub/dir/empty.bin; cp plain sub/run.bin
		git lfs pointer --file=big.bin >ptr.bin 2>/dev/null; rm \"sub/dir/a b.bin\"; echo x >>plain; mkdir none; echo \"*.dat filter=lfs\" >none/.gitattributes
		head -c 3000 /dev/zero >none/z.dat; head -c 3000 /dev/zero >z.dat; git add -A; git write-tree" >"$TRASH/tree" &&
	git box diff s >"$TRASH/diff" && test_grep "^.oid sha256:" "$TRASH/diff" && test "$(objects | wc -l)" = 3 &&
	git box propose s >"$TRASH/o" 2>&1 && test_grep "git lfs checkout" "$TRASH/o" && test "$(git rev-parse "box/s^{tree}")" = "$(cat "$TRASH/tree")" &&
	test "$(objects | wc -l)" = 7 && whole && test "$(git box propose s --json | grep -c "\"unchanged\"")" = 1
'
test_expect_success 'apply writes pointers, git lfs checkout fills them' '
	cd repo && git box apply s && git lfs checkout >/dev/null && test "$(tail -c 5 big.bin)" = more && test "$(cat sub/new.bin)" = 1 &&
	test -z "$(git status --porcelain)" && git lfs fsck && gone
'
test_expect_success 'apply knows files of git-lfs that are as they were, whatever their times' '
	cd repo && git box create s && in_box "echo again >>big.bin" && git box propose s && touch -d 2001-01-01 big.bin && git box apply s &&
	git lfs checkout >/dev/null && test "$(tail -c 6 big.bin)" = again && gone &&
	git box create s && in_box "echo three >>big.bin" && git box propose s && echo mine >>big.bin && test_exit 2 git box apply s &&
	git checkout -q big.bin && git box apply s && git lfs checkout >/dev/null && gone
'
test_expect_success 'what rm keeps has its objects here' '
	cd repo && git box create s && in_box "echo kept >kept.bin" && n=$(objects | wc -l) && gone --force && test "$(objects | wc -l)" = $((n + 1)) && whole
'
test_expect_success 'a file that was committed as it is does not change by itself' '
	cd repo && echo raw >raw.bin && git update-index --add --cacheinfo "100644,$(git hash-object -w --no-filters raw.bin),raw.bin" && git commit -qm raw &&
	git box create s && in_box "cat raw.bin; touch raw.bin" && test -z "$(git box diff s)" && test_exit 1 git box propose s && gone &&
	git rm -q --cached raw.bin && rm raw.bin && git commit -qm "no raw"
'
test_expect_success 'objects that are not here: pointers, a note, and no failure inside' '
	cd repo && o=$(objects | grep "$(git cat-file blob HEAD:big.bin | sed -n "s/^oid sha256://p")") && mv "$o" "$TRASH/gone" && git box create s 2>"$TRASH/notes" && test_grep "pointers in the box: .*git lfs fetch" "$TRASH/notes" &&
	test -z "$(in_box "git status --porcelain")" && in_box "rm big.bin && git reset -q --hard && grep -q ^oid big.bin && git status" && test_exit 1 git box propose s && gone &&
	echo wrong >"$o" && git box create s 2>"$TRASH/notes" && test_grep "pointers in the box" "$TRASH/notes" && test_exit 1 git box propose s && gone &&
	rm -f "$o" && mv "$TRASH/gone" "$o"
'
test_expect_success 'without any object, and without the attribute' '
	cd repo && mv .git/lfs .git/lfs.away && git box create s 2>"$TRASH/notes" && test_grep "pointers in the box" "$TRASH/notes" && gone &&
	mv .git/lfs.away .git/lfs && make_repo ../none && cd ../none && git -C ../repo cat-file blob HEAD:big.bin >p && git add p && git commit -qm p &&
	mkdir -p .git/lfs && cp -R ../repo/.git/lfs/objects .git/lfs && git box create s && in_box "grep -q ^oid p && ! git config filter.lfs.clean" && gone
'
test_expect_success 'SHA-256' '
	lfs_repo r256 --object-format=sha256 && git box create s && test -z "$(in_box "git status --porcelain")" && in_box "test \$(stat -c %s big.bin) = 700000" &&
	in_box "echo 1 >>big.bin; git add -A; git write-tree" >"$TRASH/tree" && git box propose s && test "$(git rev-parse "box/s^{tree}")" = "$(cat "$TRASH/tree")" &&
	gone
'
test_expect_success 'control: git runs the filter that is called lfs' '
	cd repo && git config --unset filter.lfs.process && git config filter.lfs.clean "$TRASH/evil" && git config filter.lfs.smudge "$TRASH/evil" && rm -f "$mark" &&
	git clone -q -c filter.lfs.clean="$TRASH/evil" -c filter.lfs.smudge="$TRASH/evil" . ../victim && test -e "$mark"
'
test_expect_success 'escape: no filter of that name runs on the host' '
	cd repo && rm -f "$mark" && git box create s && in_box "echo x >>big.bin; echo \"* filter=lfs\" >.gitattributes" && git box diff s >/dev/null &&
	git box propose s && git box apply s && gone && ! test -e "$mark"
'
test_done
