#!/bin/sh
# Runs mutants.py with the first Python that has NumPy.
#   mutants.sh TSCATTER SOURCE_DIRECTORY [SEED]
set -eu
source="$2"
. "$source/tests/ci/python_with.sh"
python_or_skip numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
"$python" -B "$2/tests/ci/mutants.py" "$1" "$work" ${3:+"$3"}
