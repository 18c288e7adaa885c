#!/bin/sh
test_description='what a box plants for git to run, and every verb that looks at a box'
test_lanes=both
. "${0%/*}/test-lib.sh"

mark=$TRASH/mark

# Each vector is planted as a box can plant it: by a command inside, in the work tree, in nested repositories and in its
# own git directory. "own" and "nested" name the repository whose configuration asks for something to be run.
keys="core.fsmonitor core.hooksPath core.sshCommand core.pager core.editor gpg.program diff.external diff.evil.textconv
	diff.evil.command filter.evil.clean filter.evil.smudge filter.evil.process merge.evil.driver alias.status pager.diff
	sequence.editor credential.helper submodule.x.update"
evil="touch $mark; cat"

# plant_config DIR: every key that runs a program, and hooks of every name. Text for the shell inside.
plant_config='
plant_config () {
	for key in $KEYS; do git -C "$1" config "$key" "$EVIL" || return 1; done
	git -C "$1" config core.hooksPath "$PWD/hooks.d"
}
mkdir -p hooks.d && for h in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman pre-push \
	post-merge prepare-commit-msg commit-msg post-rewrite applypatch-msg; do
	printf "#!/bin/sh\n%s\n" "$EVIL" >hooks.d/$h && chmod +x hooks.d/$h || exit 1
done
echo "* diff=evil filter=evil merge=evil" >.gitattributes && echo changed >>README'

vector () {
	case $1 in
	own-config) printf '%s\n' 'plant_config .' ;;
	own-hooks) printf '%s\n' 'cp hooks.d/* .git/hooks/' ;;
	nested) printf '%s\n' 'git init -q nest && plant_config nest && cp hooks.d/* nest/.git/hooks/ && echo x >nest/f' ;;
	bare) printf '%s\n' 'git init -q --bare bare && plant_config bare && cp hooks.d/* bare/hooks/' ;;
	pointer) printf '%s\n' 'git init -q elsewhere && plant_config elsewhere && mkdir ptr && echo "gitdir: ../elsewhere/.git" >ptr/.git && echo x >ptr/f' ;;
	submodule) printf '%s\n' 'git init -q sub && plant_config sub && git -C sub -c core.fsmonitor= -c core.hooksPath=/ -c user.name=B -c user.email=b@x commit -q --allow-empty -m x &&
		printf "[submodule \"x\"]\n\tpath = sub\n\turl = ./sub\n\tupdate = !%s\n" "$EVIL" >.gitmodules' ;;
	alternates) printf '%s\n' 'mkdir -p alt/info alt/pack && echo "$PWD/alt" >>.git/objects/info/alternates' ;;
	replace) printf '%s\n' 'mkdir -p .git/info && git -c core.hooksPath=/ replace HEAD HEAD^{tree} 2>/dev/null || :; echo "$(git rev-parse HEAD) x" >.git/info/grafts' ;;
	include) printf '%s\n' 'printf "[include]\n\tpath = %s/more\n" "$PWD" >>.git/config; git config -f more core.fsmonitor "$EVIL"' ;;
	gitfile-attributes) printf '%s\n' 'printf "*.c filter=evil\n[attr]evil diff=evil\n" >>.git/info/attributes' ;;
	esac
}
vectors='own-config own-hooks nested bare pointer submodule alternates replace include gitfile-attributes'

# The verbs that look at a box or take something out of it; an answer of "no" is one.
looks () {
	for verb in "diff b" "diff --stat b" "diff --json b" "diff --quiet b" "status b" "ls" "path b" "propose b -m x" \
		"propose --series b" "review b" "review --json b" "export --force b" "compare b c" "get b README -" \
		"rebase b" "apply b" "gc" "doctor" "rm --force b"; do
		# shellcheck disable=SC2086 # words
		git box $verb >"$TRASH/said" 2>&1 </dev/null
		rc=$?
		[ "$rc" -lt 124 ] || { cat "$TRASH/said"; echo "git box $verb: exit $rc"; return 1; }
		[ ! -e "$mark" ] || { echo "git box $verb ran what the box planted"; return 1; }
	done
}

# What a user types in the repository and at the top of the box's work tree.
plain_git () {
	for dir in . "$(git box path b)"; do
		for verb in "status" "diff" "log -1" "worktree list" "worktree prune" "gc -q" "stash list" "fsck"; do
			# shellcheck disable=SC2086 # words
			git -C "$dir" $verb >"$TRASH/said" 2>&1 </dev/null || :
			[ ! -e "$mark" ] || { echo "git $verb in $dir ran what the box planted"; return 1; }
		done
	done
}

test_expect_success 'setup' '
	make_repo master && git config --global protocol.file.allow always && git config --global init.defaultBranch main && git config --global --add safe.directory "*"
'
test_expect_success 'control: plain git in such a repository runs it' '
	cp -a master ctl && cd ctl && KEYS=$keys EVIL=$evil sh -ec "$plant_config; $(vector own-config)" && rm -f "$mark" &&
	{ git status >/dev/null 2>&1 || :; } && test -e "$mark" && rm -f "$mark"
'
test_expect_success 'control: plain git in what was planted below runs it' '
	rm -rf ctl && cp -a master ctl && cd ctl && KEYS=$keys EVIL=$evil sh -ec "$plant_config; $(vector nested)" && rm -f "$mark" &&
	{ git -C nest status >/dev/null 2>&1 || :; } && test -e "$mark" && rm -f "$mark"
'
for v in $vectors; do
	test_expect_success "escape: $v, for every verb" '
		rm -rf "$TRASH/repo" && cp -a "$TRASH/master" "$TRASH/repo" && cd "$TRASH/repo" && git box create b && git box create c &&
		git box run --env KEYS="$keys" --env EVIL="$evil" b -- sh -ec "$plant_config; $(vector "$v"); echo PLANTED" | grep PLANTED &&
		rm -f "$mark" && plain_git && looks && ! test -e "$mark" && git fsck --strict
	'
done
test_done
