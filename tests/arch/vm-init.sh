#!/bin/sh
# Process 1 of the emulated machine of aarch64.sh: from the kernel's first
# root, which cannot be pivoted away from, into another; then the tests.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
if [ "${1:-}" != second ]; then
	mkdir -p /new
	/bin/mount -t tmpfs -o mode=755 root /new
	for part in bin etc init lib root sbin tmp usr var w; do
		cp -a "/$part" /new/
	done
	mkdir -p /new/proc /new/sys /new/dev /new/run
	exec switch_root /new /init second
fi
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
ln -s /proc/self/fd /dev/fd
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
for dir in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmp "$dir"; done
busybox ip link set lo up
mkdir -p /home /opt
chmod -R a+rX /w
cd /w && sh tests/arch/vm-run.sh
busybox poweroff -f
