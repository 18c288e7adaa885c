#!/bin/bash
# Boots the guest of t/vm/image.sh under qemu (no KVM) with the installed build, once with systemd and once without it
# and without Landlock, and turns what the guests say into one TAP stream. VM_SECONDS: deadline of a boot.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=$PWD/build/vm
deadline=${VM_SECONDS:-900}
t/vm/image.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/vm"
cp -R build/plain/inst "$scratch/vm/inst"
cp t/vm/guest.sh t/vm/guest-lib.sh t/vm/lane.sh t/vm/bare-init.sh "$scratch/vm"
tar -C "$scratch" --owner=0 --group=0 -cf "$scratch/payload" vm
truncate -s %512 "$scratch/payload"

# boot NAME KERNEL-ARGUMENTS: the guest's words to $scratch/NAME, its console to build/vm/NAME.console.
boot () {
	: >"$scratch/$1"
	timeout "$deadline" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -smp 2 -m 2G -nodefaults \
		-display none -no-reboot -kernel "$cache/vmlinuz" -initrd "$cache/initrd" \
		-append "root=/dev/vda rw console=ttyS0 quiet panic=-1 $2" \
		-drive "file=$cache/disk.img,if=virtio,format=raw,snapshot=on" \
		-drive "file=$scratch/payload,if=virtio,format=raw,readonly=on" \
		-serial "file:$cache/$1.console" -serial "file:$scratch/$1" </dev/null ||
		echo "not ok - [$1] qemu ended with $?" >>"$scratch/$1"
	grep -q '^guest ended' "$scratch/$1" ||
		echo "not ok - [$1] the guest did not come to its end, see build/vm/$1.console" >>"$scratch/$1"
}

boot systemd ''
boot bare 'lsm=lockdown,yama,integrity init=/vm-init'
cat "$scratch/systemd" "$scratch/bare" | tr -d '\r' | awk '
	/^(not )?ok - / { n++; if (/^not/) bad = 1; sub(/ok - /, "ok " n " - "); print; next }
	/^lane .* ended/ { lanes++; next }
	{ sub(/^# */, ""); print "# " $0 }
	END { n++; print (lanes == 3 ? "ok " : "not ok ") n " - all three lanes ran to their end"
	      if (lanes != 3) bad = 1; print "1.." n; exit bad }'
