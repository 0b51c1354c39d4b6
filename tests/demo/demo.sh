#!/bin/sh
# The main job on a real input: three days of hourly readings of five weather
# stations (readings.csv), worked on through three command tools by a program
# that fans out with asyncio.gather; one station has a broken sensor. Then the
# same program without await.
#
# Exits with 1 when anything is not as promised.
#
# usage: demo.sh BUILD_DIR
set -eu

build=${1:?usage: demo.sh BUILD_DIR}
here=$(cd "$(dirname "$0")" && pwd)
weir=$build/bin/weir
python=/usr/bin/python3
[ -x "$python" ] || python=python3
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap 'exit 1' HUP INT TERM

# The words of a tool's command are split by the shell's quoting rules.
quoted() {
	printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

data=$(quoted "$here/readings.csv")

run() {
	status=0
	"$weir" run --json --python "$python" --limit wall=30 \
	    --tool "stations=sh $(quoted "$here/stations.sh") $data" \
	    --tool "readings=$(quoted "$python") $(quoted "$here/readings.py") $data" \
	    --tool "describe=awk -f $(quoted "$here/describe.awk")" \
	    "$here/$1.py" >"$results/$1" || status=$?
	if [ "$status" -ne 0 ]; then
		echo "demo.sh: weir exited with $status on $1.py" >&2
	fi
}

echo "The program, tests/demo/swing.py, which nobody has to trust:"
echo
sed 's/^/    /' "$here/swing.py"
run swing
"$python" "$here/show.py" "$results/swing"
[ "$status" -eq 0 ]

echo
echo "=== The same without await, tests/demo/swing_plain.py ==="
run swing_plain
"$python" "$here/show.py" --same-as "$results/swing" "$results/swing_plain"
[ "$status" -eq 0 ]
