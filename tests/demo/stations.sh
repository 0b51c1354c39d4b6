#!/bin/sh
# Tool: the names of the stations in the data set, as a JSON array.
#
# usage: stations.sh FILE
set -eu
tail -n +2 "$1" | cut -d, -f1 | sort -u |
	awk 'BEGIN { printf "[" } { printf "%s\"%s\"", (NR > 1 ? ", " : ""), $0 }
	     END { print "]" }'
