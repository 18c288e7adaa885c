#!/bin/bash
# Runs in the guest under systemd; what it prints is what the host reads. Root first, then an ordinary user with a
# user manager (in a login session, and without one), then a host that forbids user namespaces to users.
lane=guest
TRASH=$(mktemp -d /var/tmp/vm.XXXXXX)
chmod 755 "$TRASH"
. /vm/guest-lib.sh
exec </dev/null

# shellcheck disable=SC2329 # called by name
no_units () { [ -z "$(systemctl list-units --all --plain --no-legend 'git-box-*')" ]; }
user_manager () { su -l dev -c 'systemctl --user is-active -q basic.target'; }

HOME=/root bash /vm/lane.sh root
check 'no unit is left with the system manager' 'wait_for 10 no_units'
loginctl enable-linger dev
check 'a user manager runs' 'wait_for 60 user_manager'
su -l dev -c 'bash /vm/lane.sh user'
check 'no unit is left with the user manager' '
	su -l dev -c "systemctl --user list-units --all --plain --no-legend git-box-\*" >"$TRASH/o"; cat "$TRASH/o"
	! test -s "$TRASH/o"'
check 'a user without a session finds the manager by itself' '
	mkdir "$TRASH/home"; chown 1000:1000 "$TRASH/home"
	cd "$TRASH/home"
	setpriv --reuid=1000 --regid=1000 --clear-groups env -u XDG_RUNTIME_DIR HOME="$TRASH/home" bash -exc "
		. /vm/guest-lib.sh; make_repo repo; cd repo; git-box create b; git-box status b; git-box status b |
			grep -E \"^memory .*enforced\"; git-box run b -- true"'
check 'without a manager status says watched, and why' '
	cd "$TRASH/home/repo"
	setpriv --reuid=1000 --regid=1000 --clear-groups env XDG_RUNTIME_DIR=/nowhere HOME="$TRASH/home" git-box status b >"$TRASH/o"
	cat "$TRASH/o"; grep -E "^memory .*watched .*/nowhere/systemd/private" "$TRASH/o"'
# Not judged, since emulation is slow: what the scope costs in a run.
for dir in /run/user/1000 /nowhere; do
	start=$(date +%s%N)
	su -l dev -c ". /vm/guest-lib.sh; cd $TRASH/home/repo; export XDG_RUNTIME_DIR=$dir HOME=$TRASH/home
		for i in 1 2 3 4 5 6 7 8 9 10; do git-box run b -- true; done"
	echo "10 runs with XDG_RUNTIME_DIR=$dir: $((($(date +%s%N) - start) / 1000000)) ms"
done
sysctl -q kernel.unprivileged_userns_clone=0
check 'userns_clone=0: probe names the sysctl' '
	cd "$TRASH/home/repo"
	code=0; setpriv --reuid=1000 --regid=1000 --clear-groups env HOME="$TRASH/home" git-box probe >"$TRASH/o" 2>&1 || code=$?
	cat "$TRASH/o"; test $code = 1; grep -q unprivileged_userns_clone "$TRASH/o"'
check 'userns_clone=0: an explicit create is refused and leaves nothing' '
	cd "$TRASH/home/repo"; ls .git/box/b >"$TRASH/before"
	code=0; setpriv --reuid=1000 --regid=1000 --clear-groups env HOME="$TRASH/home" \
		git-box create x --isolation process >"$TRASH/o" 2>&1 || code=$?
	cat "$TRASH/o"; test $code = 2; grep -q unprivileged_userns_clone "$TRASH/o"; ls .git/box/b >"$TRASH/after"; cmp "$TRASH/before" "$TRASH/after"'
echo 'guest ended'
