#!/bin/sh
# Runs the tests of the Python module in this folder.
#   run.sh SOURCE_DIRECTORY LIBRARY PROGRAM [PATTERN]
set -eu
source="$1"
. "$source/tests/ci/python_with.sh"
python_or_skip numpy
"$python" -c 'import sys, numpy; print("Python", sys.version.split()[0], "NumPy", numpy.__version__)'
cd "$1/tests/python"
export PYTHONPATH="$1/packaging/python" PYTHONDONTWRITEBYTECODE=1 TSCATTER_LIBRARY="$2" TSCATTER_PROGRAM="$3"
set -- "$python" -W error::ResourceWarning -m unittest discover -v -p "${4:-test_*.py}"
[ -z "${TSCATTER_PRELOAD:-}" ] || set -- sh "$source/tests/python/sanitized.sh" "$@"
exec "$@"
