#!/bin/sh
# Unpacks Debian packages of another architecture, and all that they need,
# without installing them: sysroot.sh DIR ARCH PACKAGE...
#
# The machine's own packages and lists stay as they are, and root is not
# needed: apt gets a state of its own in DIR/apt. DIR/root is what comes out;
# done once for a list of packages.
set -eu

dir=$1
arch=$2
shift 2
[ "$(cat "$dir/done" 2>/dev/null)" != "$*" ] || exit 0
rm -rf "$dir"
mkdir -p "$dir/apt/state/lists/partial" "$dir/apt/cache/archives/partial" \
	"$dir/root"
: >"$dir/apt/status"
dir=$(cd "$dir" && pwd)
cat >"$dir/apt/conf" <<END
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "$(id -un)";
Dir::State "$dir/apt/state";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
Binary::apt-get::APT::Keep-Downloaded-Packages "1";
END
APT_CONFIG=$dir/apt/conf
export APT_CONFIG
# A source that has nothing for this architecture is no failure; a package
# that is missing in the end is one.
apt-get update -q || :
apt-get install -q -y -d --no-install-recommends "$@"
for deb in "$dir"/apt/cache/archives/*.deb; do
	dpkg-deb -x "$deb" "$dir/root"
done
# Absolute links would lead out of it.
find "$dir/root" -type l -lname '/*' | while read -r link; do
	target=$dir/root$(readlink "$link")
	[ ! -e "$target" ] || ln -sfnr "$target" "$link"
done
echo "$*" >"$dir/done"
