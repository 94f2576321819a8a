#!/bin/sh
# Safetensors against the package of PyPI, and the lines of docs/cookbook.md for arrays inside other files, where a Python has the packages.
#   tensor_files.sh TSCATTER SOURCE_DIRECTORY
set -eu
binary=$(readlink -f "$1")
source=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/ci/python_with.sh"

python_or_skip safetensors.numpy,numpy,ml_dtypes
cd "$work"
"$python" -B "$source/tests/ci/tensor_files.py" "$binary" "$source/docs/cookbook.md"
