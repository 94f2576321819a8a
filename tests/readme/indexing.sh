#!/bin/sh
# Runs indexing.py with a Python that has NumPy.
#   indexing.sh TSCATTER SOURCE_DIRECTORY
set -eu
source="$2"
. "$source/tests/ci/python_with.sh"
python_or_skip numpy
exec "$python" -W error "$source/tests/readme/indexing.py" "$1" "$source/docs/indexing.md" "$source/docs/cookbook.md"
