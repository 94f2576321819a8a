#!/usr/bin/env bash
# Builds the packages of packaging/debian from the sources of this repository: ./dev deb calls it.
#   packaging/deb.sh FILE…    the repository's files
# build/deb gets the packages, and in build/deb/source lie the sources as Debian's tools want them.
set -euo pipefail
unset CDPATH
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
source=build/deb/source

version() { sed -n 's/^project(tscatter VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

[[ $(dpkg-parsechangelog -l packaging/debian/changelog -S Version) = "$(version)" ]] ||
  { echo "deb: packaging/debian/changelog must begin with version $(version), as CMakeLists.txt has it" >&2; exit 1; }
rm -rf build/deb
mkdir -p "$source"
printf '%s\0' "$@" | tar -c --null --no-recursion --files-from - | tar -x -C "$source"
cp -r "$source/packaging/debian" "$source/debian"
# With Debian's own tools: a Python of the user may not have what its packages bring.
(cd "$source" && PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage --no-sign --build=binary)
