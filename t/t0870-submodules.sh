#!/bin/sh
test_description='submodules: from local clones, and never further'
test_lanes=both
. "${0%/*}/test-lib.sh"

mark=$TRASH/mark
cat >"$TRASH/evil" <<EOF2
#!/bin/sh
touch "$mark"
EOF2
chmod 755 "$TRASH/evil"
git config --global protocol.file.allow always
# The files of root's boxes belong to another uid: git would refuse every directory there, and prove nothing.
git config --global --add safe.directory "*"

# in: sh text in box s of the repository here
in_box () { git box run s -- sh -ec "$1"; }
# super DIR [GIT-INIT-OPTION...]: a repository with submodule libs/lib, in which in/deep is another
super () {
	super=$1
	shift
	for r in "$super-deep" "$super-lib" "$super"; do
		git init -q -b main "$@" "$r" && echo "$r" >"$r/file" && git -C "$r" add file && git -C "$r" commit -qm "$r" || return 1
	done
	git -C "$super-lib" submodule --quiet add "$TRASH/$super-deep" in/deep && git -C "$super-lib" commit -qm deep &&
	git -C "$super" submodule --quiet add "$TRASH/$super-lib" libs/lib &&
	git -C "$super" submodule --quiet update --init --recursive && git -C "$super" commit -qm sub
}
# absent BOX PATTERN: a fresh box says so, and the directory is empty
absent () {
	git box create "$1" 2>"$TRASH/notes" && test_grep "$2" "$TRASH/notes" && git box run "$1" -- git status >/dev/null &&
	git box rm "$1"
}

test_expect_success 'setup' 'super repo && echo r >>repo/file && git -C repo commit -qam more'
test_expect_success 'submodules are checked out from local clones, nested ones too' '
	mv repo-lib repo-lib.away && mv repo-deep repo-deep.away && cd repo && git box create s 2>"$TRASH/notes" &&
	! test_grep absent "$TRASH/notes" && git submodule status --recursive | sed "s/ (.*//" >"$TRASH/want" &&
	in_box "git submodule status --recursive" | sed "s/ (.*//" >"$TRASH/got" && cmp "$TRASH/want" "$TRASH/got" &&
	test "$(wc -l <"$TRASH/got")" = 2 && in_box "cat libs/lib/file libs/lib/in/deep/file" &&
	test -z "$(in_box "git status --porcelain; git -C libs/lib status --porcelain; git -C libs/lib/in/deep status --porcelain")" &&
	in_box "cd libs/lib && git log --oneline && git fsck && git -C in/deep log -1"
'
test_expect_success 'git works in a submodule' '
	cd repo && in_box "cd libs/lib && git checkout -qb topic && echo x >>file && git commit -qam inside && cd ../.. &&
		test \"\$(git status --porcelain)\" = \" M libs/lib\" && git add libs/lib && git commit -qm bump &&
		git submodule status | grep -q \"^ \""
'
test_expect_success 'the clones of the operator do not change' '
	cd repo && in_box "! echo x >/run/box/objects/1/x" && git -C libs/lib fsck && test -z "$(git status --porcelain)" &&
	test "$(git -C libs/lib branch --list topic | wc -l)" = 0
'
test_expect_success 'work in a submodule stays in the box, and propose says so' '
	cd repo && in_box "echo y >>file; echo z >libs/lib/new" && git box propose s >"$TRASH/o" 2>&1 &&
	test_grep "submodule .libs/lib. .* stays in the box" "$TRASH/o" &&
	test "$(git rev-parse box/s:libs/lib)" = "$(git rev-parse HEAD:libs/lib)" &&
	test "$(git diff --name-only HEAD box/s)" = file && git box propose s --json | grep -q "\"libs/lib\"" &&
	git box status s | grep -q "^submodules *libs/lib libs/lib/in/deep"
'
test_expect_success 'rm names that work, and leaves nothing' '
	cd repo && test_exit 2 git box rm s 2>"$TRASH/e" && test_grep "changes in 1 submodule" "$TRASH/e" &&
	git box rm --force s && ! ls -d .git/box/b/* 2>/dev/null && git box gc && git fsck --strict && git -C libs/lib fsck
'
test_expect_success 'a clean box with submodules is removed without a question, a nested change asks' '
	cd repo && git box create s && in_box "git status" && git box rm s && git box create s &&
	in_box "echo 1 >libs/lib/in/deep/new" && test_exit 2 git box rm s && git box rm --force s
'
test_expect_success 'a rebase leaves submodules as they are in the box, and git there goes on looking at them' '
	cd repo && git box create s && echo up >>upstream && git add upstream && git commit -qm up && git box rebase s &&
	in_box "test -f upstream && cat libs/lib/file && test -z \"\$(git status --porcelain)\" && git submodule status | grep -q \"^ \" &&
		echo 1 >libs/lib/new && git status --porcelain | grep libs/lib" && git box propose s 2>&1 | grep "nothing to propose" &&
	(cd "$(git box path s)" && test -z "$(git status --porcelain)") && git box rm --force s
'
test_expect_success 'SHA-256' '
	super r256 --object-format=sha256 && cd r256 && git box create s && in_box "git submodule status --recursive" &&
	test -z "$(in_box "git status --porcelain")" && git box rm s
'
test_expect_success 'from a linked worktree, and from its own clones' '
	cd repo && git worktree add -q --detach ../linked && cd ../linked && git box create s && in_box "cat libs/lib/file" &&
	git box rm s && cd .. && mv repo-lib.away repo-lib && mv repo-deep.away repo-deep && cd linked &&
	git submodule --quiet update --init && mv ../repo/.git/modules ../repo/.git/modules.away &&
	git box create s 2>"$TRASH/notes" && in_box "cat libs/lib/file" && test_grep "in/deep. is absent.*no clone" "$TRASH/notes" &&
	git box rm s && mv ../repo/.git/modules.away ../repo/.git/modules && git submodule --quiet deinit -f --all &&
	cd ../repo && git worktree remove --force ../linked
'
test_expect_success 'a clone in an old place, borrowing objects' '
	git clone -q repo old && cd old && git clone -q --shared "$TRASH/repo-lib" libs/lib && git submodule --quiet init &&
	test -d libs/lib/.git && git box create s && in_box "cat libs/lib/file && git -C libs/lib log && git submodule status" &&
	git box rm s
'
test_expect_success 'a shallow clone' '
	git clone -q repo shallow && cd shallow && git submodule --quiet update --init --depth 1 &&
	git box create s && test "$(in_box "git -C libs/lib rev-list --count HEAD")" = "$(git -C libs/lib rev-list --count HEAD)" &&
	git box rm s
'
test_expect_success 'absent: no clone, with the command that gets it' '
	git clone -q repo bare-bones && cd bare-bones && absent s "libs/lib. is absent.*git submodule update --init" &&
	git box create s && in_box "test -d libs/lib && test -z \"\$(ls -A libs/lib)\" && git submodule status | grep -q ^-" &&
	git box rm s
'
test_expect_success 'absent: the clone lacks the commit, or its objects' '
	git clone -q repo lacks && cd lacks && git submodule --quiet update --init && new=$(echo | git commit-tree "HEAD^{tree}") &&
	git update-index --cacheinfo "160000,$new,libs/lib" && git commit -qm ahead && absent s "lacks the commit" &&
	git reset -q --hard HEAD^ && git -C libs/lib repack -qad 2>/dev/null &&
	cp -R .git/modules/libs/lib/objects "$TRASH/whole" && rm -rf .git/modules/libs/lib/objects && git init -q --bare "$TRASH/other" &&
	cp -R "$TRASH/other/objects" .git/modules/libs/lib/objects && want=$(git rev-parse HEAD:libs/lib) &&
	(cd "$TRASH/repo-lib" && printf "%s\n" "$want" "$want^{tree}" "$want:.gitmodules" | git rev-parse --stdin >/dev/null 2>&1 || :; \
		printf "%s\n%s\n" "$(git rev-parse "$want")" "$(git rev-parse "$want^{tree}")" |
		git pack-objects -q "$TRASH/lacks/.git/modules/libs/lib/objects/pack/pack") && absent s "libs/lib. is absent"
'
test_expect_success 'absent: not registered' '
	make_repo stray && cd stray && git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),p" && git commit -qm stray &&
	absent s "\"p\" is absent.*not registered" && printf "[submodule \"p\n" >.gitmodules && git add .gitmodules && git commit -qm broken &&
	absent s "gitmodules cannot be read"
'
test_expect_success 'the sparse checkout of the operator counts' '
	git clone -q repo sparse && cd sparse && git submodule --quiet update --init && git sparse-checkout set --no-cone /file &&
	git box create s && in_box "test ! -e libs/lib/file && git status" && git box rm s
'
test_expect_success 'without gitlinks git is not asked about them' '
	mkdir bin && printf "#!/bin/sh\necho \"\$*\" >>\"$TRASH/calls\"\nexec %s \"\$@\"\n" "$(command -v git)" >bin/git && chmod +x bin/git &&
	make_repo plain && cd plain && (PATH=$TRASH/bin:$PATH && git-box create s) && test_grep "rev-list" "$TRASH/calls" &&
	! grep -e gitmodules "$TRASH/calls" && git box rm s && cd ../repo && (PATH=$TRASH/bin:$PATH && git-box create s) &&
	test_grep gitmodules "$TRASH/calls" && git box rm s
'

# What a box can put where a submodule is; sh text, run in that directory.
plant="rm -rf .git && git init -q . && printf '[core]\n\tfsmonitor = $TRASH/evil\n[filter \"e\"]\n\tclean = $TRASH/evil\n' >>.git/config &&
	echo '* filter=e' >.gitattributes && echo 2 >>file"
typed='git status; git diff; git diff HEAD; git submodule status; git add -n .; git ls-files -m; git stash list; true'
test_expect_success 'control: a repository where a submodule was' '
	git clone -q repo victim && cd victim && git submodule --quiet update --init && (cd libs/lib && eval "$plant") && rm -f "$mark" &&
	(eval "$typed") >/dev/null 2>&1 && test -e "$mark"
'
test_expect_success 'escape: a repository where a submodule was' '
	cd repo && git box create s && in_box "cd libs/lib && $plant" && rm -f "$mark" && (cd "$(git box path s)" && eval "$typed") >/dev/null 2>&1 &&
	{ git box propose s; git box diff s; git box status s; } >/dev/null 2>&1 && ! test -e "$mark" &&
	git box rm --force s && ! test -e "$mark"
'
test_expect_success 'escape: the same in a sparse checkout' '
	cd sparse && git sparse-checkout set --no-cone /file /libs/ && git submodule --quiet update --init && git box create s &&
	in_box "cd libs/lib && $plant" && rm -f "$mark" && (cd "$(git box path s)" && eval "$typed") >/dev/null 2>&1 &&
	! test -e "$mark" && git box rm --force s && ! test -e "$mark"
'
test_expect_success 'escape: hooks and settings in the git directory of a submodule' '
	cd repo && git box create s && in_box "
		d=\$(git -C libs/lib rev-parse --absolute-git-dir) && printf \"[core]\n\tfsmonitor = $TRASH/evil\n\thooksPath = $TRASH\n\" >>\$d/config
		cp $TRASH/evil \$d/hooks/post-index-change || :; touch libs/lib/file" && rm -f "$mark" &&
	(cd "$(git box path s)/libs/lib" && eval "$typed") >/dev/null 2>&1 && ! test -e "$mark" &&
	(git -C "$(git box path s)/libs/lib" status 2>&1 | grep -q "not a git repository") &&
	git box rm --force s >/dev/null && ! test -e "$mark"
'

# hostile NAME PATH [LINE]: a repository with such an entry, and a real clone to be found through it
hostile () {
	rm -rf hostile && make_repo hostile && git init -q --bare hostile/.git/modules/ok && git -C hostile push -q .git/modules/ok HEAD &&
	printf "[submodule \"%s\"]\n\tpath = %s\n\turl = %s\n\t%s\n" "$1" "$2" "ext::$TRASH/evil" "${3:-update = !$TRASH/evil}" >hostile/.gitmodules &&
	git -C hostile update-index --add --cacheinfo "160000,$(git -C hostile rev-parse HEAD),${4:-p}" &&
	git -C hostile add .gitmodules && git -C hostile commit -qm hostile && rm -f "$mark"
}
# The list of what lies around the box, so that a stray file shows.
around () { find "$TRASH/hostile" -path "$TRASH/hostile/.git/objects" -prune -o -path "$TRASH/hostile/.git/box" -prune -o \
	-path "$TRASH/hostile/.git/refs/box" -prune -o -print | sort; }
# tried PATTERN [EMPTY-DIR]: a box comes about, the submodule is absent for that reason, nothing ran or appeared
tried () {
	around >"$TRASH/before" && (cd hostile && git box create s 2>"$TRASH/notes" && test_grep "$1" "$TRASH/notes" &&
		test -z "$(git box run s -- ls -A "${2:-p}")" && git box run s -- find .git -path "*modules*" >"$TRASH/made" &&
		! test -s "$TRASH/made" && git box rm s) && ! test -e "$mark" && around >"$TRASH/after" && cmp "$TRASH/before" "$TRASH/after"
}
test_expect_success 'control: a command in the place of update is run by git' '
	hostile ok p "x = y" && cd hostile && git clone -q . p && git config submodule.ok.url . &&
	git config submodule.ok.update "!$TRASH/evil" && { git submodule update p >/dev/null 2>&1 || :; } && test -e "$mark"
'
test_expect_success 'escape: a command in the place of update' '
	hostile ok p && (cd hostile && git box create s && in_box "test -f p/README" && git box rm s) && ! test -e "$mark"
'
test_expect_success 'hostile names and paths' '
	for name in ../ok ../../x a/../ok .. . "" /ok ok/ a//b "a\\\\..\\\\b" ./ok "$(printf "x\ty")"; do
		hostile "$name" p && tried "absent.*no name for a directory\|gitmodules cannot be read\|no such path\|not registered" ||
			{ echo "name: $name"; return 1; }
	done &&
	for name in -x --upload-pack=x .git HEAD; do
		hostile "$name" p && tried "absent.*no clone" || { echo "name: $name"; return 1; }
	done &&
	for path in ../x /etc .git "" "p/../p" p/; do
		hostile ok "$path" && tried "absent.*not registered\|no such path\|gitmodules cannot be read" || { echo "path: $path"; return 1; }
	done &&
	hostile ok -x "x = y" -x && tried "absent.*no such path" ./-x &&
	cr=$(printf "p\r") && hostile ok "\"p\r\"" "x = y" "$cr" && tried "absent" "./$cr"
'
test_expect_success 'one name within the other' '
	hostile ok p "x = y" && cd hostile && printf "[submodule \"ok/modules/z\"]\n\tpath = q\n" >>.gitmodules &&
	git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),q" && git add .gitmodules && git commit -qm clash &&
	git init -q --bare .git/modules/ok/modules/z && git push -q .git/modules/ok/modules/z HEAD && git push -qf .git/modules/ok HEAD &&
	git box create s 2>"$TRASH/notes" && test_grep "\"q\" is absent.*within that of another" "$TRASH/notes" &&
	in_box "test -f p/README && test -z \"\$(ls -A q)\"" && git box rm s
'
test_expect_success 'a symlink is no clone' '
	hostile ok p && mv hostile/.git/modules/ok "$TRASH/elsewhere" && ln -s "$TRASH/elsewhere" hostile/.git/modules/ok && tried "absent.*no clone" &&
	rm hostile/.git/modules/ok && mkdir -p hostile/p && mv "$TRASH/elsewhere" "$TRASH/outside.git" && mkdir "$TRASH/outside" &&
	mv "$TRASH/outside.git" "$TRASH/outside/.git" && rmdir hostile/p && ln -s "$TRASH/outside" hostile/p && tried "absent.*no clone"
'
test_done
