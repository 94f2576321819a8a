#!/bin/sh
# Runs indexing.py with a Python that has NumPy.
#   indexing.sh TSCATTER SOURCE_DIRECTORY
set -eu
. "$2/tests/ci/python_with.sh"
python_or_skip numpy
exec "$python" -W error "$2/tests/readme/indexing.py" "$1" "$2/docs/indexing.md"
