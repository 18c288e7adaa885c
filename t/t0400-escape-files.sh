#!/bin/sh
test_description='escapes: files outside the box'
test_lanes=both
. "${0%/*}/test-lib.sh"

secret=$HOME/.ssh/id_ed25519
rc=$HOME/.rcfile

test_expect_success 'setup: a HOME with things to steal, two repositories, a box' '
	mkdir -p "$HOME/.ssh" "$HOME/.cargo/bin" "$HOME/victim" &&
	echo key-bytes >"$secret" && chmod 600 "$secret" &&
	echo rc >"$rc" &&
	printf "#!/bin/sh\necho tool\n" >"$HOME/.cargo/bin/tool" && chmod 755 "$HOME/.cargo/bin/tool" &&
	make_repo repo && make_repo repo-evil && echo theirs >repo-evil/theirs &&
	mkdir repo/.claude && echo "{}" >repo/.claude/settings.json &&
	git -C repo add -A && git -C repo commit -q -m "agent settings" &&
	(cd repo && git box create b --profile agent) &&
	(cd repo && git box run b -- true)
'

escape_probe 'reading a key' repo b "cat $secret"
escape_probe 'a key through a symlink' repo b "ln -sf $secret link-to-key && cat link-to-key" 'rm -f link-to-key'
escape_probe 'stat of a file in HOME' repo b "stat $rc"
escape_probe 'chmod of a file in HOME' repo b "chmod 600 $rc"
escape_probe 'touch of a file in HOME' repo b "touch -c -d 2001-01-01 $rc && test $rc -ot $HOME/victim"
escape_probe 'an attribute on a file in HOME' repo b \
	"python3 -c 'import os; os.setxattr(\"$rc\", \"user.box\", b\"1\")'"
escape_probe 'changing a granted program' repo b \
	"chmod 700 $HOME/.cargo/bin/tool || touch -d 2001-01-01 $HOME/.cargo/bin/tool ||
	echo '#' >>$HOME/.cargo/bin/tool" "chmod 755 $HOME/.cargo/bin/tool"
escape_probe 'adding a granted program' repo b "echo x >$HOME/.cargo/bin/new"
escape_probe 'a sibling with the same prefix' repo b 'cat ../repo-evil/theirs'
escape_probe 'dots above the root' repo b "cd / && cat ../../../../../..$secret"
escape_probe '/proc/self/root' repo b "cat /proc/self/root$secret"
escape_probe "the box's own records" repo b "cat $TRASH/repo/.git/box/b/*/manifest.json"
escape_probe "the operator's objects" repo b \
	'd=$(sed 1q .git/objects/info/alternates 2>/dev/null); echo x >"${d:-.git/objects}/planted"' \
	'rm -f .git/objects/planted'

exec 9<"$secret"
escape_probe 'an inherited descriptor' repo b 'cat <&9'
exec 9<&-
escape_probe 'a directory on stdin' repo b "cat /proc/self/fd/0/.ssh/id_ed25519" <"$HOME"

test_expect_success 'what is granted runs' '
	(cd repo && git box run b -- tool >out) && test_grep tool repo/out
'

test_expect_success 'control: a working directory elsewhere' '
	(cd "$HOME/victim" && touch made) && rm "$HOME/victim/made"
'
test_expect_success 'escape: a working directory elsewhere' '
	(cd repo && git box run --cwd src b -- touch fine) &&
	{ (cd repo && git box run --cwd "$HOME/victim" b -- touch made) || :; } &&
	! test -e "$HOME/victim/made"
'

# What a box leaves in its tree is removed without following it.
test_expect_success 'control: removal through a symlink' '
	mkdir "$TRASH/ctl" && echo x >"$HOME/victim/precious" && ln -s "$HOME/victim" "$TRASH/ctl/d" &&
	rm -rf "$TRASH/ctl/d/"* && ! test -e "$HOME/victim/precious"
'
test_expect_success 'escape: removal through a symlink' '
	echo x >"$HOME/victim/precious" &&
	(cd repo && git box create links &&
		git box run links -- sh -c "
			rm -rf src && ln -s $HOME/victim src && ln -s $HOME/victim d &&
			ln -s $HOME/victim \"\$HOME/d\" && ln -s $HOME/victim /tmp/d" &&
		test -L "$(git box path links)/d" &&
		git box rm --force links) &&
	test -f "$HOME/victim/precious"
'

escape_probe 'a protected file replaced by its parent' repo b \
	'mv .claude .old && mkdir .claude && echo x >.claude/settings.json' \
	'rm -rf .claude .old && git checkout -q .'
test_expect_success 'control: a mount point exchanged for a symlink' '
	mkdir ctl2 && ln -s "$HOME/victim" ctl2/.claude && echo x >ctl2/.claude/settings.json &&
	test -f "$HOME/victim/settings.json" && rm "$HOME/victim/settings.json"
'
test_expect_success 'escape: a mount point exchanged for a symlink' '
	(cd repo && git rm -rq --cached .claude && mv .claude "$TRASH/was" && git commit -qm "no settings" &&
		git box create m --profile agent &&
		git box run m -- ln -s "$HOME/victim" .claude &&
		git box run m -- sh -c "echo x >.claude/settings.json || true" &&
		git box run m -- true) &&
	ls -A "$HOME/victim" >left && ! test_grep settings left 2>/dev/null
'

# The box's HOME lies on the host, so what it puts there is followed by whoever is careless.
test_expect_success 'control: a home directory exchanged for a symlink' '
	(cd repo && git box run b -- sh -c "rm -rf \"\$HOME/.cache\" && ln -s $HOME/.ssh \"\$HOME/.cache\"") &&
	cat repo/.git/box/b/*/home/.cache/id_ed25519
'
test_expect_success 'escape: a home directory exchanged for a symlink' '
	(cd repo && git box run b -- sh -c "echo STARTED; cat \"\$HOME/.cache/id_ed25519\" ||
		cat \"\$HOME/.ssh/id_ed25519\" || echo DENIED" >"$TRASH/out") &&
	test_grep ^STARTED out && test_grep ^DENIED out && ! grep key-bytes out &&
	(cd repo && git box run b -- sh -c "rm -f \"\$HOME/.cache\"")
'

# Mounts that the host makes while a box runs do not appear in it. A namespace of our own plays the host.
later_mount=$(cat <<'EOF'
	mount --make-rshared / &&
	{ git box run b -- sh -c "echo STARTED; touch ready
		for n in \$(seq 30); do
			test -e $HOME/.cargo/bin/sub/late && { echo REACHED; exit 0; }
			sleep 0.1
		done
		echo DENIED" >"$TRASH/out" & } &&
	pid=$! &&
	n=0 && until test -e "$(git box path b)/ready"; do
		n=$((n + 1)); test "$n" -lt 100 || exit 1; sleep 0.05
	done &&
	mount -t tmpfs none "$HOME/.cargo/bin/sub" && touch "$HOME/.cargo/bin/sub/late" &&
	wait "$pid"
EOF
)
if [ "$(id -u)" = 0 ]; then
	test_expect_success 'control: a later mount of the host' '
		mkdir -p "$HOME/.cargo/bin/sub" &&
		unshare -m sh -c "mount -t tmpfs none \"$HOME/.cargo/bin/sub\" && touch \"$HOME/.cargo/bin/sub/late\" &&
			sh -c \"test -e $HOME/.cargo/bin/sub/late\""
	'
	test_expect_success 'escape: a later mount of the host' '
		(cd repo && HOME="$HOME" TRASH="$TRASH" unshare -m sh -c "$later_mount") &&
		test_grep ^STARTED out && test_grep ^DENIED out && ! grep ^REACHED out
	'
fi

rm -rf "$HOME/.cargo/bin/new" "$HOME/.cargo/bin/sub"
test_expect_success 'the host is as it was' '
	test "$(cat "$secret")" = key-bytes && test "$(stat -c %a "$HOME/.cargo/bin/tool")" = 755 &&
	test "$(ls -A "$HOME/.cargo/bin")" = tool && test "$(cat "$HOME/.cargo/bin/tool")" = "$(printf "#!/bin/sh\necho tool")"
'
test_done
