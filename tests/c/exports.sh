#!/bin/sh
# Whether a library shows just the functions that a header declares, and Debian's list of symbols has them.
#   exports.sh LIBRARY HEADER SYMBOLS
set -eu
command -v nm >/dev/null || { echo "nm was not found"; exit 77; }
declared=$(sed -n 's/^TSC_EXPORT.*\(tsc_[a-z_]*\)(.*/\1/p' "$2" | sort)
same() { [ "$2" = "$declared" ] || { echo "$1:"; echo "$2"; echo "declared:"; echo "$declared"; exit 1; }; }
same shown "$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort)"
same "$3" "$(sed -n 's/^ \(tsc_[a-z_]*\)@Base .*/\1/p' "$3" | sort)"
