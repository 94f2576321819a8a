#!/bin/sh
# Runs the tests of the Python module in this folder.
#   run.sh SOURCE_DIRECTORY LIBRARY PROGRAM [PATTERN]
set -eu
for python in ${TSCATTER_PYTHON:-"$1/build/bench-venv/bin/python" python3 /usr/bin/python3}; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    found=$python
    break
  fi
done
if [ -z "${found:-}" ]; then
  echo "no Python with NumPy was found: ./dev bench peers installs one"
  exit 77
fi
"$found" -c 'import sys, numpy; print("Python", sys.version.split()[0], "NumPy", numpy.__version__)'
cd "$1/tests/python"
export PYTHONPATH="$1/packaging/python" PYTHONDONTWRITEBYTECODE=1 TSCATTER_LIBRARY="$2" TSCATTER_PROGRAM="$3"
exec "$found" -W error::ResourceWarning -m unittest discover -v -p "${4:-test_*.py}"
