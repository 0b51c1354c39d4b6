#!/bin/sh
# Every header compiles alone. CC is the compiler (default: cc).
set -u

cc=${CC:-cc}
failed=0
python=$(${PKG_CONFIG:-pkg-config} --cflags python3)

for header in $(find wire child bindings supervisor -name '*.h' | sort); do
	flags=
	case $header in
	child/module/*)
		flags="-DPy_LIMITED_API=0x03080000 -DWEIR_MODULE $python"
		;;
	esac
	# shellcheck disable=SC2086 # the flags are words
	printf '#include "%s"\n' "$header" |
		$cc -std=gnu11 -D_GNU_SOURCE -I. -Wall -Wextra -Werror $flags \
			-fsyntax-only -x c - || {
		echo "$header: does not compile alone"
		failed=1
	}
done
exit "$failed"
