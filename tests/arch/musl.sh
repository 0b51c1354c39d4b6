#!/bin/sh
# Builds with musl, and runs a CPython that was built with musl:
# musl.sh BUILD_DIR GLIBC_BUILD_DIR GLIBC_LAYERS_DIR
#
# Debian has musl and no program for it, so what is needed is built here, once,
# of Debian's sources: cmocka, and an interpreter of what needs no further
# library. What needs libseccomp or jansson is left out.
set -eu

build=$1
glibc=$2
layers=$3
mkdir -p "$build-work/include/bsd/sys"
work=$(cd "$build-work" && pwd)
machine=$(uname -m)

# The kernel's headers, and libbsd's that are no code: musl has strlcpy.
ln -sfn /usr/include/linux "$work/include/linux"
ln -sfn /usr/include/asm-generic "$work/include/asm-generic"
ln -sfn "/usr/include/$machine-linux-gnu/asm" "$work/include/asm"
echo '#include <string.h>' >"$work/include/bsd/string.h"
cp /usr/include/bsd/sys/queue.h "$work/include/bsd/sys/"
: >"$work/include/bsd/sys/cdefs.h"
# Two are loaded when they are used, and of the third only inline functions
# are used: their headers need no libc of their own.
cp /usr/include/pcre2.h "$work/include/"
cp -r "/usr/include/$machine-linux-gnu/curl" "$work/include/"
ln -sfn /usr/include/msgpack "$work/include/msgpack"
# Of libmd one object is used, which asks nothing of a libc but memcpy.
cp /usr/include/sha2.h "$work/include/"
ar p "/usr/lib/$machine-linux-gnu/libmd.a" sha2.o >"$work/sha2.o"

# Python's configure asks, and musl-gcc answers with glibc's.
cat >"$work/cc" <<END
#!/bin/sh
[ "\${1:-}" != --print-multiarch ] || { echo $machine-linux-musl; exit; }
exec musl-gcc -idirafter $work/include "\$@"
END
cat >"$work/pkg-config" <<END
#!/bin/sh
case \$* in
*--cflags*python3*) echo -I$work/python/include/python3.11 ;;
*--libs*) echo $work/cmocka.o ;;
esac
END
chmod 755 "$work/cc" "$work/pkg-config"

source_of() {
	mkdir -p "$work/apt/lists/partial" "$work/src/$1"
	[ -n "$(ls "$work/apt/lists/"*Sources* 2>/dev/null)" ] || {
		cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources \
			2>/dev/null | sed 's/^Types: deb$/Types: deb-src/
			s/^deb /deb-src /' >"$work/apt/debian.sources"
		grep -q '^Types' "$work/apt/debian.sources" ||
			mv "$work/apt/debian.sources" "$work/apt/debian.list"
		sources apt-get update -q
	}
	(cd "$work/src" && sources apt-get source -q --download-only --tar-only "$1")
	tar xf "$work/src/$1"_*.orig.tar.* -C "$work/src/$1" --strip-components=1
}

# apt with the sources of the packages, and nothing of the machine's changed.
sources() {
	list=$(ls "$work/apt/debian."*)
	"$@" -o Dir::State::lists="$work/apt/lists" \
		-o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=/dev/null \
		-o APT::Sandbox::User=root
}

[ -e "$work/cmocka.o" ] || {
	source_of cmocka
	: >"$work/src/cmocka/config.h"
	cp "$work/src/cmocka/include/"*.h "$work/include/"
	"$work/cc" -O1 -w -I"$work/src/cmocka" -I"$work/src/cmocka/include" \
		-DHAVE_SIGNAL_H -DHAVE_STRINGS_H -DHAVE_UNISTD_H \
		-DHAVE_GCC_THREAD_LOCAL_STORAGE -DHAVE_STRUCT_TIMESPEC \
		-c "$work/src/cmocka/src/cmocka.c" -o "$work/cmocka.o"
}

# Its extensions are linked in: the build of shared ones looks into glibc's
# headers. What wants a library, or does not build so, is left out.
[ -x "$work/python/bin/python3.11" ] || {
	source_of python3.11
	(
		cd "$work/src/python3.11"
		CC=$work/cc ./configure -q --prefix="$work/python" \
			--without-ensurepip --disable-test-modules
		wanted='array _asyncio _bisect _contextvars _csv _heapq _json
			_lsprof _opcode _pickle _queue _random _struct _typing
			_zoneinfo math cmath _statistics _datetime _md5 _sha1
			_sha256 _sha512 _sha3 _blake2 unicodedata fcntl grp mmap
			_posixsubprocess resource select _socket termios
			_multiprocessing'
		{
			echo '*static*'
			for name in $wanted; do
				grep "^$name " Modules/Setup.stdlib
			done
			echo 'binascii binascii.c -DWITHOUT_ZLIB'
		} >Modules/Setup.local
		# Setup.local changes the Makefile, which make does not read again.
		make -s Makefile >/dev/null
		make -s -j2 OPT='-DNDEBUG -O1 -w' python
		lib=$work/python/lib/python3.11
		mkdir -p "$work/python/bin" "$lib/lib-dynload" \
			"$work/python/include/python3.11"
		cp -r Lib/. "$lib"
		rm -rf "$lib/test"
		cp -r Include/. pyconfig.h "$work/python/include/python3.11"
		ln -sfn python3.11 "$work/python/bin/python3"
		cp python "$work/python/bin/python3.11"
	)
}
python=$work/python/bin/python3.11

tests=
for file in tests/unit/test_*.c; do
	name=$(basename "$file" .c)
	case $name in
	test_filter* | test_conformance* | test_search | test_tool_handles)
		echo "left out with musl, for want of a library: $name"
		rm -f "$build/tests/$name"
		;;
	*) tests="$tests $build/tests/$name" ;;
	esac
done
# shellcheck disable=SC2086 # a list of programs
make --no-print-directory -j2 DEV=1 O="$build" CC="$work/cc" libs="$work/sha2.o" \
	PKG_CONFIG="$work/pkg-config" "$build/bin/weir" \
	"$build/libexec/weir/weir-child" "$build/libexec/weir/_weir.abi3.so" \
	"$build/libexec/weir/prefault.so" "$build/libexec/weir/bootstrap.py" \
	"$build/libexec/weir/compiling.py" $tests
sh tests/lint/symbols.sh "$build"
python3 tests/run.py --build "$build" --layers "$build" --sanitized "$build" \
	--only unit

# Either build serves either interpreter.
for weir in "$build" "$glibc"; do
	for with in "$python" /usr/bin/python3; do
		value=$("$weir/bin/weir" run --python "$with" --value -c '6 * 7')
		[ "$value" = 42 ]
		echo "ok $weir/bin/weir run --python $with"
	done
done
# The module as glibc built it, in the interpreter that musl serves.
WEIR_TOOLS=$glibc/tests/tools python3 -B tests/module/run_module_tests.py \
	-k module_values. -k module_styles -k module_preload -k module_channel \
	"$layers/libexec/weir" "$python"
