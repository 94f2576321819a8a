#!/bin/sh
# Runs the tests of the Python module in this folder.
#   run.sh SOURCE_DIRECTORY LIBRARY PROGRAM [PATTERN]
set -eu
source="$1"
. "$source/tests/ci/python_with.sh"
if ! found=$(python_with numpy); then
  echo "no Python with NumPy was found: ./dev bench peers installs one"
  exit 77
fi
"$found" -c 'import sys, numpy; print("Python", sys.version.split()[0], "NumPy", numpy.__version__)'
cd "$1/tests/python"
export PYTHONPATH="$1/packaging/python" PYTHONDONTWRITEBYTECODE=1 TSCATTER_LIBRARY="$2" TSCATTER_PROGRAM="$3"
set -- "$found" -W error::ResourceWarning -m unittest discover -v -p "${4:-test_*.py}"
[ -z "${TSCATTER_PRELOAD:-}" ] || set -- sh "$source/tests/python/sanitized.sh" "$@"
exec "$@"
