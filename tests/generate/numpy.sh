#!/bin/sh
# Runs the Python script of docs/generate.md against files that tscatter has written.
#   numpy.sh TSCATTER SOURCE_DIRECTORY
set -eu
source="$2"
. "$source/tests/ci/python_with.sh"
python_or_skip numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```/ { inside = ($0 == "```python"); next } inside' "$2/docs/generate.md" >"$work/script.py"
"$1" generate ScatterNDUpdate-15 --seed 7 --count 200 --dtype float32 --reduction sum -o "$work/cases"
printed=$("$python" -W error "$work/script.py" "$work/cases")
echo "$printed"
[ "$(echo "$printed" | grep -c ': the same bytes$')" -eq 3 ]
