#!/bin/bash
# Builds the guest of the tests in t/vm once: a Debian 12 root with systemd, as build/vm/disk.img, with its kernel and
# initramfs beside it. Needs root (debootstrap). VM_MIRROR: another Debian mirror.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=$PWD/build/vm
mirror=${VM_MIRROR:-http://deb.debian.org/debian}
packages=(systemd systemd-sysv dbus dbus-user-session libpam-systemd git python3 procps initramfs-tools
	linux-image-cloud-amd64)

# By content: a checkout makes files look new.
made_by=$(sha256sum <t/vm/image.sh)
[ -e "$cache/disk.img" ] && [ "$(cat "$cache/made-by" 2>/dev/null)" = "$made_by" ] && exit 0
[ "$(id -u)" = 0 ] || { echo "vm: the guest can only be made by root" >&2; exit 1; }

root=$cache/root
mkdir -p "$cache"
rm -rf "$root"
list=$(IFS=,; echo "${packages[*]}")
# in a mount namespace: what it mounts is nobody else's business
unshare --mount debootstrap --variant=minbase --include="$list" bookworm "$root" "$mirror" >"$cache/image.log" 2>&1 ||
	{ tail -20 "$cache/image.log" >&2; exit 1; }

echo guest >"$root/etc/hostname"
: >"$root/etc/fstab"
echo 'dev:x:1000:1000::/home/dev:/bin/bash' >>"$root/etc/passwd"
echo 'dev:*:19000:0:99999:7:::' >>"$root/etc/shadow"
echo 'dev:x:1000:' >>"$root/etc/group"
install -d -o 1000 -g 1000 "$root/home/dev"
install -d "$root/etc/systemd/system/multi-user.target.wants"
# What is under test comes as a tar on the second disk, and what to run with it.
cat >"$root/etc/systemd/system/vm-test.service" <<'UNIT'
[Unit]
After=multi-user.target systemd-logind.service
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'tar -C / -xf /dev/vdb && exec /vm/guest.sh'
StandardOutput=file:/dev/ttyS1
StandardError=inherit
UNIT
# Without systemd the kernel starts this instead.
printf '#!/bin/sh\nmkdir -p /vm && tar -C / -xf /dev/vdb && exec /vm/bare-init.sh\n' >"$root/vm-init"
chmod 755 "$root/vm-init"
ln -sf ../vm-test.service "$root/etc/systemd/system/multi-user.target.wants/vm-test.service"
for unit in getty@tty1.service serial-getty@ttyS0.service apt-daily.timer apt-daily-upgrade.timer fstrim.timer \
	e2scrub_reap.service dpkg-db-backup.timer; do
	ln -sf /dev/null "$root/etc/systemd/system/$unit"
done

cp "$root"/boot/vmlinuz-* "$cache/vmlinuz"
cp "$root"/boot/initrd.img-* "$cache/initrd"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
rm -f "$cache/disk.tmp"
mke2fs -q -t ext4 -O ^has_journal -d "$root" "$cache/disk.tmp" 2G
rm -rf "$root"
mv "$cache/disk.tmp" "$cache/disk.img"
echo "$made_by" >"$cache/made-by"
