#!/bin/sh
# Installs Debian packages that are missing: deps.sh SUDO PACKAGE...
# Asks the package database first, so that a machine that has everything needs
# neither the network nor root.
set -eu
sudo=$1
shift
missing=
for package in "$@"; do
	state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || :)
	case $state in
	'install ok installed') ;;
	*) missing="$missing $package" ;;
	esac
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # words on purpose
{
	$sudo apt-get update -q &&
		$sudo apt-get install -q -y --no-install-recommends $missing
} || {
	echo "weir: these Debian packages are needed and could not be" \
		"installed:$missing" >&2
	exit 1
}
