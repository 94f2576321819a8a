#!/bin/sh
# Safetensors against the package of PyPI, and the lines of docs/cookbook.md for arrays inside other files, where a Python has the packages.
#   tensor_files.sh TSCATTER SOURCE_DIRECTORY
set -eu
binary=$(readlink -f "$1")
source=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/ci/python_with.sh"

packages=safetensors.numpy,numpy,ml_dtypes
if ! python=$(python_with "$packages"); then
  echo "no Python with $packages was found: ./dev bench peers installs one"
  exit 77
fi
cd "$work"
"$python" -B "$source/tests/ci/tensor_files.py" "$binary" "$source/docs/cookbook.md"
