#!/bin/sh
# Whether a library shows just the functions that a header declares.
#   exports.sh LIBRARY HEADER
set -eu
command -v nm >/dev/null || { echo "nm was not found"; exit 77; }
shown=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort)
declared=$(sed -n 's/^TSC_EXPORT.*\(tsc_[a-z_]*\)(.*/\1/p' "$2" | sort)
[ "$shown" = "$declared" ] || { echo "shown:"; echo "$shown"; echo "declared:"; echo "$declared"; exit 1; }
