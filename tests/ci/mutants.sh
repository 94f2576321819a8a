#!/bin/sh
# Runs mutants.py with the first Python that has NumPy.
#   mutants.sh TSCATTER SOURCE_DIRECTORY [SEED]
set -eu
for python in "$2/build/bench-venv/bin/python" python3 /usr/bin/python3; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    found=$python
    break
  fi
done
if [ -z "${found:-}" ]; then
  echo "no Python with NumPy was found: ./dev bench peers installs one"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
"$found" -B "$2/tests/ci/mutants.py" "$1" "$work" ${3:+"$3"}
