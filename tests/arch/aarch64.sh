#!/bin/sh
# Builds everything for aarch64 and tests it on a Debian kernel of that
# architecture in an emulated machine: aarch64.sh BUILD_DIR
#
# A whole machine and not qemu-user, which has no namespaces, mounts, filters
# or CLONE_PIDFD, so that nothing of the confinement could be seen. It is an
# emulator all the same: caches, memory ordering and the speed of real
# hardware are not shown.
set -eu

build=$1
here=$(dirname "$0")
work=$build-sysroot
sh "$here/sysroot.sh" "$work" arm64 \
	libc6-dev libbsd-dev libmd-dev libcmocka-dev libjansson-dev \
	libseccomp-dev libpcre2-dev libcurl4-openssl-dev libmsgpack-dev \
	libpython3-dev python3 bash dash coreutils util-linux mount sed grep \
	mawk findutils procps libc-bin busybox-static linux-image-arm64 tzdata
SYSROOT=$(cd "$work/root" && pwd)
TRIPLET=aarch64-linux-gnu
export SYSROOT TRIPLET
for layers in '' 1; do
	make --no-print-directory -j2 DEV=1 TEST_LAYERS=$layers \
		O="$build${layers:+-layers}" AR=$TRIPLET-ar \
		CC="$TRIPLET-gcc --sysroot=$SYSROOT" \
		PKG_CONFIG="$PWD/$here/pkg-config" all
done
NM=$TRIPLET-nm READELF=$TRIPLET-readelf LIBCS=$SYSROOT/lib/$TRIPLET/libc.so.6 \
	sh tests/lint/symbols.sh "$build"

image=$work/image
rm -rf "$image"
mkdir -p "$image/w/fuzz" "$image/proc" "$image/sys" "$image/dev" "$image/run" \
	"$image/tmp"
cp -a "$SYSROOT/." "$image"
rm -rf "$image/usr/include" "$image/usr/share/doc" "$image/usr/share/man" \
	"$image/usr/share/locale" "${image:?}/boot" "$image/lib/modules"
find "$image" -name '*.a' -delete
# As Debian is installed, which unpacking alone does not do: one /usr.
for dir in bin sbin lib; do
	cp -a "$image/$dir/." "$image/usr/$dir"
	rm -rf "${image:?}/$dir"
	ln -s "usr/$dir" "$image/$dir"
done
mkdir -p "$image/etc" "$image/root" "$image/var/tmp"
echo 'root:x:0:0::/root:/bin/sh
nobody:x:65534:65534::/:/bin/sh' >"$image/etc/passwd"
echo 'root:x:0:
nogroup:x:65534:' >"$image/etc/group"
cp -a "$build" "$image/w/build"
cp -a "$build-layers" "$image/w/layers"
rm -rf "$image"/w/*/obj "$image"/w/*/module "$image"/w/*/stub "$image"/w/layers/tests
cp -a tests supervisor child wire "$image/w"
cp -a fuzz/seeds fuzz/regress "$image/w/fuzz"
cp "$here/vm-init.sh" "$image/init"
chmod 755 "$image/init"
(cd "$image" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$work/initrd"
rm -rf "$image"

timeout 5400 qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on \
	-smp "$(nproc)" -m 4096 -nographic -no-reboot -nic none \
	-kernel "$SYSROOT"/boot/vmlinuz-* -initrd "$work/initrd" \
	-append 'console=ttyAMA0 quiet panic=-1 rdinit=/init' </dev/null |
	tee "$work/log"
grep -q 'aarch64: everything passed' "$work/log"
