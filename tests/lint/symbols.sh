#!/bin/sh
# What the stub, the module and wire/ may call.
# Usage: tests/lint/symbols.sh BUILD_DIR
#
# NM and READELF are the tools to look with (default: nm, readelf), LIBCS the
# C libraries that must have what the module calls (default: this machine's
# glibc, and musl where it is installed).
#
# - The stub's objects import from each other and from child/symbols.allow,
#   and the linked stub imports nothing.
# - The module imports Python's names and those of child/module/symbols.allow,
#   and neither it nor what is preloaded names a library.
# - wire/ is pure: beside its own functions it calls only what
#   tests/lint/wire.allow names.
set -u

build=$1
failed=0
nm=${NM:-nm}
readelf=${READELF:-readelf}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# imports ALLOW OBJECT...: complains about undefined symbols that no object
# defines and that ALLOW does not name. "TYPE NAME" or "VALUE TYPE NAME".
imports() {
	allow=$1
	shift
	grep -v '^#' "$allow" | sed '/^$/d' >"$work/known"
	"$nm" -g "$@" | awk 'NF == 3 { print $3 }' >>"$work/known"
	sort -u -o "$work/known" "$work/known"
	for object in "$@"; do
		"$nm" -u "$object" | awk '$1 == "U" || $1 == "w" { print $2 }' |
			sort -u | comm -23 - "$work/known" |
			sed "s|^|$object: imports |"
	done >"$work/found"
	[ -s "$work/found" ] || return 0
	cat "$work/found"
	echo "$allow: lists what is allowed"
	return 1
}

objects=$(find "$build/stub" -name '*.o' 2>/dev/null | sort)
if [ -z "$objects" ]; then
	echo "$build/stub: no objects; build first"
	exit 1
fi
# shellcheck disable=SC2086 # a list of objects
imports child/symbols.allow $objects || failed=1

stub=$build/libexec/weir/weir-child
if [ ! -f "$stub" ]; then
	echo "$stub: not built"
	failed=1
elif [ -n "$("$nm" -u "$stub")" ]; then
	"$nm" -u "$stub" | sed "s|^|$stub: imports|"
	failed=1
elif "$readelf" -lW "$stub" | grep -q INTERP; then
	echo "$stub: asks for a dynamic loader"
	failed=1
fi

# What is preloaded finds a symbol or does without it: a name that must be
# there would keep some interpreter from starting.
preloaded=$build/libexec/weir/prefault.so
if [ ! -f "$preloaded" ]; then
	echo "$preloaded: not built"
	failed=1
elif "$nm" -D -u "$preloaded" | grep -v ' w '; then
	echo "$preloaded: imports the above and may only name weak symbols"
	failed=1
elif "$readelf" -dW "$preloaded" | grep NEEDED; then
	echo "$preloaded: needs a library"
	failed=1
fi

# A version of a symbol, or the name of a library, is one libc's.
module=$build/libexec/weir/_weir.abi3.so
allow=child/module/symbols.allow
if [ ! -f "$module" ]; then
	echo "$module: not built"
	failed=1
elif "$readelf" -dW "$module" | grep 'NEEDED\|VERNEED'; then
	echo "$module: needs a library"
	failed=1
elif ! "$nm" -D "$module" | grep -q '__asan_\|__ubsan_'; then
	grep -v '^#' "$allow" | sort >"$work/known"
	"$nm" -D -u "$module" | awk '$1 == "U" || $1 == "w" { print $2 }' |
		grep -v '^_\{0,1\}Py' | sort | comm -23 - "$work/known" \
		>"$work/found"
	if [ -s "$work/found" ]; then
		sed "s|^|$module: imports |" "$work/found"
		echo "$allow: lists what is allowed"
		failed=1
	fi
fi
for libc in ${LIBCS-$(ls /lib/"$(uname -m)"-linux-gnu/libc.so.6 \
	/lib/ld-musl-*.so.1 2>/dev/null)}; do
	# glibc's thread storage and canary are its loader's.
	"$nm" -D --defined-only "$libc" | awk '{ print $3 }' |
		sed 's/@.*//' | sort -u >"$work/defined"
	grep -v '^#\|^__stack_chk_guard$\|^__tls_get_addr$' "$allow" |
		sort | comm -23 - "$work/defined" |
		sed "s|^|$libc: lacks |" >"$work/found"
	[ -s "$work/found" ] || continue
	cat "$work/found"
	failed=1
done

objects=$(find "$build/obj/wire" -name '*.o' 2>/dev/null | sort)
if [ -z "$objects" ]; then
	echo "$build/obj/wire: no objects; build first"
	exit 1
fi
# A sanitized build calls its runtime everywhere: there is nothing to see.
# shellcheck disable=SC2086 # a list of objects
if ! "$nm" -u $objects | grep -q '__asan_\|__ubsan_'; then
	# shellcheck disable=SC2086
	imports tests/lint/wire.allow $objects || failed=1
fi
exit "$failed"
