#!/bin/sh
# What is tested in the emulated machine of aarch64.sh. An emulator is slow:
# of the end-to-end files those that start few programs and race no clock (the
# CPU limit counts what the emulator makes of a start), and no sanitizer.
failed=0
export MUST_SANDBOX=1 WEIR="$PWD/build/bin/weir" WEIR_BUILD="$PWD/build" \
	WEIR_LAYERS="$PWD/layers/bin/weir" WEIR_TOOLS="$PWD/build/tests/tools" \
	WEIR_SOURCES="$PWD" PYTHONDONTWRITEBYTECODE=1

attempt() {
	echo "== $*"
	"$@" || {
		echo "== failed: $*"
		failed=1
	}
}

# Half an hour of random texts here, and nothing in them that differs.
rm -f build/tests/test_conformance_made
echo 'left out in the emulated machine: test_conformance_made'
# Its searches are given up when they take 0.4 s of a processor.
rm -f build/tests/test_tool_handles
echo 'left out in the emulated machine: test_tool_handles'

uname -a
attempt build/bin/weir doctor
attempt python3 -B tests/run.py --build build --layers layers \
	--sanitized build --only unit,replay
attempt python3 -B tests/module/run_module_tests.py \
	-k module_values. -k module_styles -k module_preload \
	layers/libexec/weir
for who in '' 'setpriv --reuid 65534 --regid 65534 --clear-groups'; do
	# shellcheck disable=SC2086 # words
	{
		attempt $who python3 -B tests/e2e/test_100_result.py
		attempt $who python3 -B tests/e2e/test_103_tools.py \
			-k every_spelling -k six_threads -k Environment
		attempt $who python3 -B tests/e2e/test_200_limits.py \
			-k Calls -k Streams -k Resources -k Shm -k Inherited
		attempt $who python3 -B tests/e2e/test_300_layers.py
		attempt $who python3 -B tests/e2e/test_301_denied.py
	}
done
[ "$failed" -ne 0 ] || echo 'aarch64: everything passed'
