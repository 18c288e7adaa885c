#!/bin/bash
# pid 1 of the guest without systemd: a pure cgroup v2 hierarchy that is all root's.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mount -t devpts devpts /dev/pts
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
ip link set lo up 2>/dev/null
exec >/dev/ttyS1 2>&1 </dev/null
HOME=/root bash /vm/lane.sh bare
echo 'guest ended'
sync
echo o >/proc/sysrq-trigger
sleep 60
