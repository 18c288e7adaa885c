#!/bin/bash
# Proves that a bare Debian 12 gets to a running box by `make try` and to a tested tree by `make check`, once as root
# and once as an ordinary user with sudo. Needs root (debootstrap, mounts). Logs: build/fresh-root.log and
# build/fresh-user.log.
#
#	t/fresh.sh			both
#	t/fresh.sh root|user [GOAL...]	one of them, only these goals
#
# The bare root is kept as build/fresh/base.tar. Each run unpacks it anew and enters it by pivot_root in mount and pid
# namespaces of its own: a chroot would not do, because the kernel refuses user namespaces to chrooted processes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "fresh: needs root" >&2; exit 1; }

who=${1:-both}
shift || true
goals=("$@")
[ ${#goals[@]} -gt 0 ] || goals=(try check)
cache=$PWD/build/fresh
mirror=${FRESH_MIRROR:-http://deb.debian.org/debian}
mkdir -p "$cache"

make_base () {
	[ -s "$cache/base.tar" ] && return
	command -v debootstrap >/dev/null || t/deps.sh debootstrap
	rm -rf "$cache/base"
	# what somebody has who is about to type make: nothing of what the tree asks for
	debootstrap --variant=minbase --include=make,sudo,ca-certificates bookworm "$cache/base" "$mirror"
	tar -C "$cache/base" -cf "$cache/base.tar.tmp" .
	mv "$cache/base.tar.tmp" "$cache/base.tar"
	rm -rf "$cache/base"
}

# The machine's way to the Debian archive: sources, proxies, resolver.
carry_apt () {
	local root=$1 f
	rm -f "$root/etc/apt/sources.list"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		# third-party sources would need their keys and are no part of a fresh machine
		[ -f "$f" ] && grep -q '/debian' "$f" && ! grep -q nodesource "$f" && cp "$f" "$root${f%/*}/"
	done
	for f in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
		[ -f "$f" ] && grep -q -i -E 'proxy|Check-Valid-Until|Check-Date' "$f" && cp "$f" "$root${f%/*}/"
	done
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
}

# run_in WHO: make GOALS in a new root, as root or as uid 1000.
run_in () {
	local who=$1 root=$cache/$1 home owner
	rm -rf "$root"
	mkdir "$root"
	tar -C "$root" -xf "$cache/base.tar"
	carry_apt "$root"
	# a root that is thrown away need not survive a power cut while packages are unpacked
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
	home=$root/root
	owner=0
	if [ "$who" = user ]; then
		home=$root/home/dev
		owner=1000
		echo 'dev:x:1000:1000::/home/dev:/bin/bash' >>"$root/etc/passwd"
		echo 'dev:x:1000:' >>"$root/etc/group"
		echo 'dev:*:19000:0:99999:7:::' >>"$root/etc/shadow"
		echo 'dev ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/dev"
	fi
	mkdir -p "$home/git-box"
	tar --exclude=./build --exclude=./.git -cf - . | tar -C "$home/git-box" -xf -
	chown -R "$owner:$owner" "$home"

	FRESH_ROOT=$root FRESH_HOME=${home#"$root"} FRESH_UID=$owner FRESH_GOALS="${goals[*]}" \
		unshare --mount --pid --fork --kill-child --propagation private bash -euc '
		mount --bind "$FRESH_ROOT" "$FRESH_ROOT"
		cd "$FRESH_ROOT"
		mount -t proc proc proc
		mount --rbind /sys sys
		mount --rbind /dev dev
		mkdir -p .old
		pivot_root . .old
		cd /
		umount -l /.old
		rmdir /.old
		export HOME=$FRESH_HOME BOX_MUST_WORK=1 TERM=dumb
		export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		unset FRESH_ROOT FRESH_HOME LC_ALL
		cd "$HOME/git-box"
		for goal in $FRESH_GOALS; do
			echo "== make $goal as uid $FRESH_UID"
			start=$(date +%s)
			setpriv --reuid="$FRESH_UID" --regid="$FRESH_UID" --clear-groups \
				env -u FRESH_UID -u FRESH_GOALS make "$goal" </dev/null
			echo "== make $goal as uid $FRESH_UID: ok after $(($(date +%s) - start)) s"
		done'
	rm -rf "$root"
}

make_base
status=0
for w in root user; do
	[ "$who" = both ] || [ "$who" = "$w" ] || continue
	log=$PWD/build/fresh-$w.log
	: >"$log"
	# the pipeline's status must not hide behind set -e being off in a condition
	( set -e; run_in "$w" ) > >(tee -a "$log") 2>&1 &
	wait $! || { status=1; echo "== $w: FAILED" | tee -a "$log"; }
done
[ $status = 0 ] && echo "== fresh: all passed"
exit $status
