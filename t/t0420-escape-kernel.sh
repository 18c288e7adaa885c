#!/bin/sh
test_description='escapes: kernel surface'
test_lanes=both
. "${0%/*}/test-lib.sh"

mounts='mount remount umount fsopen open_tree open_tree_attr move_mount mount_setattr pivot_root chroot'
namespaces='unshare_user unshare_net unshare_mount clone_user clone_high clone3_user'
others='setns add_key keyctl request_key bpf perf userfaultfd pidfd_getfd kcmp mptcp vsock alg'

test_expect_success 'setup' '
	make_repo repo && add_helpers repo kernel && (cd repo && git box create b && git box run b -- true)
'

# Control: what the kernel offers here to a program that is root in a namespace of its own, as the payload would be
# if a wall were missing. Doors that this kernel shuts to everybody prove nothing, so the list must be long enough.
test_expect_success 'control: kernel surface' '
	cd repo &&
	{ unshare -Urmnpf .probe/kernel $mounts $namespaces $others io_uring >"$TRASH/outside" || :; } &&
	cat "$TRASH/outside" &&
	for door in $mounts $namespaces io_uring add_key keyctl request_key pidfd_getfd kcmp; do
		grep -q -x "open $door" "$TRASH/outside" || case $door in
		open_tree_attr) : ;; # newer than many kernels
		*) echo "control: $door is shut outside too"; return 1 ;;
		esac
	done
'

# all_shut NAME...: every one of these doors is shut in the box.
all_shut () {
	(cd repo && git box run b -- .probe/kernel "$@" >"$TRASH/inside")
	cat "$TRASH/inside"
	test "$(grep -c . "$TRASH/inside")" = $# && ! grep ^open "$TRASH/inside"
}
test_expect_success 'escape: changing mounts' 'all_shut $mounts'
test_expect_success 'escape: namespaces' 'all_shut $namespaces'
test_expect_success 'escape: kernel surface' 'all_shut $others'
test_expect_success 'escape: io_uring' 'all_shut io_uring'

escape_probe 'netfilter' repo b '.probe/kernel netfilter'
escape_probe 'foreign and x32 system calls' repo b '.probe/kernel i386 || .probe/kernel x32'

# Where the kernel itself refuses TIOCSTI (dev.tty.legacy_tiocsti=0), only root can show the control.
if [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ] || [ "$(id -u)" = 0 ]; then
	escape_probe 'typing into a terminal' repo b \
		'.probe/kernel tiocsti || .probe/kernel tiocsti_high || .probe/kernel tioclinux'
else
	test_skip 'escape: typing into a terminal' 'this kernel refuses TIOCSTI to everybody'
fi
test_expect_success 'each way of typing is shut by itself' '
	all_shut tiocsti tiocsti_high tioclinux && all_shut i386 x32
'
test_done
