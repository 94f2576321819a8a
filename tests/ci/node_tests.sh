#!/bin/sh
# Node tests of ONNX that tscatter writes, and ONNX's own, where a Python has onnx (and ONNX Runtime).
#   node_tests.sh TSCATTER SOURCE_DIRECTORY
set -eu
binary=$(readlink -f "$1")
source=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
. "$source/tests/ci/python_with.sh"

packages=onnx,onnx.reference,numpy,ml_dtypes
python=$(python_with "$packages,onnxruntime") || python_or_skip "$packages"
for operation in $("$binary" ops | grep -o '^onnx\.[^ ]*'); do
  "$binary" generate "$operation" --layout onnx --count 60 --seed 7 -o "$work/suites/$operation"
done
"$python" -B "$source/tests/ci/node_tests.py" "$binary" "$work/suites" 2>"$work/warnings" || {
  tail -n 20 "$work/warnings"
  exit 1
}
