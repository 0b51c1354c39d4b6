#!/bin/sh
# Checks that a compiler does not make. Usage: tests/lint/lint.sh BUILD_DIR
#
# Every complaint is a line FILE:LINE: TEXT, or FILE: TEXT. The exit status is
# 1 when there was one. A tool that is missing is a complaint when
# MUST_SANDBOX is set, as in CI, and a note otherwise.
set -u

if [ $# -ne 1 ]; then
	echo 'usage: tests/lint/lint.sh BUILD_DIR' >&2
	exit 2
fi
build=$1
lint=$(dirname "$0")
cd "$lint/../.." || exit 2
lint=tests/lint
failed=0

sources() {
	find wire child bindings supervisor tests fuzz -name "$1" | sort
}

# check NAME COMMAND...: runs a check and remembers that it failed.
check() {
	name=$1
	shift
	if "$@"; then
		echo "lint: $name: ok"
	else
		echo "lint: $name: FAILED"
		failed=1
	fi
}

# has TOOL: whether a tool is there; says so when it is not.
has() {
	command -v "$1" >/dev/null && return 0
	echo "lint: $1 is not installed, its check is left out"
	[ -z "${MUST_SANDBOX:-}" ] || failed=1
	return 1
}

format() {
	sources '*.[ch]' | xargs clang-format --dry-run -Werror
}

# Of files that no test happens to run, too.
python_syntax() {
	sources '*.py' | xargs python3 -c 'import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name, encoding="utf-8").read(), name)'
}

shell_scripts() {
	find tests .ci -type f | sort | while read -r file; do
		case $(head -n 1 "$file" | tr -d '\0') in
		'#!/bin/sh'*) echo "$file" ;;
		'#!/bin/bash'* | '#!/usr/bin/env bash'*) echo "$file" ;;
		esac
	done
}

# SC2317: functions that only `check` calls are reached.
shell() {
	shell_scripts | xargs shellcheck --format=gcc --exclude=SC2317
}

has clang-format && check format format
check 'source rules' python3 "$lint/source.py"
check 'syntax of Python' python_syntax
check headers sh "$lint/headers.sh"
check symbols sh "$lint/symbols.sh" "$build"
check manual python3 "$lint/manual.py" "$build"
check 'table of hosts' python3 "$lint/hosts.py"
check mutants python3 "$lint/mutants.py"
check 'table of claims' python3 "$lint/claims.py"
has mandoc && check 'manual syntax' mandoc -Tlint -W warning supervisor/weir.1
has shellcheck && check shell shell
exit "$failed"
